"""The read loop: frames, JSON, and a look ahead for cancellations that are already waiting.

Reading has a thread of its own, so that no handler can make the server deaf. A request whose
`$/cancelRequest` has already arrived is answered as cancelled and never run.
"""

from __future__ import annotations

import asyncio
import json
import logging
import os
import re
import threading
from collections import deque
from collections.abc import Callable
from typing import Any

_log = logging.getLogger(__name__)
_LENGTH = re.compile(rb"content-length:\s*(\d+)\s*$", re.IGNORECASE)
_CHUNK = 1 << 16
_MAX_HEADER = 1 << 13

Message = Any
"""One JSON value as it came off the wire."""


class FrameReader:
    """Cuts a byte stream into message bodies."""

    def __init__(self) -> None:
        self._buffer = bytearray()

    def feed(self, data: bytes) -> list[bytes]:
        """Return the bodies that `data` completes, in order; a header without a length is skipped."""
        self._buffer += data
        bodies: list[bytes] = []
        while (end := self._buffer.find(b"\r\n\r\n")) >= 0:
            length = _length(bytes(self._buffer[:end]))
            start = end + 4
            if length is None:
                _log.warning("a header without Content-Length was skipped")
                del self._buffer[:start]
                continue
            if len(self._buffer) < start + length:
                break
            bodies.append(bytes(self._buffer[start : start + length]))
            del self._buffer[: start + length]
        if len(self._buffer) > _MAX_HEADER and b"\r\n\r\n" not in self._buffer:
            _log.warning("%d bytes that are no header were dropped", len(self._buffer))
            self._buffer.clear()
        return bodies


class Inbox:
    """Messages that have arrived and wait for the loop, oldest first."""

    def __init__(self) -> None:
        self._messages: deque[Message] = deque()
        self._changed = asyncio.Event()
        self._closed = False

    def put(self, messages: list[Message]) -> None:
        """Add messages; on the event loop's thread only."""
        self._messages.extend(messages)
        self._changed.set()

    def close(self, *, drop: bool = False) -> None:
        """Say that nothing more will come; with `drop`, forget what still waits."""
        self._closed = True
        if drop:
            self._messages.clear()
        self._changed.set()

    async def get(self) -> Message | None:
        """Return the next message, or None at the end."""
        while not self._messages:
            if self._closed:
                return None
            self._changed.clear()
            await self._changed.wait()
        return self._messages.popleft()

    def take_cancel(self, message_id: object) -> bool:
        """Remove a waiting `$/cancelRequest` for the id; return whether there was one."""
        for waiting in self._messages:
            if (
                isinstance(waiting, dict)
                and waiting.get("method") == "$/cancelRequest"
                and isinstance(params := waiting.get("params"), dict)
                and params.get("id") == message_id
                and type(params.get("id")) is type(message_id)
            ):
                self._messages.remove(waiting)
                return True
        return False


class Unreadable:
    """Stands in the inbox for a body that is no JSON."""


def start_reader(read_fd: int, loop: asyncio.AbstractEventLoop, inbox: Inbox) -> threading.Thread:
    """Read from a descriptor in a daemon thread until its end, filling the inbox on the loop."""
    frames = FrameReader()

    def read() -> None:
        try:
            while data := os.read(read_fd, _CHUNK):
                if messages := [_parse(body) for body in frames.feed(data)]:
                    loop.call_soon_threadsafe(inbox.put, messages)
        except OSError as error:
            _log.warning("reading stopped: %s", error)
        _call(loop, inbox.close)

    thread = threading.Thread(target=read, name="lsp-reader", daemon=True)
    thread.start()
    return thread


def _call(loop: asyncio.AbstractEventLoop, action: Callable[[], None]) -> None:
    try:
        loop.call_soon_threadsafe(action)
    except RuntimeError:
        _log.debug("the loop had ended before the input did")


def _length(header: bytes) -> int | None:
    for line in header.split(b"\r\n"):
        if match := _LENGTH.match(line):
            return int(match.group(1))
    return None


def _parse(body: bytes) -> Message:
    try:
        value = json.loads(body)
    except (ValueError, RecursionError):
        return Unreadable()
    # None is how the inbox says that its end is reached, so a `null` from the wire must be something else.
    return {} if value is None else value
