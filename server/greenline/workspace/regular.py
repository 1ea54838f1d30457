"""Reads regular files alone: what else has a file's name, such as a pipe, could keep its reader for ever."""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path

_FLAGS = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)
_WHAT = "it is no regular file"


def read_regular(path: str | Path) -> bytes:
    """Return what a file holds, through links.

    Raises `OSError`, which for a pipe, a device or a socket says that it is no regular file.
    """
    try:
        descriptor = os.open(path, _FLAGS)
    except OSError as error:
        if error.errno == errno.ENXIO:
            raise OSError(errno.ENXIO, _WHAT, str(path)) from None
        raise
    try:
        mode = os.fstat(descriptor).st_mode
        if stat.S_ISDIR(mode):
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
        if not stat.S_ISREG(mode):
            raise OSError(errno.ENXIO, _WHAT, str(path))
    except OSError:
        os.close(descriptor)
        raise
    with os.fdopen(descriptor, "rb") as file:
        return file.read()


def is_special(path: str | Path) -> bool:
    """Return whether a pipe, a device or a socket has this name."""
    try:
        mode = Path(path).stat().st_mode
    except OSError:
        return False
    return not stat.S_ISREG(mode) and not stat.S_ISDIR(mode)
