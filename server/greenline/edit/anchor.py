"""Finds accepted hunks again by their anchors: never a wrong place, rather none. Pure.

A place counts where it is the only one that says what the anchor says. Each line stands for itself: one that
was rewritten since is nobody's.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise

from greenline.core.anchor import Anchor, Common, common_at, places_of, weight
from greenline.edit.hunk import Span
from greenline.edit.matcher import BoundedMatcher

Rows = tuple[int | None, ...]
"""For each line of an anchor the row where it is now, or None where it is gone."""

_ENOUGH = 30
"""How many letters and digits of the lines and their neighbours must agree."""
_PLENTY = 60
"""How many of the lines alone say enough, without a neighbour."""
_ALIKE = 0.8
"""How much of a line's words must be the same for it to be the same line."""
_MIN_PIN = 4
_WORD = re.compile(r"\w+|[^\w\s]+")


def locate(anchor: Anchor, lines: Sequence[str]) -> Rows | None:
    """Return where an anchor's lines are in a text's plain lines, or None where that cannot be told."""
    places = places_of(anchor.lines, lines)
    if places:
        start = _the_one(anchor, lines, places)
        return None if start is None else tuple(range(start, start + len(anchor.lines)))
    return _parts(anchor, lines)


def follow(anchor: Anchor, rows: Rows, spans: Sequence[Span], lines: Sequence[str]) -> Rows | None:
    """Return where an anchor's lines are after changes that led to other lines, or None where all are gone.

    A line that changed is still the same one where most of its words are; one that came back is found again.
    """
    moved = [
        None if row is None else _moved(row, spans, wanted, lines) for row, wanted in _pairs(anchor, rows)
    ]
    for number, wanted in enumerate(anchor.lines):
        if moved[number] is None and 0 < number < len(moved) - 1:
            above, below = moved[number - 1], moved[number + 1]
            if above is not None and below == above + 2 and is_same_line(wanted, lines[above + 1].rstrip()):
                moved[number] = above + 1
    return tuple(moved) if any(row is not None for row in moved) else None


def is_same_line(wanted: str, line: str) -> bool:
    """Return whether a line says what another one said, but for little."""
    if wanted == line:
        return True
    words, others = _WORD.findall(wanted), _WORD.findall(line)
    if not words or not others:
        return False
    return BoundedMatcher(words, others).ratio() >= _ALIKE


def _pairs(anchor: Anchor, rows: Rows) -> list[tuple[int | None, str]]:
    return list(zip(rows, anchor.lines, strict=True))


def _moved(row: int, spans: Sequence[Span], wanted: str, lines: Sequence[str]) -> int | None:
    after = bisect_left(spans, row + 1, key=lambda span: span.start)
    if not after:
        return row
    span = spans[after - 1]
    if row >= span.end:
        return row + span.to_end - span.end
    there = row - span.start + span.to_start
    is_line_by_line = span.end - span.start == span.to_end - span.to_start
    return there if is_line_by_line and is_same_line(wanted, lines[there].rstrip()) else None


def _the_one(anchor: Anchor, lines: Sequence[str], places: Sequence[int]) -> int | None:
    """Return the place that has more neighbours in common than any other has, or ever had."""
    if len(places) < anchor.n_alike:
        # One of them is gone, and which one cannot be told.
        return None
    known = [(common_at(anchor, lines, place), place) for place in places]
    best, place = max(known, key=lambda item: item[0].total)
    others = [common for common, other in known if other != place]
    # One that has more in common above, and less below, is a copy or is not: nobody knows.
    if best.total <= anchor.rival or not all(_is_better(best, other) for other in others):
        return None
    # A copy that is put at an end of a text has that end for its neighbour too.
    has_neighbour = best.total > best.n_ends
    if others and not has_neighbour:
        return None
    own = sum(map(weight, anchor.lines))
    is_rare = any(0 <= n - len(anchor.above) < len(anchor.lines) for n in anchor.singles)
    if own + best.weight < _ENOUGH or not (has_neighbour or (own >= _PLENTY and is_rare)):
        return None
    return place


def _is_better(one: Common, other: Common) -> bool:
    return one.above >= other.above and one.below >= other.below and one.total > other.total


def _parts(anchor: Anchor, lines: Sequence[str]) -> Rows | None:
    """Return where the lines are that were left as they were, or nearly so, between others that were."""
    block = anchor.block
    pins = _pins(anchor, block, lines)
    rows: dict[int, int] = dict(pins)
    edges = [(-1, -1)] if anchor.at_start else []
    edges += [*pins]
    edges += [(len(block), len(lines))] if anchor.at_end else []
    for (number, row), (to_number, to_row) in pairwise(edges):
        rows.update(_between(block, lines, (number + 1, to_number), (row + 1, to_row)))
    if sum(weight(block[number]) for number in rows) < _ENOUGH:
        return None
    first = len(anchor.above)
    found = tuple(rows.get(first + number) for number in range(len(anchor.lines)))
    return found if any(row is not None and lines[row] for row in found) else None


def _pins(anchor: Anchor, block: Sequence[str], lines: Sequence[str]) -> list[tuple[int, int]]:
    """Return lines that the text held once and holds once: the longest order that both have in common."""
    wanted = {block[number]: number for number in anchor.singles if weight(block[number]) >= _MIN_PIN}
    counts = Counter(line for line in lines if line in wanted)
    pairs = [(wanted[line], row) for row, line in enumerate(lines) if counts[line] == 1 and line in wanted]
    ends: list[int] = []
    last: list[int] = []
    before: list[int] = []
    for at, (number, _) in enumerate(pairs):
        length = bisect_left(ends, number)
        ends[length : length + 1] = [number]
        last[length : length + 1] = [at]
        before.append(last[length - 1] if length else -1)
    chain: list[tuple[int, int]] = []
    at = last[-1] if last else -1
    while at >= 0:
        chain.append(pairs[at])
        at = before[at]
    return chain[::-1]


def _between(
    block: Sequence[str], lines: Sequence[str], numbers: tuple[int, int], rows: tuple[int, int]
) -> dict[int, int]:
    """Return which lines between two known ones are which; a row that could be two of them is none."""
    (first, last), (top, bottom) = numbers, rows
    if last - first == bottom - top:
        pairs = zip(range(first, last), range(top, bottom), strict=True)
        return {number: row for number, row in pairs if is_same_line(block[number], lines[row])}
    n = min(last - first, bottom - top)
    head = next((k for k in range(n) if block[first + k] != lines[top + k]), n)
    tail = next((k for k in range(n) if block[last - 1 - k] != lines[bottom - 1 - k]), n)
    found = [(first + k, top + k) for k in range(head)]
    found += [(last - 1 - k, bottom - 1 - k) for k in range(tail)]
    n_rows = Counter(row for _, row in found)
    n_numbers = Counter(number for number, _ in found)
    return {number: row for number, row in found if n_rows[row] == 1 and n_numbers[number] == 1}
