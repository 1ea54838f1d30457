"""Where a comparison of two texts could as well have said another thing; pure.

Lines that were added or removed among equal ones may have been any of them: the same two texts come from
several changes, and only who saw the change knows which it was.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence

from greenline.core.edit import Hunk
from greenline.edit.hunk import Span


def is_doubtful(hunk: Hunk, spans: Sequence[Span], before: Sequence[str], after: Sequence[str]) -> bool:
    """Return whether a span, moved among equal lines to another that says the same, would meet the hunk.

    The spans are in order, and none touches the hunk; beyond the nearest ones other lines differ as well.
    """
    below = bisect_left(spans, hunk.end_line, key=lambda span: span.start)
    above = bisect_right(spans, hunk.start_line, key=lambda span: span.end) - 1
    near = {number for number in (above, below) if 0 <= number < len(spans)}
    return any(_may_meet(hunk, spans[number], before, after) for number in near)


def _may_meet(hunk: Hunk, span: Span, before: Sequence[str], after: Sequence[str]) -> bool:
    if span.start == span.end:
        lines, start, end = after, span.to_start, span.to_end
    elif span.to_start == span.to_end:
        lines, start, end = before, span.start, span.end
    else:
        return False
    if span.end <= hunk.start_line:
        # Down to the hunk, and past it.
        gap = hunk.start_line - span.end
        return _n_equal(lines, start, end, 1, gap + 1) > gap
    gap = span.start - hunk.end_line
    return gap >= 0 and _n_equal(lines, start - 1, end - 1, -1, gap + 1) > gap


def _n_equal(lines: Sequence[str], at: int, other: int, step: int, limit: int) -> int:
    """Return over how many lines two places of a text agree, one way, `limit` at most."""
    for n in range(limit):
        if not (0 <= at < len(lines) and 0 <= other < len(lines)) or lines[at] != lines[other]:
            return n
        at, other = at + step, other + step
    return limit
