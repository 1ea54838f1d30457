"""What files hold on the disk, and whether that is what a change knows of them."""

from __future__ import annotations

import stat
from pathlib import Path

from greenline.core.error import GreenlineError
from greenline.journal.blob import content_hash
from greenline.journal.checkpoint import CheckpointFile
from greenline.workspace.regular import is_special, read_regular


class NotWritten(GreenlineError):
    """The disk, and not the edit, is why nothing was written."""

    code = "unwritable"


def read_bytes(path: str) -> bytes | None:
    """Return a file's bytes, or None where there is none; raises `NotWritten` (`unreadable`)."""
    try:
        return read_regular(path)
    except (FileNotFoundError, NotADirectoryError, IsADirectoryError):
        return None
    except OSError as error:
        raise NotWritten(
            f"{path} cannot be read: {error.strerror}.",
            remedy="Name a file that can be read.",
            code="unreadable",
        ) from error


def holds(file: CheckpointFile, name: str | None, mode: int | None) -> bool:
    """Return whether a file holds a content, and has a mode where one is given."""
    if is_special(file.path):
        return False
    found = read_bytes(file.path)
    if found is None or name is None:
        return found is None and name is None
    return content_hash(found) == name and mode in (None, mode_bits(file.path))


def mode_bits(path: str) -> int | None:
    """Return a file's POSIX mode bits, or None where there is none."""
    try:
        return stat.S_IMODE(Path(path).stat().st_mode)
    except (FileNotFoundError, NotADirectoryError):
        return None
