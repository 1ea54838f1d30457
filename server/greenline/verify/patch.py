"""A patch that is handed in, as text."""

from __future__ import annotations

from pathlib import Path

from greenline.core.error import InvalidInput

_REMEDY = "Give a unified diff with --- and +++ lines."


def patch_bytes(name: str, remedy: str = "Name a patch file.") -> bytes:
    """Return what a patch file holds; raises `InvalidInput` with the remedy."""
    try:
        return Path(name).read_bytes()
    except OSError as error:
        raise InvalidInput(f"{name} cannot be read: {error.strerror}.", remedy=remedy) from error


def read_patch(data: bytes, name: str) -> str:
    """Return a patch as text: UTF-8, or latin-1 where it is none; raises `InvalidInput` for no text."""
    if not data.strip():
        raise InvalidInput(f"{name} is empty.", remedy=_REMEDY)
    if b"\0" in data and b"+++ " not in data:
        raise InvalidInput(f"{name} is binary, and no patch.", remedy=_REMEDY)
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return data.decode("latin-1")
