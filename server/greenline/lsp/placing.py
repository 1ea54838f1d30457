"""Keeps hunks on the text as it is: each change of a text moves them on from where they were before it.

Invariant: a hunk is only ever placed on lines that are exactly those that it replaces.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import attrs

from greenline.core.edit import Hunk
from greenline.core.error import GreenlineError
from greenline.edit.hunk import Span, changed_spans, moved
from greenline.edit.text import text_hash
from greenline.lsp.lines import lines_of
from greenline.lsp.review import CurrentText, find_once

Glance = Callable[[str], CurrentText | None]
"""Path → its text now, or None where it does not exist; raises `GreenlineError` for no text."""


@attrs.define(eq=False)
class _Text:
    """One file's text as it was last seen, and where hunks are in it."""

    text: str
    lines: Sequence[str]
    hash: str
    placed: dict[str, Hunk | None] = attrs.field(factory=dict)
    """Hunk id → the hunk on this text, or None where its lines are gone."""
    lost: dict[str, Hunk] = attrs.field(factory=dict)
    """Hunk id → the lines at which a hunk whose own are gone is shown."""
    spans: dict[str, tuple[Span, ...]] = attrs.field(factory=dict)
    """Base hash → how that text became this one."""

    @classmethod
    def of(cls, text: str) -> _Text:
        return cls(text, lines_of(text), text_hash(text))


class Placing:
    """Where hunks are now; for one event loop."""

    def __init__(self, glance: Glance, base_of: Callable[[str], str | None]) -> None:
        """Look at texts with `glance`; `base_of` returns the text of a base hash, where it is known."""
        self._glance = glance
        self._base_of = base_of
        self._texts: dict[str, _Text] = {}

    def place(self, hunk: Hunk) -> Hunk | None:
        """Return the hunk moved onto the current text, or None where the text that it replaces is gone."""
        try:
            now = self._glance(hunk.path)
        except GreenlineError:
            return None
        if hunk.op == "create":
            return hunk if now is None else None
        if now is None:
            return None
        if hunk.op == "delete":
            return hunk if now.text == hunk.before else None
        seen = self._seen(hunk.path, now.text)
        if hunk.id not in seen.placed:
            seen.placed[hunk.id] = self._from_base(hunk, seen)
        return seen.placed[hunk.id]

    def shown(self, hunk: Hunk) -> Hunk:
        """Return the hunk where it is to be seen: where it is, or for want of that where its lines were."""
        if (there := self.place(hunk)) is not None:
            return there
        seen = self._texts.get(hunk.path)
        return hunk if seen is None else seen.lost.get(hunk.id, hunk)

    def forget(self, path: str | None = None) -> None:
        """Place the hunks of a file, or all, from their bases again."""
        if path is None:
            self._texts.clear()
        else:
            self._texts.pop(path, None)

    def _seen(self, path: str, text: str) -> _Text:
        known = self._texts.get(path)
        if known is not None and (known.text is text or known.text == text):
            return known
        seen = self._texts[path] = _Text.of(text)
        if known is not None:
            spans = changed_spans(known.lines, seen.lines)
            for hunk_id, hunk in known.placed.items():
                # One whose lines are gone is looked for again: the user may have taken that back.
                if hunk is not None and (there := _moved(hunk, spans, seen)) is not None:
                    seen.placed[hunk_id] = there
                elif (last := hunk or known.lost.get(hunk_id)) is not None:
                    seen.lost[hunk_id] = _followed(last, spans)
        return seen

    def _from_base(self, hunk: Hunk, seen: _Text) -> Hunk | None:
        if seen.hash == hunk.base_hash:
            return hunk
        there = self._searched(hunk, seen)
        if there is None and hunk.id not in seen.lost and (base := self._base_of(hunk.base_hash)) is not None:
            seen.lost[hunk.id] = _followed(hunk, self._spans(hunk.base_hash, base, seen))
        return there

    def _searched(self, hunk: Hunk, seen: _Text) -> Hunk | None:
        if hunk.before not in seen.text:
            return None
        base = self._base_of(hunk.base_hash)
        if base is None:
            return find_once(hunk, seen.lines, seen.hash)
        return _moved(hunk, self._spans(hunk.base_hash, base, seen), seen)

    def _spans(self, base_hash: str, base: str, seen: _Text) -> tuple[Span, ...]:
        if base_hash not in seen.spans:
            seen.spans[base_hash] = changed_spans(lines_of(base), seen.lines)
        return seen.spans[base_hash]


def _followed(hunk: Hunk, spans: Sequence[Span]) -> Hunk:
    """Return a hunk over the lines that its own became, those that a change took part of included."""
    start, end = hunk.start_line, hunk.end_line
    to_start, to_end = start, end
    for span in spans:
        if span.end <= start and not (span.start == span.end == start < end):
            to_start = start + span.to_end - span.end
        elif span.start <= start < span.end:
            to_start = span.to_start
        if span.end <= end:
            to_end = end + span.to_end - span.end
        elif span.start < end < span.end:
            to_end = span.to_end
    return attrs.evolve(hunk, start_line=to_start, end_line=max(to_start, to_end))


def _moved(hunk: Hunk, spans: Sequence[Span], seen: _Text) -> Hunk | None:
    there = moved(hunk, spans, seen.lines)
    return None if there is None else attrs.evolve(there, base_hash=seen.hash)
