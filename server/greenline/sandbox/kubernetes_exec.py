"""The two ways of a process in a pod, over the channel protocol of the API server's websocket.

Each message begins with its channel: 0 the input, 1 and 2 the output, 3 how the process ended, as a `Status`.
"""

from __future__ import annotations

import contextlib
import json
import socket
import threading
from collections.abc import Iterator
from typing import Any

V5 = "v5.channel.k8s.io"
_INPUT, _OUTPUT, _ERRORS, _END = 0, 1, 2, 3
_CLOSED = 255
"""Since version 5 of the protocol: the channel that the next byte names has ended."""
_TEXT, _BINARY, _CLOSE = 1, 2, 8
"""Kinds of messages."""
_PIECE_BYTES = 1 << 16
"""How much one message holds: servers refuse long ones."""
_PING_S = 20.0
"""How often a silent connection is used: proxies end those that nobody uses."""


class KubernetesExec:
    """Owns the connection of one exec; one thread may read while others send. Implements `Stream`."""

    def __init__(self, connection: Any, protocol: str) -> None:
        """Own a websocket that speaks a version of the protocol."""
        self._connection = connection
        self._protocol = protocol
        self._over = threading.Event()
        self._status: dict[str, Any] | None = None
        connection.settimeout(None)
        threading.Thread(target=self._stay, name="sandbox-ping", daemon=True).start()

    @property
    def exit_code(self) -> int | None:
        """How the process ended; None while it runs, or where the connection was cut before."""
        status = self._status
        if status is None:
            return None
        if status.get("status") == "Success":
            return 0
        causes = (status.get("details") or {}).get("causes") or []
        for cause in causes:
            if cause.get("reason") == "ExitCode" and str(cause.get("message", "")).isdigit():
                return int(cause["message"])
        return None

    @property
    def complaint(self) -> str:
        """Why the process could not be started at all, in the cluster's words; empty where it was."""
        if self._status is None or self.exit_code is not None:
            return ""
        return str(self._status.get("message") or self._status.get("reason") or "no reason was given")

    def send(self, block: bytes) -> None:
        """Feed the process; raises `OSError` where the way to it is gone."""
        view = memoryview(block)
        for start in range(0, len(view), _PIECE_BYTES):
            self._send(bytes((_INPUT,)) + view[start : start + _PIECE_BYTES])

    def end_input(self) -> None:
        """Close the process's input; raises `OSError`.

        Version 4 of the protocol cannot: there the process gets an empty line, which the runner takes for it.
        """
        self._send(bytes((_CLOSED, _INPUT)) if self._protocol == V5 else bytes((_INPUT,)) + b"\n")

    def chunks(self) -> Iterator[bytes]:
        """Yield what is printed until the process ends or the connection is cut; `exit_code` says which."""
        while True:
            try:
                kind, frame = self._connection.recv_data_frame(True)
            except Exception:  # noqa: BLE001 -- the library has many; whether all was said shows in the status
                break
            if kind == _CLOSE:
                break
            data = bytes(frame.data) if kind in (_TEXT, _BINARY) else b""
            if not data:
                continue
            if data[0] in (_OUTPUT, _ERRORS) and len(data) > 1:
                yield data[1:]
            elif data[0] == _END:
                self._take_end(data[1:])
        self._over.set()

    def tail(self, n_bytes: int) -> bytes:
        """Read to the end and return the last `n_bytes`; memory stays bounded meanwhile."""
        tail = bytearray()
        for chunk in self.chunks():
            tail += chunk
            if len(tail) > 2 * n_bytes:
                del tail[:-n_bytes]
        return bytes(tail[-n_bytes:])

    def cut(self) -> None:
        """End the connection at once, also while another thread reads; it finds no more."""
        self._over.set()
        with contextlib.suppress(OSError, AttributeError):
            self._connection.sock.shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        """Give the connection back; may be called twice."""
        self._over.set()
        with contextlib.suppress(Exception):
            # No farewell: the server has said its own, or is gone.
            self._connection.shutdown()

    def _send(self, message: bytes) -> None:
        try:
            self._connection.send(message, _BINARY)
        except OSError:
            raise
        except Exception as error:  # the library's own, of no common kind
            raise OSError(str(error) or type(error).__name__) from error

    def _take_end(self, text: bytes) -> None:
        try:
            status = json.loads(text)
        except ValueError:
            status = {"status": "Failure", "message": text.decode("utf-8", "replace")}
        if isinstance(status, dict):
            self._status = status

    def _stay(self) -> None:
        while not self._over.wait(_PING_S):
            try:
                self._connection.ping()
            except Exception:  # noqa: BLE001 -- the reader notices as well
                return
