"""Tells where hunks stand after their undo: where they were taken back, and in no other such lines. Pure.

Invariant: a place is told only where the hunks, put there again, give the very text that the undo changed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import attrs

from greenline.core.edit import Hunk
from greenline.core.error import EditRejected
from greenline.edit.hunk import Span, apply_to_lines, changed_spans, moved
from greenline.edit.text import split_lines, text_hash
from greenline.journal.checkpoint import Mark


@attrs.frozen
class Stage:
    """One change of a file that is taken back, and the hunks of it that go."""

    before: str
    after: str
    marks: tuple[Mark, ...]
    """With the lines of `after` that each hunk wrote."""


def places(
    now: str, restored: str, stages: Sequence[Stage], hunks: Mapping[str, Hunk], bases: Mapping[str, str]
) -> dict[str, Hunk | None]:
    """Return each hunk of the stages, newest first, on the text after the undo; None where nothing tells.

    `now` is the text that the undo found, and `bases` are texts that hunks were made against, by their hash.
    """
    ids = [mark.hunk_id for stage in stages for mark in stage.marks]
    told = _by_marks(now, stages, hunks)
    if now != restored and not _is_way_back(told, ids, now, restored):
        told = _by_bases([hunks[hunk_id] for hunk_id in ids if hunk_id in hunks], restored, bases)
        if not _is_way_back(told, ids, now, restored):
            told = {}
    lines = split_lines(restored)
    base_hash = text_hash(restored)
    found: dict[str, Hunk | None] = dict.fromkeys(ids)
    for hunk_id, hunk in told.items():
        if "".join(lines[hunk.start_line : hunk.end_line]) == hunk.before:
            found[hunk_id] = attrs.evolve(hunk, base_hash=base_hash)
    return found


def _by_marks(now: str, stages: Sequence[Stage], hunks: Mapping[str, Hunk]) -> dict[str, Hunk]:
    """Return hunks where the lines that they wrote are taken out of the text, change by change."""
    told: dict[str, Hunk] = {}
    text = now
    for stage in stages:
        wrote = _written(stage.marks, hunks)
        if text != stage.before:
            lines = split_lines(text)
            spans = _way(split_lines(stage.after), lines)
            wrote = [there for hunk in wrote if (there := moved(hunk, spans, lines)) is not None]
            try:
                text = apply_to_lines(lines, wrote)
            except EditRejected:
                return {}
        told = {hunk_id: _shifted(hunk, wrote) for hunk_id, hunk in told.items()}
        growth = 0
        for back in wrote:
            hunk = hunks[back.id]
            start, height = back.start_line + growth, len(split_lines(hunk.before))
            told[back.id] = attrs.evolve(hunk, start_line=start, end_line=start + height)
            growth += height - (back.end_line - back.start_line)
    return told


def _written(marks: Sequence[Mark], hunks: Mapping[str, Hunk]) -> list[Hunk]:
    """Return the hunks turned round, on the text that they led to, where their lines are known."""
    return [
        attrs.evolve(
            hunks[mark.hunk_id],
            start_line=mark.start_line,
            end_line=mark.end_line,
            before=hunks[mark.hunk_id].after,
            after=hunks[mark.hunk_id].before,
        )
        for mark in sorted(marks, key=lambda mark: (mark.start_line, mark.end_line or 0))
        if mark.end_line is not None and mark.hunk_id in hunks
    ]


def _shifted(hunk: Hunk, wrote: Sequence[Hunk]) -> Hunk:
    """Move a hunk along with others above it that are taken back after it."""
    by = sum(
        len(split_lines(back.after)) - (back.end_line - back.start_line)
        for back in wrote
        if back.end_line <= hunk.start_line
    )
    return attrs.evolve(hunk, start_line=hunk.start_line + by, end_line=hunk.end_line + by)


def _by_bases(hunks: Sequence[Hunk], restored: str, bases: Mapping[str, str]) -> dict[str, Hunk]:
    """Return hunks where a comparison with the texts that they were made against has them."""
    lines = split_lines(restored)
    told = {}
    for hunk in hunks:
        base = bases.get(hunk.base_hash)
        there = None if base is None else moved(hunk, changed_spans(split_lines(base), lines), lines)
        if there is not None:
            told[hunk.id] = there
    return told


def _is_way_back(told: Mapping[str, Hunk], ids: Sequence[str], now: str, restored: str) -> bool:
    """Return whether the hunks, put into the text after the undo, give the one before it."""
    if set(told) != set(ids):
        return False
    try:
        return apply_to_lines(split_lines(restored), told.values()) == now
    except EditRejected:
        return False


def _way(lines: Sequence[str], later: Sequence[str]) -> list[Span]:
    """Return how lines became others, as the merge of an undo compares them."""
    return [Span(s.to_start, s.to_end, s.start, s.end) for s in changed_spans(later, lines)]
