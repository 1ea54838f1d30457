"""The standard streams: one that is closed is named by whatever needs it.

Invariant: what a command opens never takes the number of a closed stream, where it would be read or
overwritten as one.
"""

from __future__ import annotations

import os
import sys

from greenline.core.error import GreenlineError, InvalidInput


def prepare() -> None:
    """Fill the places of closed streams; raises `GreenlineError` where nothing can be printed."""
    if sys.stdin is None:
        # It stays None, so that a command that reads it can tell.
        os.open(os.devnull, os.O_RDONLY)
    if sys.stderr is None:
        # `print` would write to standard output instead, between what a program reads there.
        sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115, PTH123  # for the process's life
    if sys.stdout is None:
        os.open(os.devnull, os.O_WRONLY)
        raise GreenlineError("Standard output is closed.", remedy="Send it to a file, a pipe or /dev/null.")


def needs_input() -> None:
    """Raise `InvalidInput` where standard input, which is about to be read, is closed."""
    if sys.stdin is None:
        raise InvalidInput("Standard input is closed.", remedy="Give the command a pipe or a file to read.")


def piped_bytes() -> bytes:
    """Return all of standard input; raises `InvalidInput` where it is closed."""
    needs_input()
    return sys.stdin.buffer.read()
