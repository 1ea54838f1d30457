"""The two ways of a process in a container: what it is fed, and what it prints.

The engine frames what it sends: one byte for the stream, three empty ones, four for the length, the content.
"""

from __future__ import annotations

import contextlib
import io
import socket
import struct
from collections.abc import Iterator
from typing import Any

from greenline.sandbox.conversation import last_of

_HEADER = struct.Struct(">BxxxL")
_CHUNK_BYTES = 1 << 16
OUTPUT = frozenset({1})
_BOTH = frozenset({1, 2})
"""How the engine numbers the streams."""


class ExecStream:
    """Owns the hijacked connection of one exec; the client library closes it only when it is collected."""

    def __init__(self, connection: Any) -> None:
        self._connection = connection
        self._socket: Any = getattr(connection, "_sock", connection)
        # The client's time limit is meant for answers; a test may be silent for long.
        self._socket.settimeout(None)
        self._reader = _reader_of(connection)

    def send(self, block: bytes) -> None:
        """Feed the process; blocks until the engine has taken it all."""
        self._socket.sendall(block)

    def end_input(self) -> None:
        """Close the process's standard input; its output can still be read."""
        self._socket.shutdown(socket.SHUT_WR)

    def chunks(self, wanted: frozenset[int] = _BOTH) -> Iterator[bytes]:
        """Yield what is printed to the wanted ones of standard output and error, until all heirs end."""
        while len(header := self._reader.read(_HEADER.size)) == _HEADER.size:
            stream, left = _HEADER.unpack(header)
            while left:
                chunk = self._reader.read1(min(left, _CHUNK_BYTES))
                if not chunk:
                    return
                left -= len(chunk)
                if stream in wanted:
                    yield chunk

    def tail(self, n_bytes: int) -> bytes:
        """Read to the end and return the last `n_bytes`; memory stays bounded meanwhile."""
        return last_of(self.chunks(), n_bytes)

    def abort(self) -> None:
        """End what is being read, from another thread: an engine may never say that a dead process ended."""
        with contextlib.suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        """Give the connection back; may be called twice."""
        response = getattr(self._connection, "_response", None)
        # The response first: it flushes what it believes to be its file.
        for part in (response, self._connection, self._socket):
            if part is not None:
                with contextlib.suppress(OSError, ValueError):
                    part.close()


def _reader_of(connection: Any) -> io.BufferedReader:
    """Return the reader that the answer's head was read through: it may hold what was printed since.

    The client library hands out the socket below it, where those first bytes are gone.
    """
    response = getattr(connection, "_response", None) or getattr(connection, "_sock", connection)._response
    reader: io.BufferedReader = response.raw._fp.fp
    return reader
