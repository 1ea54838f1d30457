"""Gives a file new content and keeps all else: owner, mode, extended attributes, and its other names.

A file is replaced in one step by one that was written beside it. Where that would lose something, since the
file has several names (hard links) or an owner that this process cannot give, its content is overwritten in
place instead: a crash can then leave the new text's head on the old text's tail, which `is_torn` recognises.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Sequence
from pathlib import Path

from greenline.core.edit import FileChange
from greenline.core.error import EditRejected
from greenline.edit.kept import give, kept_of

_NO_FOLLOW = getattr(os, "O_NOFOLLOW", 0)


def without_second_names(targets: Sequence[tuple[str, FileChange]]) -> list[tuple[str, FileChange]]:
    """Leave out what a hard link of the same file says again: what one of the names gets, all have.

    Raises `EditRejected` where the names of one file are to hold different texts.
    """
    known: dict[tuple[int, int], tuple[str, FileChange]] = {}
    kept = []
    for path, change in targets:
        file = None if change.before is None or change.after is None else _same_file(path)
        first = None if file is None else known.setdefault(file, (path, change))
        if first is None or first[0] == path:
            kept.append((path, change))
        elif first[1].after != change.after:
            raise EditRejected(
                f"{first[0]} and {path} are names of one file (hard links), and cannot hold different texts.",
                remedy="Make all changes under one of the names.",
                path=path,
            )
    return kept


def write_beside(temporary: Path, path: str, data: bytes, mode: int | None, kept: str = "") -> None:
    """Write a new file with the old one's owner and attributes or `kept` ones, and the mode asked for."""
    # The permission bits of a file that is new and that nothing is asked for are the process's own. Any other
    # file is nobody else's to read before it has its mode.
    own = 0o666 if mode is None else 0o600
    descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | _NO_FOLLOW, own)
    with os.fdopen(descriptor, "wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
    kept = kept or ("" if Path(path).is_dir() else kept_of(path))
    if kept:
        give(temporary, kept)
    if mode is not None:
        temporary.chmod(mode)


def put(temporary: Path, path: str, before: bytes | None, after: bytes | None) -> None:
    """Let a path hold the content that lies beside it; raises `EditRejected` (`exists`) for a new one."""
    if after is None:
        Path(path).unlink()
    elif before is None:
        _create(temporary, path)
    else:
        replace(temporary, path, after)


def replace(temporary: Path, path: str, data: bytes) -> None:
    """Let a path hold the content that lies beside it, under all of the file's names."""
    if not _must_be_in_place(temporary, path):
        temporary.replace(path)
        return
    mode = stat.S_IMODE(temporary.stat().st_mode)
    # What lies beside is in memory too, and its room may be all that there is.
    temporary.unlink()
    _overwrite(path, data)
    if stat.S_IMODE(Path(path).stat().st_mode) != mode:
        Path(path).chmod(mode)


def is_torn(found: bytes, before: bytes, after: bytes) -> bool:
    """Return whether a content is the head of `after` on the tail of `before`: an overwriting cut short.

    Room that was made for a longer content and not yet filled holds zeros.
    """
    old = before.ljust(len(after), b"\0")
    limit = min(len(found), len(after))
    head = next((n for n in range(limit) if found[n] != after[n]), limit)
    return len(found) in (len(before), len(old)) and found[head:] == old[head : len(found)]


def _must_be_in_place(temporary: Path, path: str) -> bool:
    try:
        old = Path(path).stat()
    except FileNotFoundError:
        return False
    return old.st_nlink > 1 or (hasattr(os, "chown") and (old.st_uid, old.st_gid) != _owner(temporary))


def _overwrite(path: str, data: bytes) -> None:
    """Overwrite a file; the room is made first, so that a full disk is found out before anything changes."""
    descriptor = os.open(path, os.O_WRONLY | _NO_FOLLOW)
    with os.fdopen(descriptor, "wb") as file:
        n_before = os.fstat(descriptor).st_size
        if data and hasattr(os, "posix_fallocate"):
            try:
                os.posix_fallocate(descriptor, 0, len(data))
            except OSError as error:
                os.ftruncate(descriptor, n_before)
                if error.errno not in (errno.EINVAL, errno.ENOTSUP):
                    raise
        file.write(data)
        file.flush()
        file.truncate(len(data))
        os.fsync(descriptor)


def _create(temporary: Path, path: str) -> None:
    """Give a new file its name, never over a file that came meanwhile where the file system can say so."""
    try:
        os.link(temporary, path)
    except FileExistsError:
        raise EditRejected(
            f"{path} exists by now.", remedy="Ask for the change again.", code="exists"
        ) from None
    except OSError:
        temporary.rename(path)
        return
    temporary.unlink()


def _owner(path: Path) -> tuple[int, int]:
    status = path.stat()
    return status.st_uid, status.st_gid


def _same_file(path: str) -> tuple[int, int] | None:
    try:
        status = Path(path).stat()
    except OSError:
        return None
    return (status.st_dev, status.st_ino) if status.st_nlink > 1 else None
