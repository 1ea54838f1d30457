"""Paths as a model writes and reads them: relative to the only root, or `rootname/path` with several.

Paths come back absolute; whether the agent may touch them is for the gate to say.
"""

# Paths are strings here: they are keys of the overlay, and `Path` would respell some of them.
# ruff: noqa: PTH117, PTH118

from __future__ import annotations

import os
from collections.abc import Callable, Sequence

from greenline.core.error import OutsideWorkspace


def root_names(roots: Sequence[str]) -> dict[str, str]:
    """Return root → name: the folder's own name, or all with as many parents as it takes to tell them apart.

    With the same number of parts, no name is the beginning of another.
    """
    parts = {root: os.path.normpath(root).replace(os.sep, "/").strip("/").split("/") for root in roots}
    deepest = max((len(folders) for folders in parts.values()), default=1)
    for depth in range(1, deepest + 1):
        names = {root: "/".join(folders[-depth:]) for root, folders in parts.items()}
        if len(set(names.values())) == len(names):
            return names
    return {root: "/".join(folders) for root, folders in parts.items()}


def shown(root: str, relative: str, roots: Sequence[str]) -> str:
    """Return how a model sees a path that is relative to one of the roots."""
    if len(roots) == 1:
        return relative
    name = root_names(roots)[root]
    return name if relative == "." else f"{name}/{relative}"


def resolve(path: str, roots: Sequence[str], exists: Callable[[str], bool]) -> str:
    """Return a path as absolute: below the only root, the one that it names, or the only one that has it.

    Raises `OutsideWorkspace` (`ambiguous-root`), naming the candidates, where that leaves a choice.
    """
    if os.path.isabs(path):
        return path
    if len(roots) == 1:
        return os.path.join(roots[0], path)
    named = _named(path, roots)
    if named is not None and exists(named):
        return named
    names = root_names(roots)
    holders = [root for root in roots if exists(os.path.join(root, path))]
    if len(holders) == 1:
        return os.path.join(holders[0], path)
    if named is not None:
        return named
    candidates = ", ".join(f"{names[root]}/{path}" for root in holders or roots)
    words = (
        "lies in several folders of the workspace" if holders else "lies in no folder of the workspace yet"
    )
    raise OutsideWorkspace(
        f"{path} {words}; it could be {candidates}.",
        remedy="Begin the path with the folder's name.",
        code="ambiguous-root",
    )


def _named(path: str, roots: Sequence[str]) -> str | None:
    """Return the path below the root whose name it begins with."""
    normal = os.path.normpath(path).replace(os.sep, "/")
    # A root inside another can have a longer name that begins with the outer one's.
    for root, name in sorted(root_names(roots).items(), key=lambda item: len(item[1]), reverse=True):
        if normal == name:
            return root
        if normal.startswith(f"{name}/"):
            return os.path.join(root, normal[len(name) + 1 :])
    return None
