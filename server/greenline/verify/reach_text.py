"""Which JavaScript, TypeScript or Go of the product reaches into the run that tests it; pure."""

from __future__ import annotations

import re
from collections.abc import Iterator

from greenline.verify.source_line import GO

_SCRIPT = re.compile(
    r"\brequire\.(?:cache|extensions)\b|\bprocess\.(?:binding|_linkedBinding)\b"
    r"|[\"'`](?:node:)?inspector(?:/promises)?[\"'`]"
)
_LOADER = re.compile(r"[\"'`](?:node:)?module[\"'`]|\bprocess\.getBuiltinModule\b")
_LOADS = re.compile(r"\._load\b|\._resolveFilename\b|\._extensions\b|\._compile\b|\.register(?:Hooks)?\(")
_STACK = re.compile(r"Error\([^)]*\)\s*\.stack\b|\bcaptureStackTrace\b|\bprepareStackTrace\b")
_READS = re.compile(r"\breadFile(?:Sync)?\b|\bcreateReadStream\b")
_GO_LINE = re.compile(
    r"flag\.Lookup\(\"test\.|HasSuffix\(.*\"\.test(?:\.exe)?\"|\bMprotect\(|^//go:linkname\b.*\btesting\."
)
_GO_CALLER = re.compile(r"\bruntime\.(?:Callers?|CallersFrames|FuncForPC|Stack)\b|\bdebug\.(?:Print)?Stack\b")
_GO_TEST = re.compile(
    r"\"[^\"]*(?:_tes?t?|_test\.go|\btesting\b\.?|\.Test\w*)\"|\"[^\"]*(?:_test\b|testing\.)[^\"]*\""
)
_GO_JOINED = re.compile(r"\"\s*\+\s*\"")


def reaches_in_text(path: str, source: bytes) -> Iterator[tuple[str, int]]:
    """Yield what a file does of it, and its 1-based line; the same thing twice is said the same."""
    text = source.decode("utf-8", "replace")
    lines = enumerate(text.split("\n"), 1)
    yield from _in_go(text, lines) if path.endswith(GO) else _in_script(text, lines)


def _in_script(text: str, lines: Iterator[tuple[int, str]]) -> Iterator[tuple[str, int]]:
    is_loader, reads = _LOADER.search(text), _READS.search(text)
    for number, line in lines:
        code = line.strip()
        if code.startswith(("//", "*", "/*")):
            continue
        match = _SCRIPT.search(code) or (is_loader and _LOADS.search(code)) or (reads and _STACK.search(code))
        if match:
            yield f"reaches for {match[0].strip('.(')}", number


def _in_go(text: str, lines: Iterator[tuple[int, str]]) -> Iterator[tuple[str, int]]:
    looks = _GO_CALLER.search(text)
    for number, line in lines:
        code = _GO_JOINED.sub("", line.strip())
        if code.startswith(("//", "*", "/*")) and not code.startswith("//go:"):
            continue
        match = _GO_LINE.search(code) or (looks and _GO_TEST.search(code))
        if match:
            yield f"reaches for {match[0]}", number
