"""Keeps hunks on the text as it is: each change of a text moves them on from where they were before it.

Invariant: a hunk is only ever placed on lines that are exactly those that it replaces.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import attrs

from greenline.core.edit import Hunk
from greenline.core.error import GreenlineError
from greenline.edit.hunk import Span, changed_spans, moved
from greenline.edit.sliding import is_doubtful
from greenline.edit.text import text_hash
from greenline.lsp.lines import lines_of
from greenline.lsp.moving import Moves
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
    last: dict[str, Hunk] = attrs.field(factory=dict)
    """Hunk id → the hunk where it was before its lines were seen to go; not looked for in other lines."""
    spans: dict[str, tuple[Span, ...]] = attrs.field(factory=dict)
    """Base hash → how that text became this one."""

    @classmethod
    def of(cls, text: str) -> _Text:
        return cls(text, lines_of(text), text_hash(text))

    def lose(self, hunk_id: str, hunk: Hunk | None, known: _Text, spans: Sequence[Span]) -> None:
        """Know what became of the lines of a hunk that are gone, in the text before this or since then."""
        last = hunk or known.last.get(hunk_id)
        if last is not None:
            self.last[hunk_id] = last
            if last.base_hash == self.hash:
                self.placed[hunk_id] = last
        lost = hunk or known.lost.get(hunk_id)
        if lost is not None:
            self.lost[hunk_id] = followed(lost, spans)
            # It is looked for again where something changed there: the user may have taken that back.
            if hunk is None and not any(s.start <= lost.end_line and lost.start_line <= s.end for s in spans):
                self.placed.setdefault(hunk_id, None)


class Placing:
    """Where hunks are now; for one event loop."""

    def __init__(self, glance: Glance, base_of: Callable[[str], str | None]) -> None:
        """Look at texts with `glance`; `base_of` returns the text of a base hash, where it is known."""
        self._glance = glance
        self._base_of = base_of
        self._texts: dict[str, _Text] = {}
        self._anew: dict[str, Hunk | None] = {}
        """Hunk id → a hunk that was taken back, where that was; None where nothing tells."""
        self._awaited: dict[str, tuple[str, tuple[str, ...]]] = {}
        """Path → hash of the text that an undo leads to, and the hunks that it takes back."""

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
        anew = self._anew.get(hunk.id, hunk)
        if anew is None:
            # No place is better than another that looks the same, except in the text that it was made for.
            return seen.placed.get(hunk.id) or (hunk if seen.hash == hunk.base_hash else None)
        hunk = anew
        if hunk.id not in seen.placed or (seen.placed[hunk.id] is None and seen.hash == hunk.base_hash):
            seen.placed[hunk.id] = self._from_base(hunk, seen)
        return seen.placed[hunk.id]

    def shown(self, hunk: Hunk) -> Hunk:
        """Return the hunk where it is to be seen: where it is, or for want of that where its lines were."""
        if (there := self.place(hunk)) is not None:
            return there
        seen = self._texts.get(hunk.path)
        return hunk if seen is None else seen.lost.get(hunk.id, hunk)

    def take_back(self, path: str, text: str, hunks: Mapping[str, Hunk | None]) -> None:
        """Know where hunks will stand in a text that an undo is about to lead to; None: nothing tells."""
        self._anew.update(hunks)
        self._awaited[path] = (text_hash(text), tuple(hunks))

    def awaits(self, path: str) -> bool:
        """Return whether an undo has led to a file's text, or is about to."""
        return path in self._awaited

    def follow(self, path: str, moves: Moves) -> None:
        """Move the hunks of a file along with changes that are known; those of another text are not moved."""
        known = self._texts.get(path)
        try:
            now = self._glance(path)
        except GreenlineError:
            return
        if now is not None and known is None and self.awaits(path):
            self._seen(path, now.text)
        if known is None or now is None or known.text != moves.before:
            return
        seen = self._texts[path] = _Text.of(now.text)
        for hunk_id, hunk in known.placed.items():
            there = None if hunk is None else moves.follow(hunk, seen.lines)
            last, lost = hunk or known.last.get(hunk_id), hunk or known.lost.get(hunk_id)
            if there is None and lost is not None:
                seen.lost[hunk_id], there = moves.follow_lost(lost, seen.lines)
                if last is not None:
                    seen.last[hunk_id] = last
                    there = last if last.base_hash == seen.hash else there
            elif there is None:
                continue
            seen.placed[hunk_id] = None if there is None else attrs.evolve(there, base_hash=seen.hash)
        self._meet(path, seen)

    def forget(self, path: str) -> None:
        """Place the hunks of a file from their bases again."""
        self._texts.pop(path, None)

    def seek(self) -> None:
        """Look again, from their bases, for the hunks whose lines are gone."""
        for seen in self._texts.values():
            seen.placed = {hunk_id: hunk for hunk_id, hunk in seen.placed.items() if hunk is not None}
            seen.last.clear()

    def _seen(self, path: str, text: str) -> _Text:
        known = self._texts.get(path)
        if known is not None and (known.text is text or known.text == text):
            return known
        seen = self._texts[path] = _Text.of(text)
        if known is not None:
            spans = changed_spans(known.lines, seen.lines)
            for hunk_id, hunk in known.placed.items():
                if hunk is not None and (there := _moved(hunk, spans, known.lines, seen)) is not None:
                    seen.placed[hunk_id] = there
                else:
                    seen.lose(hunk_id, hunk, known, spans)
        self._meet(path, seen)
        return seen

    def _meet(self, path: str, seen: _Text) -> None:
        """Put the hunks that an undo takes back where they stand, once the text is what it leads to."""
        hash_then, hunk_ids = self._awaited.get(path, ("", ()))
        if seen.hash == hash_then:
            seen.placed |= {hunk_id: self._anew[hunk_id] for hunk_id in hunk_ids}

    def _from_base(self, hunk: Hunk, seen: _Text) -> Hunk | None:
        if seen.hash == hunk.base_hash:
            return hunk
        there = self._searched(hunk, seen)
        if there is None and hunk.id not in seen.lost and (base := self._base_of(hunk.base_hash)) is not None:
            seen.lost[hunk.id] = followed(hunk, self._spans(hunk.base_hash, base, seen))
        return there

    def _searched(self, hunk: Hunk, seen: _Text) -> Hunk | None:
        if hunk.before not in seen.text:
            return None
        base = self._base_of(hunk.base_hash)
        if base is None:
            return find_once(hunk, seen.lines, seen.hash)
        return _moved(hunk, self._spans(hunk.base_hash, base, seen), lines_of(base), seen)

    def _spans(self, base_hash: str, base: str, seen: _Text) -> tuple[Span, ...]:
        if base_hash not in seen.spans:
            seen.spans[base_hash] = changed_spans(lines_of(base), seen.lines)
        return seen.spans[base_hash]


def followed(hunk: Hunk, spans: Sequence[Span]) -> Hunk:
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


def _moved(hunk: Hunk, spans: Sequence[Span], before: Sequence[str], seen: _Text) -> Hunk | None:
    """Return a hunk where a comparison of two texts puts it; None where they say that of several places."""
    there = moved(hunk, spans, seen.lines)
    if there is None or is_doubtful(hunk, spans, before, seen.lines):
        return None
    return attrs.evolve(there, base_hash=seen.hash)
