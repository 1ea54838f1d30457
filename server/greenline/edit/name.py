"""A path as a diff writes it: with git's quotes, and with a timestamp or a word about its version behind."""

from __future__ import annotations

import re

_ESCAPE = re.compile(rb"\\([0-7]{3}|.)", re.DOTALL)
_ESCAPES = {b"n": b"\n", b"t": b"\t", b"r": b"\r", b"a": b"\a", b"b": b"\b", b"f": b"\f", b"v": b"\v"}
_UNPLAIN = re.compile(r'[\x00-\x1f"\\\x7f-\x9f\ud800-\udfff]')
_STAMP = re.compile(
    r"(?<!\s)\s+\(?(?:\d{4}-\d\d-\d\d[T ]\d\d:\d\d.*|original|new|updated|modified|revision \d+)\)?$"
)


def quoted(name: str) -> str:
    """Return a path as git writes it: in quotes where a header or a terminal cannot show it as it is."""
    if not _UNPLAIN.search(name) and clean(name) == name == unstamped(name):
        return name
    try:
        data = name.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        data = name.encode("utf-8", "backslashreplace")
    return '"' + "".join(_written(byte) for byte in data) + '"'


def _written(byte: int) -> str:
    if byte in b'"\\':
        return "\\" + chr(byte)
    return chr(byte) if 0x20 <= byte < 0x7F else f"\\{byte:03o}"


def clean(name: str) -> str:
    """Return a path without its quotes and what stands behind a tab."""
    name = name.rstrip("\r\n")
    if name.startswith('"') and name.rstrip().rindex('"') > 0:
        return _unquote(name)
    return name.split("\t", 1)[0].rstrip()


def unstamped(name: str) -> str:
    """Return a path without a timestamp or a word such as "(modified)", which may be a part of the name."""
    return _STAMP.sub("", name)


def _unquote(name: str) -> str:
    """Undo git's C-style quoting."""
    inner = name[1 : name.rindex('"')].encode("utf-8", "surrogateescape")

    def plain(match: re.Match[bytes]) -> bytes:
        token = match.group(1)
        return bytes([int(token, 8) & 255]) if len(token) == 3 else _ESCAPES.get(token, token)

    return _ESCAPE.sub(plain, inner).decode("utf-8", "surrogateescape")
