"""One process writes at a time: between a file's comparison and its new name nobody else may write it."""

from __future__ import annotations

import contextlib
import fcntl
import os
from collections.abc import Iterator

from greenline.workspace.state import state_home


@contextlib.contextmanager
def writing() -> Iterator[None]:
    """Hold the lock of all writers of this user; it falls with the process that holds it.

    Changes may reach over several workspaces, so there is one for all of them; a change takes moments.
    """
    folder = state_home()
    folder.mkdir(parents=True, exist_ok=True)
    descriptor = os.open(folder / "write.lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)
