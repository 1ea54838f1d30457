"""The server's side of a websocket, and of the channel protocol in which a process of a pod is spoken to."""

from __future__ import annotations

import base64
import contextlib
import hashlib
import json
import socket
import struct
import subprocess
import threading
from collections.abc import Iterator
from typing import BinaryIO

from stub_fault import V5

_MAGIC = b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
_CONTINUED, _TEXT, _BINARY, _CLOSE, _PING, _PONG = 0, 1, 2, 8, 9, 10
_INPUT, _OUTPUT, _ERRORS, _END, _CLOSED = 0, 1, 2, 3, 255
MAX_MESSAGE_BYTES = 1 << 20
"""Longer messages are refused, as servers do."""


def accept_key(key: str) -> str:
    """Return what proves to a client that it speaks to a websocket."""
    return base64.b64encode(hashlib.sha1(key.encode() + _MAGIC).digest()).decode()


class Websocket:
    """A connection that was upgraded; one thread reads, any may send."""

    def __init__(self, connection: socket.socket, reader: BinaryIO) -> None:
        self._connection = connection
        self._reader = reader
        self._lock = threading.Lock()

    def send(self, data: bytes, kind: int = _BINARY) -> None:
        """Send one message."""
        size = len(data)
        if size < 126:
            head = struct.pack(">BB", 0x80 | kind, size)
        elif size < 1 << 16:
            head = struct.pack(">BBH", 0x80 | kind, 126, size)
        else:
            head = struct.pack(">BBQ", 0x80 | kind, 127, size)
        with self._lock:
            self._connection.sendall(head + data)

    def messages(self) -> Iterator[bytes]:
        """Yield what the client says until it leaves."""
        whole = b""
        while True:
            head = self._reader.read(2)
            if len(head) < 2:
                return
            is_last, kind = head[0] & 0x80, head[0] & 0x0F
            size = head[1] & 0x7F
            if size == 126:
                (size,) = struct.unpack(">H", self._reader.read(2))
            elif size == 127:
                (size,) = struct.unpack(">Q", self._reader.read(8))
            if size > MAX_MESSAGE_BYTES or not head[1] & 0x80:
                return
            mask = self._reader.read(4)
            data = _unmasked(self._reader.read(size), mask)
            if kind == _CLOSE:
                return
            if kind == _PING:
                self.send(data, _PONG)
            if kind in (_CONTINUED, _TEXT, _BINARY):
                whole += data
                if is_last:
                    yield whole
                    whole = b""

    def close(self) -> None:
        """Say farewell."""
        with contextlib.suppress(OSError):
            self.send(struct.pack(">H", 1000), _CLOSE)

    def cut(self) -> None:
        """End the connection in the middle of everything."""
        with contextlib.suppress(OSError):
            self._connection.shutdown(socket.SHUT_RDWR)


def _unmasked(data: bytes, mask: bytes) -> bytes:
    size = len(data)
    key = int.from_bytes((mask * (size // 4 + 1))[:size], "big")
    return (int.from_bytes(data, "big") ^ key).to_bytes(size, "big")


def carry(process: subprocess.Popen[bytes], link: Websocket, protocol: str) -> None:
    """Carry what a process is fed and prints, until it has ended; then say how."""
    readers = [
        threading.Thread(target=_tell, args=(link, pipe, channel), daemon=True)
        for pipe, channel in ((process.stdout, _OUTPUT), (process.stderr, _ERRORS))
    ]
    for reader in readers:
        reader.start()
    threading.Thread(target=_feed, args=(process, link, protocol), daemon=True).start()
    code = process.wait()
    for reader in readers:
        # What it left running may hold the pipes for ever.
        reader.join(1)
    with contextlib.suppress(OSError):
        link.send(bytes((_END,)) + json.dumps(_status(code)).encode())
    link.close()


def _tell(link: Websocket, pipe: BinaryIO | None, channel: int) -> None:
    assert pipe is not None
    with contextlib.suppress(OSError, ValueError):
        while data := pipe.read(1 << 15):
            link.send(bytes((channel,)) + data)
    with contextlib.suppress(OSError):
        pipe.close()


def _feed(process: subprocess.Popen[bytes], link: Websocket, protocol: str) -> None:
    pipe = process.stdin
    with contextlib.suppress(OSError, ValueError):
        for message in link.messages():
            if pipe is None:
                continue
            if protocol == V5 and message[:2] == bytes((_CLOSED, _INPUT)):
                pipe.close()
            elif message[:1] == bytes((_INPUT,)) and not pipe.closed:
                left = memoryview(message)[1:]
                while left:
                    left = left[pipe.write(left) :]
    # Who is fed no more, since the client is gone, must not wait for ever.
    if pipe is not None:
        with contextlib.suppress(OSError):
            pipe.close()


def _status(code: int) -> dict[str, object]:
    if code == 0:
        return {"metadata": {}, "status": "Success"}
    code = 128 - code if code < 0 else code
    return {
        "metadata": {},
        "status": "Failure",
        "message": f"command terminated with non-zero exit code: exit code {code}",
        "reason": "NonZeroExitCode",
        "details": {"causes": [{"reason": "ExitCode", "message": str(code)}]},
    }
