"""Whether there is room for a new file: nothing lies in a file, neither on the disk nor in the same edit."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from greenline.core.edit import FileChange
from greenline.core.error import EditRejected


def refuse_inside_file(path: str, changes: Mapping[str, FileChange]) -> None:
    """Refuse a new file that would lie in another one, or that another new one would lie in.

    `changes` are those of the same edit so far. Raises `EditRejected` (`exists`).
    """
    above = [str(parent) for parent in Path(path).parents]
    for parent in above:
        if parent not in changes and Path(parent).is_file():
            raise _inside(path, parent, "which is a file")
    for other, change in changes.items() if path not in changes else ():
        if change.after is not None and (other in above or other.startswith(f"{path}/")):
            raise _inside(max(path, other, key=len), min(path, other, key=len), "a file of the same edit")


def _inside(path: str, file: str, what: str) -> EditRejected:
    return EditRejected(
        f"{path} cannot lie in {file}, {what}.",
        remedy="Give one of them another name.",
        code="exists",
        path=path,
    )
