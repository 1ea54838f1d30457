"""Room for new files: nothing lies in a file, and a file or folder goes before its name is another's."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping, Sequence
from pathlib import Path

from greenline.core.edit import FileChange
from greenline.core.error import EditRejected
from greenline.journal.checkpoint import Checkpoint, CheckpointFile, FileVersions


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


def is_emptied(path: str, changes: Mapping[str, FileChange], leaving: str) -> bool:
    """Return whether a path is a folder, no link, of which the same edit removes all files, and `leaving`."""
    folder = Path(path)
    if folder.is_symlink() or not folder.is_dir():
        return False
    rest = [inner for inner in folder.rglob("*") if inner.is_symlink() or not inner.is_dir()]
    gone = {leaving, *(name for name, change in changes.items() if change.after is None)}
    return bool(rest) and all(str(inner) in gone for inner in rest)


def in_the_way(versions: Sequence[FileVersions]) -> list[FileVersions]:
    """Return the files that go and whose name, or a folder's above them, is taken by what comes."""
    new = {held.path for held in versions if held.before is None and held.after is not None}
    above = {str(parent) for path in new for parent in Path(path).parents}
    return [
        held
        for held in versions
        if held.after is None
        and (held.path in above or any(str(parent) in new for parent in Path(held.path).parents))
    ]


def remove_folders(versions: Sequence[FileVersions | CheckpointFile]) -> None:
    """Remove the emptied folders that new files are to take the place of; raises `OSError` for others."""
    for held in versions:
        folder = Path(held.path)
        if held.before is None and held.after is not None and folder.is_dir() and not folder.is_symlink():
            inner = [path for path in folder.rglob("*") if path.is_dir()]
            for path in (*sorted(inner, key=lambda path: len(path.parts), reverse=True), folder):
                path.rmdir()


def remove_if_empty(folders: Sequence[str]) -> None:
    """Remove folders, given outermost first, unless somebody put something there."""
    for folder in reversed(folders):
        with contextlib.suppress(OSError):
            Path(folder).rmdir()


def missing_folders(versions: Sequence[FileVersions]) -> list[str]:
    """Return the folders that have to be made, outermost first."""
    missing: set[Path] = set()
    for held in versions:
        if held.after is not None:
            missing.update(folder for folder in Path(held.path).parents if not folder.is_dir())
    return [str(folder) for folder in sorted(missing, key=lambda folder: len(folder.parts))]


def folders_of(checkpoint: Checkpoint) -> list[Path]:
    """Return the folders that have entries of the change, those that it made included."""
    files = {Path(file.path).parent for file in checkpoint.files}
    return sorted(files | {Path(made).parent for made in checkpoint.folders})


def _inside(path: str, file: str, what: str) -> EditRejected:
    return EditRejected(
        f"{path} cannot lie in {file}, {what}.",
        remedy="Give one of them another name.",
        code="exists",
        path=path,
    )
