"""A patch that is handed in, as text."""

from __future__ import annotations

from pathlib import Path

from greenline.core.error import InvalidInput


def patch_bytes(name: str, remedy: str = "Name a patch file.") -> bytes:
    """Return what a patch file holds; raises `InvalidInput` with the remedy."""
    try:
        return Path(name).read_bytes()
    except OSError as error:
        raise InvalidInput(f"{name} cannot be read: {error.strerror}.", remedy=remedy) from error


def read_patch(data: bytes) -> str:
    """Return a patch as text: UTF-8, or latin-1 where it is none."""
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return data.decode("latin-1")
