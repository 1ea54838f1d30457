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
        return seen

    def _from_base(self, hunk: Hunk, seen: _Text) -> Hunk | None:
        if seen.hash == hunk.base_hash:
            return hunk
        if hunk.before not in seen.text:
            return None
        if hunk.base_hash not in seen.spans:
            base = self._base_of(hunk.base_hash)
            if base is None:
                return find_once(hunk, seen.lines, seen.hash)
            seen.spans[hunk.base_hash] = changed_spans(lines_of(base), seen.lines)
        return _moved(hunk, seen.spans[hunk.base_hash], seen)


def _moved(hunk: Hunk, spans: Sequence[Span], seen: _Text) -> Hunk | None:
    there = moved(hunk, spans, seen.lines)
    return None if there is None else attrs.evolve(there, base_hash=seen.hash)
