"""Follows lines through a document's changes as the editor tells them, line for line and without a guess.

Texts are only compared inside of what one change replaced; what lies outside of it is known.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import attrs

from greenline.core.edit import Hunk
from greenline.edit.hunk import Span, changed_spans, touches
from greenline.edit.text import split_lines
from greenline.lsp.convert import Replaced


@attrs.frozen
class Moves:
    """How one text became another."""

    before: str
    """The text before the first change."""
    changes: tuple[Replaced, ...]
    """In order; each is over the text that the one before it left."""

    def follow(self, hunk: Hunk, lines: Sequence[str]) -> Hunk | None:
        """Return a hunk on the text afterwards, whose lines are given; None where a change touched it."""
        if not hunk.before and not hunk.after:
            return hunk
        for spans in self._spans:
            if any(touches(span, hunk) for span in spans):
                return None
            by = sum(_growth(span) for span in spans if span.end <= hunk.start_line)
            hunk = _at(hunk, hunk.start_line + by, hunk.end_line + by)
        return hunk if "".join(lines[hunk.start_line : hunk.end_line]) == hunk.before else None

    def follow_lost(self, hunk: Hunk, lines: Sequence[str]) -> tuple[Hunk, Hunk | None]:
        """Return a hunk whose lines are gone over what became of them, and where they came back, if they did.

        They came back where they stand once in what was put in their place, or right beside it.
        """
        wide = hunk
        for spans in self._spans:
            hunk, wide = _over(hunk, spans, beside=False), _over(wide, spans, beside=True)
        return hunk, _found_in(wide, lines)

    @cached_property
    def _spans(self) -> tuple[tuple[Span, ...], ...]:
        """The spans of lines that differ, by change; the same for all hunks."""
        return tuple(map(_spans, self.changes))


def _spans(change: Replaced) -> tuple[Span, ...]:
    """Return the spans of lines that differ; what takes no other's place is not compared."""
    start, n_old, n_new = change.start, len(change.old), len(change.new)
    if not n_old or not n_new:
        return (Span(start, start + n_old, start, start + n_new),) if n_old or n_new else ()
    return tuple(
        Span(start + span.start, start + span.end, start + span.to_start, start + span.to_end)
        for span in changed_spans(change.old, change.new)
    )


def _over(hunk: Hunk, spans: Sequence[Span], *, beside: bool) -> Hunk:
    """Move lost lines along; with `beside`, take in what was put right before or after them."""
    start, end = hunk.start_line, hunk.end_line
    to_start, to_end = start, end
    for span in spans:
        is_before = span.end < start or (span.end == start < end and not beside)
        if is_before:
            to_start, to_end = to_start + _growth(span), to_end + _growth(span)
        elif span.start < end or span.start == start or (span.start == end and beside):
            to_start, to_end = min(to_start, span.to_start), max(span.to_end, to_end + _growth(span))
    return _at(hunk, to_start, max(to_start, to_end))


def _found_in(hunk: Hunk, lines: Sequence[str]) -> Hunk | None:
    """Return a hunk where the lines that it spans hold once what it replaces."""
    wanted = split_lines(hunk.before)
    rows = range(hunk.start_line, hunk.end_line - len(wanted) + 1)
    starts = [row for row in rows if wanted and list(lines[row : row + len(wanted)]) == wanted]
    return _at(hunk, starts[0], starts[0] + len(wanted)) if len(starts) == 1 else None


def _at(hunk: Hunk, start: int, end: int) -> Hunk:
    return attrs.evolve(hunk, start_line=start, end_line=end)


def _growth(span: Span) -> int:
    return span.to_end - span.to_start - (span.end - span.start)
