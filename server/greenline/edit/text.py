"""What lines with exact ends are made of, and what a text is known by."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

from greenline.core.line import split_lines

__all__ = ["dominant_end", "line_end", "split_lines", "text_hash", "without_end"]


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
