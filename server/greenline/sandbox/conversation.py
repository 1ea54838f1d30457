"""What a session says to a command and hears of its reporter, whatever engine carries it.

`Watch` ends a command that works too long, `Reporter` collects what its reporter prints, and `converse` feeds
it what its caller wants after each round.
"""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from typing import Protocol

MAX_REPORT_BYTES = 64 * 1024 * 1024
READY_S = 60.0
"""How long a reporter may take to be ready."""
KILL_GRACE_S = 2.0
"""How long after its limit a command is killed from outside."""
MAX_WAITS = 3
"""A command that may be asked for more lives at most so many times its limit, whatever becomes of us."""
_REPORTER_GRACE_S = 3.0
_ROUND_END = b'\n{"kind":"roundEnd"'
"""How the reporter prints the record after which a command may be asked for more."""


class Stream(Protocol):
    """The two ways of a process in a container."""

    def send(self, block: bytes) -> None:
        """Feed the process; raises `OSError` where it or the way to it is gone."""

    def end_input(self) -> None:
        """Close the process's standard input; raises `OSError`."""

    def chunks(self) -> Iterator[bytes]:
        """Yield what is printed, standard output and error alike, until the process ends."""

    def close(self) -> None:
        """Give the connection back; may be called twice."""


def last_of(chunks: Iterable[bytes], n_bytes: int) -> bytes:
    """Read to the end and return the last `n_bytes`; memory stays bounded meanwhile."""
    tail = bytearray()
    for chunk in chunks:
        tail += chunk
        if len(tail) > 2 * n_bytes:
            del tail[:-n_bytes]
    return bytes(tail[-n_bytes:])


class Watch:
    """Ends a command that works longer than it may; the time in which it waits for us does not count."""

    def __init__(self, limit_s: float, end: Callable[[], None]) -> None:
        self._limit_s = limit_s
        self._end = end
        self._lock = threading.Lock()
        self._timer: threading.Timer | None = None
        self._since = 0.0
        self._over = False
        self.worked_s = 0.0
        self.ran_out = False

    def __enter__(self) -> Watch:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        with self._lock:
            self._over = True
        self.stop()

    def start(self) -> None:
        """Begin to count, with the whole limit before it; nothing once the command has ended."""
        with self._lock:
            if self._over:
                return
            self._since = time.monotonic()
            self._timer = threading.Timer(self._limit_s, self._run_out)
            self._timer.name = "sandbox-timeout"
            self._timer.start()

    def stop(self) -> None:
        """Stop counting; may be called twice."""
        with self._lock:
            if self._timer is not None:
                self._timer.cancel()
                self._timer = None
                self.worked_s += time.monotonic() - self._since

    def _run_out(self) -> None:
        self.ran_out = True
        self._end()


def converse(
    stream: Stream, reporter: Reporter, followup: Callable[[bytes], bytes | None], watch: Watch
) -> None:
    """Feed a command what its caller wants after each round; close its input when that is nothing more."""
    with contextlib.suppress(OSError):
        try:
            number = 1
            while reporter.wait_for_round(number):
                watch.stop()
                try:
                    wanted = followup(reporter.so_far())
                finally:
                    watch.start()
                if wanted is None:
                    return
                stream.send(wanted)
                number += 1
        finally:
            stream.end_input()


class Reporter:
    """Collects what the reporter prints, in a thread of its own."""

    def __init__(self, stream: Stream, errors: tuple[type[Exception], ...] = (OSError,)) -> None:
        """Begin to collect; `errors` are those with which a stream that breaks ends."""
        self._stream = stream
        self._errors = errors
        self._data = bytearray()
        self._changed = threading.Condition()
        self._n_rounds = 0
        self.ended = False
        self._full = False
        """Whether more was printed than is kept: what it says of rounds is then unknown."""
        threading.Thread(target=self._collect, name="sandbox-reporter", daemon=True).start()

    def wait_until_ready(self) -> bool:
        """Wait for the first line; return whether it is the right one."""
        with self._changed:
            self._changed.wait_for(lambda: self.ended or b"\n" in self._data, READY_S)
            return bytes(self._data).startswith(b"ready\n")

    def wait_for_round(self, number: int) -> bool:
        """Wait until the command has ended so many rounds; False where it ended altogether before."""
        with self._changed:
            self._changed.wait_for(lambda: self.ended or self._full or self._n_rounds >= number)
            return self._n_rounds >= number

    def so_far(self) -> bytes:
        """Return what has been reported until now."""
        with self._changed:
            return bytes(self._data[len(b"ready\n") :])

    def words(self) -> str:
        """Return the end of what was printed, for a complaint."""
        return bytes(self._data[-400:]).decode("utf-8", "replace").strip() or "it printed nothing"

    def finish(self) -> bytes:
        """Wait for the reporter's own end, which comes when the last writer has closed the FIFO."""
        with self._changed:
            self._changed.wait_for(lambda: self.ended, _REPORTER_GRACE_S)
            return bytes(self._data[len(b"ready\n") :])

    def _collect(self) -> None:
        with contextlib.suppress(*self._errors), contextlib.closing(self._stream):
            for chunk in self._stream.chunks():
                with self._changed:
                    before = max(0, len(self._data) - len(_ROUND_END) + 1)
                    if len(self._data) < MAX_REPORT_BYTES:
                        self._data += chunk
                        self._n_rounds += self._data.count(_ROUND_END, before)
                    else:
                        self._full = True
                    self._changed.notify_all()
        with self._changed:
            self.ended = True
            self._changed.notify_all()
