"""Programs started with the descriptors that they are to have and no others, numbered as they expect them.

A shell can name no descriptor above 9, and what this process was itself left with must reach no sandbox.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import signal
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager

_ABOVE = 64
"""From where on our ends are numbered, so that none is in the way of another."""
_RESET = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGPIPE, signal.SIGXFSZ, signal.SIGCHLD)
"""Signals that Python or our caller may have set aside."""


class Child:
    """A child process; `kill` may come from any thread, `wait` from one."""

    def __init__(self, pid: int) -> None:
        self._pid = pid
        self._lock = threading.Lock()
        self._code: int | None = None
        self._gone = False

    def kill(self) -> None:
        """Kill it, where it has not been waited for."""
        with self._lock:
            if not self._gone:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(self._pid, signal.SIGKILL)

    def wait(self) -> int:
        """Wait for its end and return its exit code, or the negative number of what killed it."""
        if self._code is None:
            # It stays a zombie, so that its number is nobody else's before the lock is held.
            os.waitid(os.P_PID, self._pid, os.WEXITED | os.WNOWAIT)
            with self._lock:
                _, status = os.waitpid(self._pid, 0)
                self._gone = True
            self._code = os.waitstatus_to_exitcode(status)
        return self._code


def launch(argv: Sequence[str], descriptors: Mapping[int, int]) -> Child:
    """Start a program in a session of its own; `descriptors` are its number → ours. Raises `OSError`.

    The thread that calls this must live as long as the child that wants to die with its parent.
    """
    with _raised(descriptors) as ours:
        actions: list[tuple[int, int, int] | tuple[int, int]] = [
            (os.POSIX_SPAWN_DUP2, own, theirs) for theirs, own in ours.items()
        ]
        actions += [(os.POSIX_SPAWN_CLOSE, number) for number in _inheritable() if number not in ours]
        pid = os.posix_spawn(
            argv[0],
            list(argv),
            {"PATH": "/usr/bin:/bin"},
            file_actions=actions,
            setsid=True,
            setsigmask=(),
            setsigdef=_RESET,
        )
    return Child(pid)


@contextmanager
def _raised(descriptors: Mapping[int, int]) -> Iterator[dict[int, int]]:
    """Yield copies of our ends, numbered above all that a child expects."""
    copies: dict[int, int] = {}
    try:
        for theirs, own in descriptors.items():
            copies[theirs] = fcntl.fcntl(own, fcntl.F_DUPFD_CLOEXEC, _ABOVE)
        yield copies
    finally:
        for copy in copies.values():
            os.close(copy)


def _inheritable() -> list[int]:
    found = []
    for entry in os.listdir("/proc/self/fd"):  # noqa: PTH208 (numbers, not paths)
        with contextlib.suppress(OSError):
            if os.get_inheritable(int(entry)):
                found.append(int(entry))
    return found
