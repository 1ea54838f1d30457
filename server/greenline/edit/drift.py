"""Knows how earlier edits moved the lines of a file, so that a number may be of the file as it was.

Invariant: a stated line is only told where one reading of it, before those edits or after them, fits exactly.
"""

from __future__ import annotations

import attrs

from greenline.edit.hunk import Span, changed_spans
from greenline.edit.operation import Replace

_MUCH = 50_000_000
"""Characters that may be looked through to know where edits went; past them, numbers are of no use."""


@attrs.define
class Drift:
    """The replacements of one file so far."""

    _spans: list[tuple[Span, ...]] = attrs.field(factory=list)
    _cost: int = 0
    is_known: bool = True

    def note(self, operation: Replace, start: int | None, before: str, after: str) -> None:
        """Take in a replacement that was made, at the line `start` where that is known."""
        self._cost += len(before)
        self.is_known = self.is_known and self._cost < _MUCH
        if self.is_known:
            self._spans.append(_spans(operation, start, before, after))

    def start(self, operation: Replace, text: str) -> int | None:
        """Return the line where an edit says that its search begins, in the text as it is now; else None."""
        start = operation.start
        if start is None or not self._spans:
            return start
        moved = self._moved(start) if self.is_known else None
        if moved is None or moved == start:
            return moved
        fitting = [row for row in (start, moved) if _stands_at(text, operation.search, row)]
        return fitting[0] if len(fitting) == 1 else None

    def _moved(self, row: int) -> int | None:
        """Return where a line of the file as it was is now; None where it was replaced."""
        for spans in self._spans:
            by = 0
            for span in spans:
                if span.start <= row < span.end:
                    return None
                if span.end <= row:
                    by += span.to_end - span.to_start - (span.end - span.start)
            row += by
        return row


def _spans(operation: Replace, start: int | None, before: str, after: str) -> tuple[Span, ...]:
    """Return the lines that a replacement took and put: where it says, or where its search is alone."""
    search, new = operation.search, operation.replace
    at = before.find(search)
    if start is not None:
        at = _offset(before, search, start)
    elif before.find(search, at + 1) >= 0:
        at = -1
    if at >= 0 and before[:at] + new + before[at + len(search) :] == after:
        row = before.count("\n", 0, at)
        return (Span(row, row + search.count("\n"), row, row + new.count("\n")),)
    return changed_spans(before.split("\n"), after.split("\n"))


def _offset(text: str, search: str, row: int) -> int:
    """Return where a search begins in a line, below 0 where it does not."""
    at = 0
    for _ in range(row):
        at = text.find("\n", at) + 1
        if not at:
            return -1
    end = text.find("\n", at)
    return text.find(search, at, (len(text) if end < 0 else end + 1) + len(search) - 1)


def _stands_at(text: str, search: str, row: int) -> bool:
    return _offset(text, search, row) >= 0
