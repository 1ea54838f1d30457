"""The lines of texts that are looked at again and again: each text is cut once, and one that changed in part.

Only what is remembered is shared: nobody changes a list that came from here. For one thread.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate

from greenline.edit.text import split_lines

_KEPT = 8
_known: dict[str, Sequence[str]] = {}
_starts: dict[str, Sequence[int]] = {}


def lines_of(text: str) -> Sequence[str]:
    """Return a text's lines with their ends."""
    lines = _known.get(text)
    return remember(text, split_lines(text)) if lines is None else lines


def starts_of(text: str) -> Sequence[int]:
    """Return the offsets of a text's lines, and of its end."""
    starts = _starts.get(text)
    if starts is None:
        starts = _starts[text] = list(accumulate(map(len, lines_of(text)), initial=0))
        while len(_starts) > _KEPT:
            del _starts[next(iter(_starts))]
    return starts


def remember(text: str, lines: Sequence[str]) -> Sequence[str]:
    """Keep the lines of a text that came about by changing some of them."""
    _known[text] = lines
    while len(_known) > _KEPT:
        del _known[next(iter(_known))]
    return lines
