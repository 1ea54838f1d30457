"""Text with exact line ends: the three that LSP knows, and no others."""

from __future__ import annotations

import re

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
