"""Text with exact line ends: the three that LSP knows, and no others."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence

_LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+")
_OTHER_ENDS = "\v\f\x1c\x1d\x1e\x85\u2028\u2029"
"""What Python alone takes for the end of a line."""


def split_lines(text: str) -> list[str]:
    r"""Split into lines that keep their ends; only ``\n``, ``\r\n`` and ``\r`` end a line, as in LSP.

    Joining the result gives `text` back; a form feed or U+2028 stays inside its line.
    """
    if any(end in text for end in _OTHER_ENDS):
        return _LINE.findall(text)
    return text.splitlines(keepends=True)


def line_end(line: str) -> str:
    """Return the end of a line that `split_lines` made, or the empty string."""
    if line.endswith("\r\n"):
        return "\r\n"
    return line[-1] if line.endswith(("\n", "\r")) else ""


def without_end(line: str) -> str:
    """Return a line without its end."""
    end = line_end(line)
    return line[: -len(end)] if end else line


def dominant_end(lines: Sequence[str]) -> str:
    r"""Return the most frequent line end, or ``\n`` where there is none."""
    text = "".join(lines)
    n_crlf = text.count("\r\n")
    counts = {"\n": text.count("\n") - n_crlf, "\r\n": n_crlf, "\r": text.count("\r") - n_crlf}
    return max(counts, key=counts.__getitem__)


def text_hash(text: str) -> str:
    """Return the SHA-256 (hex) of the text as UTF-8; lone surrogates are passed through."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
