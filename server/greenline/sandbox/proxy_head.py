"""What a client asks of the proxy, read strictly: what two readers could understand differently is refused.

Pure but for `read_head`. Nothing here decides where a request may go.
"""

from __future__ import annotations

import re
import socket
import time

import attrs

from greenline.core.registry import address_of

_END = b"\r\n\r\n"
_LINE = re.compile(r"([A-Z]{1,16}) ([!-~]+) HTTP/1\.[01]")
_FIELD = re.compile(r"([!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \t]*([\t -~\x80-\xff]*)")
_AUTHORITY = re.compile(r"(\[[0-9A-Fa-f:.]+\]|[^\[\]:@/?#\\]+)(?::(\d{1,5}))?")
_TARGET = re.compile(r"http://([^/?#]+)([/?][!-~]*)?", re.IGNORECASE)
_HTTP_PORT = 80
_MAX_FIELDS = 100
_PASSED_ON = frozenset({"accept", "accept-encoding", "cache-control", "if-modified-since", "if-none-match"})
_PASSED_ON |= {"pacote-req-type", "pacote-pkg-id", "range", "user-agent"}
"""The fields of a plain request that a registry gets; its address is written anew."""


class Refused(Exception):
    """The proxy does not do what it was asked; `status` is the answer's."""

    def __init__(self, status: str, reason: str, target: str = "") -> None:
        super().__init__(reason)
        self.status = status
        self.reason = reason
        self.target = target


@attrs.frozen
class Head:
    """One request to the proxy."""

    method: str
    host: str
    """In lower case; of an IPv6 address without brackets."""
    port: int
    path: str
    """What to ask the host for; empty for a tunnel."""
    fields: tuple[tuple[str, str], ...] = ()

    def for_origin(self) -> bytes:
        """Return the request as the registry gets it, on a connection that serves no other."""
        shown = f"[{self.host}]" if ":" in self.host else self.host
        place = shown if self.port == _HTTP_PORT else f"{shown}:{self.port}"
        lines = [f"{self.method} {self.path} HTTP/1.1", f"Host: {place}", "Connection: close"]
        lines += [f"{name}: {value}" for name, value in self.fields if name.lower() in _PASSED_ON]
        return "\r\n".join([*lines, "", ""]).encode("latin-1")


def read_head(client: socket.socket, limit_bytes: int, limit_s: float) -> tuple[bytes, bytes]:
    """Return a request's head, up to its empty line, and what came behind it; raises `Refused`, `OSError`.

    The whole head must be there in time: a client that sends a byte now and then is not waited for.
    """
    data = bytearray()
    ends = time.monotonic() + limit_s
    while (found := data.find(_END)) < 0:
        if len(data) > limit_bytes:
            raise Refused("431 Request Header Fields Too Large", "a head that is too long")
        client.settimeout(max(0.01, ends - time.monotonic()))
        try:
            chunk = client.recv(4096) if time.monotonic() < ends else b""
        except TimeoutError:
            chunk = b""
        if not chunk:
            if time.monotonic() >= ends:
                raise Refused("408 Request Timeout", "a head that was not sent in time")
            raise Refused("400 Bad Request", "a head that breaks off")
        data += chunk
    if found > limit_bytes:
        raise Refused("431 Request Header Fields Too Large", "a head that is too long")
    return bytes(data[:found]), bytes(data[found + len(_END) :])


def parse_head(head: bytes) -> Head:
    """Return what is asked; raises `Refused` for what is malformed or could be read in two ways."""
    lines = head.decode("latin-1").split("\r\n")
    line = _LINE.fullmatch(lines[0])
    fields = [_FIELD.fullmatch(field) for field in lines[1:]]
    if line is None or None in fields or len(fields) > _MAX_FIELDS:
        raise Refused("400 Bad Request", "a malformed head")
    pairs = tuple((field[1], field[2].strip()) for field in fields if field is not None)
    method, target = line[1], line[2]
    names = [name.lower() for name, _ in pairs]
    lengths = [value for name, value in pairs if name.lower() == "content-length"]
    if "transfer-encoding" in names or "upgrade" in names or any(value != "0" for value in lengths):
        raise Refused("400 Bad Request", "a request with a body", target)
    if names.count("host") > 1 or len(lengths) > 1:
        raise Refused("400 Bad Request", "a field that is there twice", target)
    if method == "CONNECT":
        host, port = _authority(target, None)
        return Head(method, host, port, "", pairs)
    if method not in ("GET", "HEAD"):
        raise Refused("405 Method Not Allowed", f"the method {method}", target)
    parts = _TARGET.fullmatch(target)
    if parts is None:
        raise Refused("400 Bad Request", "an address that is none of http", target)
    host, port = _authority(parts[1], _HTTP_PORT)
    path = parts[2] or "/"
    return Head(method, host, port, path if path.startswith("/") else f"/{path}", pairs)


def _authority(text: str, default: int | None) -> tuple[str, int]:
    match = _AUTHORITY.fullmatch(text)
    port = default if match is None or match[2] is None else int(match[2])
    if match is None or port is None or not 0 < port < 65536:
        raise Refused("400 Bad Request", "a malformed address", text)
    host = match[1].strip("[]").lower()
    address = address_of(host)
    return (host if address is None else str(address)), port
