"""Standard input and output, claimed once at start so that nothing but the server can touch the channel."""

from __future__ import annotations

import os
import sys

import attrs


@attrs.frozen
class Channel:
    """The descriptors that carry the protocol; no child process inherits them."""

    read_fd: int
    write_fd: int


def claim() -> Channel:
    """Move descriptors 0 and 1 aside: later reads find the end of file, later prints go to standard error.

    Call once, before anything else can print or start a child process.
    """
    channel = Channel(os.dup(0), os.dup(1))
    empty = os.open(os.devnull, os.O_RDONLY)
    os.dup2(empty, 0)
    os.close(empty)
    os.dup2(2, 1)
    sys.stdout.flush()  # what was printed before goes to standard error as well
    sys.stdout = sys.stderr
    return channel
