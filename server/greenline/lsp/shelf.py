"""The proposals that are under review, placed on the text as it is now; lives on one event loop."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Protocol

import attrs

from greenline.core.edit import Hunk, HunkState
from greenline.core.error import GreenlineError, NotFound
from greenline.core.evidence import HunkEvidence
from greenline.core.task import Proposal
from greenline.edit.text import text_hash
from greenline.lsp.lines import lines_of
from greenline.lsp.moving import Moves
from greenline.lsp.placing import Glance, Placing

if TYPE_CHECKING:
    from greenline.core.port import Journal

_MAX_REVIEWED = 20
"""How many reviewed proposals are kept whose evidence may be measured anew."""


class ProposalListener(Protocol):
    """Hears of proposals; called on the event loop."""

    def on_proposal(self, proposal: Proposal, paths: Collection[str]) -> None:
        """A proposal is new, or its hunks in these files, its evidence or its review state changed."""

    def on_hidden(self, paths: Collection[str]) -> None:
        """Hunks in these files are shown no more, since their folder is closed."""


@attrs.frozen
class PlacedHunk:
    """A pending hunk of a proposal on the text as it is now."""

    proposal: Proposal
    hunk: Hunk
    """As in the proposal."""
    placed: Hunk | None
    """On the current text; None where its base text is gone."""
    shown: Hunk
    """Where it is to be seen: where it is, or where its lines were."""

    def evidence(self) -> HunkEvidence | None:
        """Return what was measured for this hunk."""
        return next((e for e in self.proposal.evidence.hunks if e.hunk_id == self.hunk.id), None)

    def needed(self) -> tuple[Hunk, ...]:
        """Return the hunks that this one needs, directly or not, and that were not accepted."""
        return unmet(self.proposal, (self.hunk.id,)) if self.hunk.needs else ()


def unmet(proposal: Proposal, chosen: Iterable[str]) -> tuple[Hunk, ...]:
    """Return the hunks that chosen ones need, directly or not, without those chosen or accepted."""
    taken = set(chosen)
    waiting = [name for hunk in proposal.hunks if hunk.id in taken for name in hunk.needs]
    if not waiting:
        # Most hunks need no other, and each of many is asked about whenever they are shown.
        return ()
    hunks = {hunk.id: hunk for hunk in proposal.hunks}
    found: dict[str, Hunk] = {}
    while waiting:
        hunk = hunks.get(waiting.pop())
        if hunk is None or hunk.id in taken or hunk.id in found or hunk.state is HunkState.ACCEPTED:
            continue
        found[hunk.id] = hunk
        waiting += hunk.needs
    return tuple(hunk for hunk in proposal.hunks if hunk.id in found)


class Shelf:
    """Proposals with pending hunks, and reviewed ones whose evidence is partial."""

    def __init__(
        self,
        journal: Journal,
        listener: ProposalListener,
        glance: Glance,
        is_here: Callable[[str], bool],
        as_it_is: Callable[[Proposal], Proposal],
    ) -> None:
        """Keep proposals of the journal; `is_here` says whether a path lies in the open roots.

        `as_it_is` returns a proposal whose evidence tells whether its accepted lines were changed since.
        """
        self._as_it_is = as_it_is
        self._is_partial: dict[str, bool] = {}
        """Proposal id → whether the editor was last told that its evidence is partial."""
        self._journal = journal
        self._listener = listener
        self._is_here = is_here
        self._glance = glance
        self._proposals: dict[str, Proposal] = {}
        self._reviewed: dict[str, Proposal] = {}
        self._by_path: dict[str, dict[str, list[Hunk]]] = {}
        """Path → proposal id → its pending hunks."""
        self._bases: dict[str, str] = {}
        self._shown: dict[str, list[tuple[str, int]]] = {}
        """Path → hunk ids and lines as the editor was last told, below 0 for a conflict."""
        self._placing = Placing(glance, self._base_of)
        self._landing: frozenset[str] = frozenset()
        """Hunks on their way into the text, about which nothing is told before it is known how that ended."""

    # --- reading ----------------------------------------------------------------------------------------

    def pending(self, path: str | None = None) -> list[PlacedHunk]:
        """Return the pending hunks, of one file or all, each placed on the current text."""
        names = [path] if path is not None else list(self._by_path)
        waiting = [item for name in names for item in self._by_path.get(name, {}).items()]
        # An editor asks with each move of the pointer, and only what is shown has to be compared.
        shown = {name: self._as_it_is(self._proposals[name]) for name in {name for name, _ in waiting}}
        by_proposal = [(shown[proposal_id], hunk) for proposal_id, hunks in waiting for hunk in hunks]
        return [
            PlacedHunk(proposal, hunk, self._placing.place(hunk), self._placing.shown(hunk))
            for proposal, hunk in by_proposal
        ]

    def touching(self, path: str, start_line: int, end_line: int) -> list[PlacedHunk]:
        """Return the pending hunks of a file that touch lines `start_line` … `end_line` (inclusive).

        An insertion after the last line touches that line: a cursor can go no further.
        """
        items = self.pending(path)
        last_line = self._last_line(path) if items else 0
        return [
            item
            for item in items
            if min((hunk := item.shown).start_line, last_line) <= end_line
            and start_line <= max(hunk.start_line, hunk.end_line - 1)
        ]

    def _last_line(self, path: str) -> int:
        try:
            now = self._glance(path)
        except GreenlineError:
            return 0
        return 0 if now is None else max(0, len(lines_of(now.text)) - 1)

    def n_pending(self) -> int:
        """Return how many hunks wait for a review."""
        return sum(len(hunks) for by_proposal in self._by_path.values() for hunks in by_proposal.values())

    def paths(self) -> set[str]:
        """Return the files that have pending hunks."""
        return set(self._by_path)

    def partial(self, path: str) -> list[Proposal]:
        """Return the proposals of which something was accepted in a file that was not measured like that."""
        known = map(self._as_it_is, (*self._reviewed.values(), *self._proposals.values()))
        return [
            proposal
            for proposal in known
            if proposal.evidence.currency == "partial"
            and any(h.path == path and h.state is HunkState.ACCEPTED for h in proposal.hunks)
        ]

    def proposal(self, proposal_id: str) -> Proposal:
        """Return a proposal; raises `NotFound`."""
        if (known := self._proposals.get(proposal_id)) is not None:
            return known
        try:
            return self._journal.proposal(proposal_id)
        except NotFound as error:
            raise NotFound(
                f"There is no proposal {proposal_id!r}.", remedy="agent/run shows a run's proposal."
            ) from error

    def is_measured_with(self, proposal: Proposal, hunk_ids: Iterable[str]) -> bool:
        """Return whether its evidence is about what would be accepted of a proposal, these hunks included."""
        after = proposal.with_states(dict.fromkeys(hunk_ids, HunkState.ACCEPTED), {})
        if after.evidence.currency == "partial":
            return False
        # Lines are compared only where nothing else makes the evidence partial.
        current = attrs.evolve(proposal, evidence=attrs.evolve(proposal.evidence, currency="current"))
        return self._as_it_is(current).evidence.currency == "current"

    def placed(self, hunk: Hunk) -> Hunk | None:
        """Return a hunk on the current text; one that no longer waits stays as it is."""
        return self._placing.place(hunk) if hunk.state is HunkState.PENDING else hunk

    def shown(self, hunk: Hunk) -> Hunk:
        """Return a hunk where it is to be seen; one that conflicts where its lines were."""
        return self._placing.shown(hunk) if hunk.state is HunkState.PENDING else hunk

    # --- keeping ----------------------------------------------------------------------------------------

    def restore(self) -> None:
        """Take up what waits for a review in the open roots, and lay aside the rest; nothing is decided.

        Call when the roots are known, and when they are others.
        """
        for proposal in [p for p in self._proposals.values() if not self._is_about_here(p)]:
            self._lay_aside(proposal)
        for proposal in self._journal.open_proposals():
            if self._is_about_here(proposal):
                self.adopt(proposal)

    def _is_about_here(self, proposal: Proposal) -> bool:
        return any(self._is_here(hunk.path) for hunk in proposal.hunks)

    def _lay_aside(self, proposal: Proposal) -> None:
        """Show no hunk of a proposal any more, though it still waits."""
        del self._proposals[proposal.id]
        paths = {hunk.path for hunk in proposal.pending()}
        for path in paths & set(self._by_path):
            self._by_path[path].pop(proposal.id, None)
            if not self._by_path[path]:
                del self._by_path[path]
                self._placing.forget(path)
            self._shown.pop(path, None)
        self._listener.on_hidden(paths)

    def adopt(self, proposal: Proposal) -> None:
        """Keep a proposal for review; those of the same run that it replaces are superseded."""
        if not proposal.pending() or self._proposals.get(proposal.id) == proposal:
            return
        for older in [p for p in self._proposals.values() if p.run_id == proposal.run_id]:
            if older.id != proposal.id:
                self.store(older.with_states({h.id: HunkState.SUPERSEDED for h in older.pending()}, {}))
        self.keep(proposal)

    def store(self, proposal: Proposal) -> None:
        """Write a proposal into the journal, and keep it."""
        self._journal.save_proposal(proposal)
        self.keep(proposal)

    def keep(self, proposal: Proposal) -> None:
        """Keep a proposal as long as some of it waits for a review, and tell the editor about it."""
        known = self._proposals.get(proposal.id) or self._reviewed.pop(proposal.id, None)
        changed = _changed_paths(known, proposal)
        waiting: dict[str, list[Hunk]] = {}
        for hunk in proposal.pending():
            waiting.setdefault(hunk.path, []).append(hunk)
        for path in changed:
            held = self._by_path.setdefault(path, {})
            held[proposal.id] = waiting.get(path, [])
            if not held[proposal.id]:
                del held[proposal.id]
            if not held:
                del self._by_path[path]
                self._placing.forget(path)
        if proposal.pending():
            self._proposals[proposal.id] = proposal
        else:
            self._proposals.pop(proposal.id, None)
            self._reviewed[proposal.id] = proposal
            while len(self._reviewed) > _MAX_REVIEWED:
                self._reviewed.pop(next(iter(self._reviewed)))
        if not self._proposals:
            self._bases.clear()
        is_judged_anew = known is None or known.evidence != proposal.evidence
        self._tell(proposal, {hunk.path for hunk in proposal.hunks} if is_judged_anew else changed)

    def keep_base(self, text: str) -> None:
        """Remember a text that hunks may be made against."""
        self._bases[text_hash(text)] = text

    def take_back(self, path: str, text: str, hunks: Mapping[str, Hunk | None]) -> None:
        """Know where hunks will stand in the text that an undo is about to lead to; None: nothing tells."""
        self.keep_base(text)
        self._placing.take_back(path, text, hunks)

    def seek_lost(self) -> None:
        """Look again for the hunks whose lines were gone: texts went back to what they were."""
        self._placing.seek()

    # --- telling ----------------------------------------------------------------------------------------

    @contextmanager
    def landing(self, hunk_ids: Iterable[str]) -> Iterator[None]:
        """Keep still about hunks while they are put into the text."""
        self._landing = frozenset(hunk_ids)
        try:
            yield
        finally:
            self._landing = frozenset()

    def document_changed(self, path: str, moves: Moves | None = None) -> None:
        """Tell the editor about the hunks of a changed document, where they moved or came to conflict."""
        self._tell_of_evidence(path)
        if path not in self._by_path and not self._placing.awaits(path):
            return
        if moves is not None:
            self._placing.follow(path, moves)
        if path not in self._by_path:
            return
        known = [place for place in self._shown.get(path, []) if place[0] not in self._landing]
        if self._places(path) == known:
            return
        for proposal_id in list(self._by_path[path]):
            self._tell(self._proposals[proposal_id], {path})

    def _tell_of_evidence(self, path: str) -> None:
        """Tell the editor where a change of accepted lines, or its end, has another currency of evidence."""
        for proposal in (*self._reviewed.values(), *self._proposals.values()):
            if any(hunk.path == path and hunk.state is HunkState.ACCEPTED for hunk in proposal.hunks):
                is_partial = self._as_it_is(proposal).evidence.currency == "partial"
                if is_partial is not self._is_partial.get(proposal.id, is_partial):
                    self._tell(proposal, {path})
                self._is_partial[proposal.id] = is_partial

    def tell_again(self, proposal: Proposal) -> None:
        """Tell the editor how a proposal stands, though nothing was decided."""
        self._tell(proposal, {hunk.path for hunk in proposal.hunks})

    def _tell(self, proposal: Proposal, paths: Collection[str]) -> None:
        for path in paths:
            self._shown[path] = self._places(path)
        shown = self._as_it_is(proposal)
        self._is_partial[proposal.id] = shown.evidence.currency == "partial"
        self._listener.on_proposal(shown, paths)

    def _places(self, path: str) -> list[tuple[str, int]]:
        placed = [
            (hunk, self._placing.place(hunk))
            for hunks in self._by_path.get(path, {}).values()
            for hunk in hunks
            if hunk.id not in self._landing
        ]
        return [
            (hunk.id, -1 - self._placing.shown(hunk).start_line if there is None else there.start_line)
            for hunk, there in placed
        ]

    def _base_of(self, base_hash: str) -> str | None:
        if base_hash not in self._bases:
            text = self._journal.text(base_hash)
            if text is None:
                return None
            self._bases[base_hash] = text
        return self._bases[base_hash]


def _changed_paths(known: Proposal | None, proposal: Proposal) -> set[str]:
    """Return the files in which hunks are other than they were known."""
    before = {} if known is None else {hunk.id: hunk for hunk in known.hunks}
    return {hunk.path for hunk in proposal.hunks if before.get(hunk.id) != hunk}
