"""Whom the first message of a TLS connection asks for; pure.

A name server of many sites answers for each of them at one address: which one is meant stands here alone.
"""

from __future__ import annotations

import attrs

_HANDSHAKE = 22
_CLIENT_HELLO = 1
_SERVER_NAME = 0
_ENCRYPTED_HELLO = 0xFE0D
MAX_HELLO_BYTES = 64 * 1024


class NotTls(Exception):
    """The bytes are no beginning of a TLS connection whose partner can be told."""


@attrs.frozen
class ClientHello:
    """What is told of a client's first message."""

    server_name: str
    """In lower case, or empty where none is asked for."""


def read_hello(data: bytes) -> ClientHello | None:
    """Return what a connection begins with, or None where more is needed; raises `NotTls`."""
    message = bytearray()
    at = 0
    while True:
        if len(message) >= 4:
            if message[0] != _CLIENT_HELLO:
                raise NotTls
            length = int.from_bytes(message[1:4], "big")
            if length > MAX_HELLO_BYTES:
                raise NotTls
            if len(message) >= 4 + length:
                return _parse(_Reader(bytes(message[4 : 4 + length])))
        if data[at : at + 1] and (data[at] != _HANDSHAKE or data[at + 1 : at + 2] not in (b"", b"\x03")):
            raise NotTls
        if len(data) < at + 5:
            return None
        size = int.from_bytes(data[at + 3 : at + 5], "big")
        if size == 0:
            raise NotTls
        message += data[at + 5 : at + 5 + size]
        if len(data) < at + 5 + size:
            return None
        at += 5 + size


def _parse(reader: _Reader) -> ClientHello:
    reader.take(2 + 32)
    reader.take(reader.number(1))
    reader.take(reader.number(2))
    reader.take(reader.number(1))
    name = ""
    if reader.is_at_end:
        return ClientHello(name)
    extensions = _Reader(reader.take(reader.number(2)))
    while not extensions.is_at_end:
        kind = extensions.number(2)
        content = _Reader(extensions.take(extensions.number(2)))
        if kind == _ENCRYPTED_HELLO:
            # Whom it is for cannot be seen.
            raise NotTls
        if kind == _SERVER_NAME:
            names = _Reader(content.take(content.number(2)))
            if name or names.number(1) != 0:
                raise NotTls
            name = names.take(names.number(2)).decode("latin-1").lower()
            if not names.is_at_end:
                raise NotTls
    return ClientHello(name)


class _Reader:
    """Reads numbers and pieces of a message; raises `NotTls` beyond its end."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._at = 0

    @property
    def is_at_end(self) -> bool:
        return self._at == len(self._data)

    def take(self, n_bytes: int) -> bytes:
        piece = self._data[self._at : self._at + n_bytes]
        if len(piece) < n_bytes:
            raise NotTls
        self._at += n_bytes
        return piece

    def number(self, n_bytes: int) -> int:
        return int.from_bytes(self.take(n_bytes), "big")
