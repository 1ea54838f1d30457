"""Where the hunks that were accepted, today or weeks ago, are in the texts of now; lives on one event loop.

Invariant: a line is only ever given to a hunk that its anchor, the user's edits since, or git tell it is of.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import attrs

from greenline.core.anchor import Anchor, Owner, anchor_at, hash_of
from greenline.core.error import GreenlineError
from greenline.core.line import split_plain
from greenline.edit.anchor import Rows, follow, locate
from greenline.edit.hunk import changed_spans
from greenline.edit.lineage import find_moved, settle
from greenline.lsp.lines import lines_of
from greenline.lsp.placing import Glance
from greenline.workspace.blame import Committed

if TYPE_CHECKING:
    from greenline.journal.checkpoint_store import CheckpointStore

_MAX_FILES = 64
_MAX_GONE = 200
_MAX_TRIES = 3
_AT_ONCE = 200_000
"""How many lines may be compared before an opened document is answered for."""


@attrs.define(eq=False)
class _Seen:
    """One file's text as it was last seen, and where hunks are in it."""

    text: str
    rows: dict[str, Rows] = attrs.field(factory=dict)
    """Hunk id → its rows."""
    lost: set[str] = attrs.field(factory=set)
    """Hunks that are nowhere in this text."""

    def plain(self) -> list[str]:
        return split_plain(self.text)


@attrs.frozen
class _Search:
    """What is to be found in one text, on a thread."""

    path: str
    lines: Sequence[str]
    own: tuple[Anchor, ...]
    gone: tuple[Anchor, ...]
    """Anchors of files that are not there any more."""
    roots: tuple[str, ...]

    def run(self) -> dict[str, Rows]:
        """Return the rows of the hunks that are found; asks git where the text does not tell."""
        text_hash = hash_of(self.lines)
        committed: Committed | None = None
        found: dict[str, Rows] = {}
        for ask, anchors in ((settle, self.own), (find_moved, self.gone)):
            for anchor in anchors:
                rows = _at_sight(anchor, self.lines, text_hash) if ask is settle else None
                if rows is None:
                    committed = committed or Committed(self.path, self.roots)
                    rows = ask(anchor, self.lines, committed)
                if rows is not None:
                    found[anchor.hunk_id] = rows
        return found


