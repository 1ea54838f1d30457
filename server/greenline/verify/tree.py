"""Trees of a verification: the patched tree, and the mixtures N and O; pure."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import PurePosixPath

import attrs

from greenline.core.edit import EditSet, FileChange
from greenline.core.error import OutsideWorkspace
from greenline.core.port import StagedFile, Tree


def relative(root: str, path: str) -> str:
    """Return an absolute path relative to the root, with `/`; raises `OutsideWorkspace`."""
    pure = PurePosixPath(path.replace("\\", "/"))
    try:
        inside = pure.relative_to(PurePosixPath(root.replace("\\", "/")))
    except ValueError:
        inside = PurePosixPath("..")
    if ".." in inside.parts or not inside.parts:
        raise OutsideWorkspace(f"{path} does not lie below {root}.")
    return str(inside)


def apply(root: str, tree: Tree, edit_set: EditSet) -> Tree:
    """Return the tree with all changes made; raises `OutsideWorkspace`."""
    return mix(root, tree, edit_set, lambda _: True)


def mix(root: str, tree: Tree, edit_set: EditSet, wanted: Callable[[str], bool]) -> Tree:
    """Return the tree with the changes of those files (relative paths) that are wanted."""
    result = dict(tree)
    for change in edit_set.changes:
        path = relative(root, change.path)
        if not wanted(path):
            continue
        if change.after is None:
            result.pop(path, None)
        else:
            result[path] = _changed(tree.get(path), change)
    return result


def without_bytecode(tree: Tree) -> Tree:
    """Return the tree as it is staged: compiled code can be executed in the place of the text beside it."""
    return {path: file for path, file in tree.items() if not _is_bytecode(path)}


def _is_bytecode(path: str) -> bool:
    return path.endswith((".pyc", ".pyo")) and "__pycache__" in path.split("/")


def _changed(old: StagedFile | None, change: FileChange) -> StagedFile:
    mode = change.mode if change.mode is not None else (old.mode if old else 0o644)
    if old is not None and old.link is None:
        return attrs.evolve(old, content=change.after or b"", mode=mode & 0o7777)
    return StagedFile(change.after or b"", mode & 0o7777)
