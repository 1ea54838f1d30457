"""The two ways of a process of our own: pipes."""

from __future__ import annotations

import contextlib
import os
import select
import threading
import time
from collections.abc import Iterator

_CHUNK_BYTES = 1 << 16


class PipeStream:
    """Owns our end of a process's output, and of its input where it has one."""

    def __init__(self, output: int, feed: int | None = None) -> None:
        self._output: int | None = output
        self._feed = feed
        self._lock = threading.Lock()

    def send(self, block: bytes) -> None:
        """Feed the process; blocks until it has taken it all, raises `OSError` where it is gone."""
        view = memoryview(block)
        while view:
            if self._feed is None:
                raise BrokenPipeError("its input is closed")
            view = view[os.write(self._feed, view) :]

    def end_input(self) -> None:
        """Close the process's standard input; its output can still be read."""
        with self._lock:
            feed, self._feed = self._feed, None
        if feed is not None:
            os.close(feed)

    def chunks(self) -> Iterator[bytes]:
        """Yield what is printed until everybody who can print has ended."""
        while self._output is not None and (chunk := os.read(self._output, _CHUNK_BYTES)):
            yield chunk

    def close(self) -> None:
        """Give the pipes back; may be called twice."""
        self.end_input()
        with self._lock:
            output, self._output = self._output, None
        if output is not None:
            with contextlib.suppress(OSError):
                os.close(output)


class Lines:
    """Lines that a process prints, waited for with a limit; for one thread."""

    def __init__(self, output: int) -> None:
        self._output = output
        self._rest = b""

    def next(self, limit_s: float) -> str | None:
        """Return the next line, or None at the end or after so long."""
        poller = select.poll()
        poller.register(self._output, select.POLLIN | select.POLLHUP)
        deadline = time.monotonic() + limit_s
        while b"\n" not in self._rest:
            left_s = deadline - time.monotonic()
            if left_s <= 0 or not poller.poll(left_s * 1000):
                return None
            chunk = os.read(self._output, _CHUNK_BYTES)
            if not chunk:
                return None
            self._rest += chunk
        line, _, self._rest = self._rest.partition(b"\n")
        return line.decode("utf-8", "replace")
