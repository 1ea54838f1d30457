"""Roots of the workspace, and which one a path belongs to; links are resolved before anything is believed."""

# Paths are strings here: they are keys of the overlay, and `Path` would respell some of them.
# ruff: noqa: PTH117, PTH118, PTH119

from __future__ import annotations

import os
from collections.abc import Sequence

import attrs

from greenline.core.error import OutsideWorkspace


@attrs.frozen
class Located:
    """A path that lies in a root, on paper and on disk."""

    root: str
    """The root as it was handed in."""
    path: str
    """Absolute path under `root`, normalised, links kept."""
    relative: str
    """`path` relative to `root`, with `/`; `.` is the root itself."""
    target: str
    """Absolute path under `root` of the file that the links of `path` lead to; where edits go."""


def locate(path: str, roots: Sequence[str]) -> Located:
    """Find the innermost root that holds an absolute path, or one relative to the only root.

    Raises `OutsideWorkspace` (`outside-workspace`) also where a link or `..` leads outside, for files not
    yet made too, and where a relative path could mean more than one root.
    """
    if not os.path.isabs(path):
        path = _absolute(path, roots)
    lexical = os.path.normpath(path)
    real = os.path.realpath(path)
    for root in sorted(roots, key=len, reverse=True):
        real_root = os.path.realpath(root)
        target = relative_to(real, real_root)
        if target is None:
            continue
        normal_root = os.path.normpath(root)
        relative = relative_to(lexical, normal_root)
        if relative is None:
            relative = relative_to(lexical, real_root) or target
        return Located(
            root=root,
            path=os.path.normpath(os.path.join(normal_root, relative)),
            relative=relative,
            target=os.path.normpath(os.path.join(normal_root, target)),
        )
    raise OutsideWorkspace(
        f"{path} lies outside the workspace.",
        remedy="Use a path inside one of the workspace's folders.",
        code="outside-workspace",
    )


def concerned(paths: Sequence[str], roots: Sequence[str]) -> tuple[str, ...]:
    """Return the roots that hold one of the paths, in their order; all of them where there is no path."""
    held = {locate(path, roots).root for path in paths}
    return tuple(root for root in roots if root in held) if held else tuple(roots)


def relative_to(path: str, root: str) -> str | None:
    """Return `path` relative to `root` with `/`, or None where it is not below; nothing is resolved."""
    if path == root:
        return "."
    prefix = root if root.endswith(os.sep) else root + os.sep
    if not path.startswith(prefix):
        return None
    return path[len(prefix) :].replace(os.sep, "/")


def _absolute(path: str, roots: Sequence[str]) -> str:
    """Return a relative path below its root: the only one, the named one that has it, or whichever has it."""
    if len(roots) == 1:
        return os.path.join(roots[0], path)
    named = [root for root in roots if path.split("/", 1)[0] == os.path.basename(os.path.normpath(root))]
    meant = os.path.join(named[0], path.split("/", 1)[1]) if len(named) == 1 and "/" in path else None
    if meant is not None and os.path.lexists(meant):
        return meant
    # A folder of another root may bear the name of this one.
    holders = [root for root in roots if os.path.lexists(os.path.join(root, path))]
    if len(holders) == 1:
        return os.path.join(holders[0], path)
    if meant is not None:
        return meant
    raise OutsideWorkspace(
        f"{path} is relative, and the workspace has {len(roots)} folders that it could belong to.",
        remedy="Begin the path with the folder's name, or use an absolute path.",
        code="ambiguous-root" if roots else "outside-workspace",
    )