class Accepted:
    """The accepted hunks of one workspace."""

    def __init__(self, store: CheckpointStore, glance: Glance, roots: Callable[[], Iterable[str]]) -> None:
        """Look at texts with `glance`; programs in `roots` are never taken for git."""
        self._store = store
        self._glance = glance
        self._roots = roots
        self._seen: dict[str, _Seen] = {}
        self._gone: tuple[Anchor, ...] | None = None

    async def at(self, path: str, first: int, last: int) -> list[Anchor]:
        """Return the anchors of hunks that lines `first` … `last` (inclusive) are of, the newest first."""
        real = _real(path)
        own, gone = self._store.anchors(real), self._gone_anchors(real)
        for _ in range(_MAX_TRIES):
            seen = self._look(real, path) if own or gone else None
            if seen is None:
                return []
            open_own, open_gone = (
                tuple(a for a in anchors if a.hunk_id not in seen.rows and a.hunk_id not in seen.lost)
                for anchors in (own, gone)
            )
            if not open_own and not open_gone:
                return [a for a in (*own, *gone) if _touches(seen.rows.get(a.hunk_id, ()), first, last)]
            search = _Search(real, seen.plain(), open_own, open_gone, tuple(self._roots()))
            found = await asyncio.to_thread(search.run)
            seen.rows.update(found)
            seen.lost.update({a.hunk_id for a in (*open_own, *open_gone)} - set(found))
        return []

    def landed(self, path: str, text: str, anchors: Iterable[Anchor]) -> None:
        """Take over where hunks were put in a text; one that was typed in since is looked through."""
        self._gone = None
        real = _real(path)
        seen = self._look(real, path)
        if seen is None or seen.text != text:
            self.opened(path)
            return
        for anchor in anchors:
            seen.rows[anchor.hunk_id] = tuple(range(anchor.start_line, anchor.start_line + len(anchor.lines)))
            seen.lost.discard(anchor.hunk_id)

    def opened(self, path: str) -> None:
        """Find what can be found at sight, so that the user's edits are followed from the first one on."""
        self._gone = None
        real = _real(path)
        anchors = self._store.anchors(real)
        seen = self._look(real, path) if anchors else None
        if seen is None:
            return
        unknown = [anchor for anchor in anchors if anchor.hunk_id not in seen.rows]
        if not unknown or len(lines_of(seen.text)) * len(unknown) > _AT_ONCE:
            return
        lines = seen.plain()
        text_hash = hash_of(lines)
        for anchor in unknown:
            if (rows := _at_sight(anchor, lines, text_hash)) is not None:
                seen.rows[anchor.hunk_id] = rows

    def changed(self, path: str) -> None:
        """Move hunks along with an edit; cheap where none is known in the file."""
        if self._seen and (real := _real(path)) in self._seen:
            self._look(real, path)

    def saved(self, path: str) -> None:
        """Store where hunks stand by now, for the time after this server."""
        real = _real(path)
        seen = self._look(real, path) if real in self._seen else None
        if seen is None or not seen.rows:
            return
        lines = seen.plain()
        moved = []
        for anchor in (*self._store.anchors(real), *self._gone_anchors(real)):
            rows = seen.rows.get(anchor.hunk_id)
            if rows is None or rows[0] is None or rows != tuple(range(rows[0], rows[0] + len(rows))):
                # What is left of it is found by what it was; less than that would only say less.
                continue
            owner = Owner(anchor.hunk_id, anchor.proposal_id, real, anchor.accepted)
            there = anchor_at(owner, lines, rows[0], rows[0] + len(rows))
            if there is not None and there != anchor:
                moved.append(there)
        if moved:
            self._store.move_anchors(moved)
            self._gone = None

    def files_changed(self) -> None:
        """Look anew which files are gone: some were moved, made or deleted."""
        self._gone = None

    def _look(self, real: str, path: str) -> _Seen | None:
        """Return a file's text of now with the hunks moved onto it, or None where it has no text."""
        try:
            now = self._glance(path)
        except GreenlineError:
            now = None
        if now is None:
            return None
        known = self._seen.get(real)
        if known is not None and (known.text is now.text or known.text == now.text):
            return known
        seen = _Seen(now.text)
        if known is not None and known.rows:
            anchors = {a.hunk_id: a for a in (*self._store.anchors(real), *self._gone_anchors(real))}
            lines = lines_of(now.text)
            spans = changed_spans(lines_of(known.text), lines)
            for hunk_id, rows in known.rows.items():
                anchor = anchors.get(hunk_id)
                there = None if anchor is None else follow(anchor, rows, spans, lines)
                if there is not None:
                    seen.rows[hunk_id] = there
        self._seen[real] = seen
        while len(self._seen) > _MAX_FILES:
            del self._seen[next(iter(self._seen))]
        return seen

    def _gone_anchors(self, real: str) -> tuple[Anchor, ...]:
        """Return the anchors of other files that are not there any more, which this one may have been."""
        if self._gone is None:
            gone = [path for path in self._store.anchored_paths() if not Path(path).exists()]
            self._gone = tuple(anchor for path in gone for anchor in self._store.anchors(path))[:_MAX_GONE]
        return tuple(anchor for anchor in self._gone if anchor.path != real)


def _real(path: str) -> str:
    return os.path.realpath(path)


def _at_sight(anchor: Anchor, lines: Sequence[str], text_hash: str) -> Rows | None:
    if anchor.text_hash == text_hash:
        return tuple(range(anchor.start_line, anchor.start_line + len(anchor.lines)))
    return locate(anchor, lines)


def _touches(rows: Rows, first: int, last: int) -> bool:
    return any(row is not None and first <= row <= last for row in rows)
