"""Text with exact line ends: the three that LSP knows, and no others."""

from __future__ import annotations

import re

_LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+")
_OTHER_ENDS = "\v\f\x1c\x1d\x1e\x85\u2028\u2029"
"""What Python alone takes for the end of a line."""


_BLANKS_AT_AN_END = ("\r", " \n", "\t\n", "\x1f", *_OTHER_ENDS)


def split_plain(text: str) -> list[str]:
    """Split into lines without their ends and without the blanks before these."""
    if text.isascii() and not any(blank in text for blank in _BLANKS_AT_AN_END):
        # Nothing is to be taken off but the ends, so one pass over the text is enough.
        lines = text.rstrip(" \t").split("\n")
        return lines if text[-1:] not in ("", "\n") else lines[:-1]
    return [line.rstrip() for line in split_lines(text)]


def split_lines(text: str) -> list[str]:
    r"""Split into lines that keep their ends; only ``\n``, ``\r\n`` and ``\r`` end a line, as in LSP.

    Joining the result gives `text` back; a form feed or U+2028 stays inside its line.
    """
    if any(end in text for end in _OTHER_ENDS):
        return _LINE.findall(text)
    return text.splitlines(keepends=True)
