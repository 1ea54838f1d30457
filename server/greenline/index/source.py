"""A file's bytes → its text as UTF-8, or the reason why it is not indexed."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable

import attrs

from greenline.core.error import InvalidInput
from greenline.index.chunk import SkipReason
from greenline.workspace.encoding import decode

MAX_FILE_BYTES = 1024 * 1024
"""Larger files are data more often than code."""
_LONG_LINE = 1000
_MINIFIED_LINE = 5000
_HEAD_BYTES = 2000
_CONTROL = bytes(code for code in range(32) if code not in b"\t\n\r\f\x1b")
_MINIFIED_NAME = re.compile(r"\.min\.(?:js|mjs|cjs|css|html)$", re.I)
_LOCK_NAMES = frozenset(
    {
        "Cargo.lock",
        "Gemfile.lock",
        "Pipfile.lock",
        "bun.lock",
        "composer.lock",
        "deno.lock",
        "flake.lock",
        "go.sum",
        "npm-shrinkwrap.json",
        "package-lock.json",
        "packages.lock.json",
        "pdm.lock",
        "pnpm-lock.yaml",
        "poetry.lock",
        "uv.lock",
        "yarn.lock",
    }
)
_COMMENT_LINE = re.compile(rb"^[ \t]*(?:#|//|/\*|\*|--|;|<!--|%|\"\"\"|''')[^\n]*", re.M)
_GENERATED = re.compile(rb"\b(?:auto-?)?generated\b", re.I)
_DO_NOT_EDIT = re.compile(rb"\bdo not (?:edit|modify|change)\b", re.I)
_MARKED = re.compile(rb"@generated\b")
_BOM = "\ufeff".encode()
_LONE_RETURN = re.compile(rb"\r(?!\n)")


@attrs.frozen
class Source:
    """A text that is indexed."""

    text: bytes
    """UTF-8 without a byte order mark; every line ends in a line feed."""
    content_hash: bytes
    """Of the bytes as stored."""


@attrs.frozen
class Refused:
    """A file that is not indexed."""

    reason: SkipReason
    detail: str = ""


def hash_content(data: bytes) -> bytes:
    """Return BLAKE2b-128 of a file's bytes."""
    return hashlib.blake2b(data, digest_size=16).digest()


def read_source(path: str, data: bytes) -> Source | Refused:
    """Decode a file and look at what it is; `path` is relative, its name tells of minified and lock files."""
    refused = too_large(len(data)) or _binary(data)
    if refused is not None:
        return refused
    try:
        text = _to_utf8(data)
    except InvalidInput:
        return Refused(SkipReason.BINARY, "no text in any encoding")
    text = _LONE_RETURN.sub(b"\n", text) if text.count(b"\r") != text.count(b"\r\n") else text
    refused = _minified(path, text) or _generated(path, text)
    return refused or Source(text, hash_content(data))


def from_buffer(text: str) -> Source:
    """Return an open buffer's text; what the user looks at is indexed whatever it is."""
    data = text.encode("utf-8", "replace")
    return Source(_LONE_RETURN.sub(b"\n", data.removeprefix(_BOM)), hash_content(data))


def too_large(size: int) -> Refused | None:
    """Return the refusal of a file of so many bytes."""
    if size <= MAX_FILE_BYTES:
        return None
    return Refused(SkipReason.TOO_LARGE, f"{size} bytes; the limit is {MAX_FILE_BYTES}")


def _binary(data: bytes) -> Refused | None:
    if b"\0" in data:
        if data[:4].startswith((b"\xff\xfe", b"\xfe\xff", b"\0\0\xfe\xff")):
            return None
        return Refused(SkipReason.BINARY, f"a NUL byte at offset {data.index(0)}")
    head = data[:8000]
    n_control = len(head) - len(head.translate(None, _CONTROL))
    if n_control * 50 > len(head):
        return Refused(SkipReason.BINARY, f"{n_control} control characters in the first {len(head)} bytes")
    return None


def _to_utf8(data: bytes) -> bytes:
    """Return the text as UTF-8; most files are already, and need no copy."""
    if not data.startswith((b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff", b"\0\0\xfe\xff")):
        try:
            data.decode("utf-8")
        except UnicodeDecodeError:
            pass
        else:
            return data
    return decode(data).text.encode("utf-8", "replace")


def _minified(path: str, text: bytes) -> Refused | None:
    if _MINIFIED_NAME.search(path):
        return Refused(SkipReason.MINIFIED, "its name says so")
    if len(text) < _MINIFIED_LINE:
        return None
    lengths = list(map(len, text.split(b"\n")))
    longest = max(lengths)
    if longest > _MINIFIED_LINE and sum(n for n in lengths if n > _LONG_LINE) * 2 > len(text):
        return Refused(SkipReason.MINIFIED, f"a line of {longest} bytes")
    return None


def _generated(path: str, text: bytes) -> Refused | None:
    if path.rpartition("/")[2] in _LOCK_NAMES:
        return Refused(SkipReason.GENERATED, "a lock file")
    comments = b"\n".join(_COMMENT_LINE.findall(text[:_HEAD_BYTES]))
    tests: tuple[Callable[[bytes], object], ...] = (_GENERATED.search, _DO_NOT_EDIT.search)
    if _MARKED.search(comments) or all(test(comments) for test in tests):
        return Refused(SkipReason.GENERATED, "a comment at its head says so")
    return None
