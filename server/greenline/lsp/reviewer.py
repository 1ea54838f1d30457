"""Review, undo and re-verification: one at a time, each all or nothing.

Invariant: a hunk is accepted by a decision that names it, and by nothing else.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import attrs

from greenline.core.agent_port import AgentClient
from greenline.core.document import Overlays
from greenline.core.edit import Hunk, HunkState
from greenline.core.error import EditRejected, NotFound
from greenline.core.event import Event
from greenline.core.task import Proposal, RunState
from greenline.edit.change import marks_of
from greenline.edit.undo import Undone
from greenline.journal.checkpoint import Checkpoint, CheckpointState
from greenline.lsp.decision import Decision, Editor, Need, Refusal, Refused, Review, decided, refusals
from greenline.lsp.landing import Buffers, Change, Landed, Landing, Late
from greenline.lsp.measure import measured_change
from greenline.lsp.review import file_edits
from greenline.lsp.shelf import Shelf, unmet
from greenline.lsp.standing import Standing
from greenline.lsp.undo import UndoneInEditor, chosen, texts_of_undone, undo_in_editor

if TYPE_CHECKING:
    from greenline.core.port import Journal
    from greenline.journal.checkpoint_store import CheckpointStore

_GONE = "The text that it replaces is gone: reject it, or undo your edit of those lines."


@attrs.frozen
class Bench:
    """What a review works with."""

    roots: Callable[[], tuple[str, ...]]
    """The folders that are open now."""
    journal: Journal
    checkpoints: CheckpointStore
    agent: AgentClient
    shelf: Shelf
    standing: Standing
    buffers: Buffers
    require_inside: Callable[[str], object]
    """Raises `OutsideWorkspace` for a path in no root."""
    overlays: Callable[[], Overlays]
    on_event: Callable[[Event], None]
    on_accepted: Callable[[Landed], None]
    """Told of accepted hunks once they are in the editor's texts."""


class Reviewer:
    """Decides about hunks in one editor; for one event loop."""

    def __init__(self, bench: Bench) -> None:
        self._bench = bench
        self._shelf = bench.shelf
        self._journal = bench.journal
        self._landing = Landing(bench.buffers, bench.checkpoints, self._heard_late)
        self._reviewing = asyncio.Lock()

    async def stop(self) -> None:
        """Wait for nothing any longer that an editor may still answer."""
        await self._landing.stop()

    async def review(self, proposal_id: str, decisions: Sequence[Decision], editor: Editor) -> Review:
        """Apply and reject hunks; with any conflict nothing is applied and all stay pending."""
        async with self._reviewing:
            proposal = self._shelf.proposal(proposal_id)
            hunks = decided(proposal, decisions)
            accepted = [h for h, d in zip(hunks, decisions, strict=True) if d.accept]
            checkpoint_id: str | None = None
            if accepted:
                try:
                    landed = await self._accept(proposal, accepted, editor)
                except Refused as error:
                    self._shelf.tell_again(proposal)
                    return Review(refused=error.refusals)
                if landed.failures:
                    self._shelf.tell_again(proposal)
                    return Review(refused=refusals(accepted, landed.failures))
                checkpoint_id = landed.checkpoint.id
                for event in landed.events:
                    self._bench.on_event(event)
                self._bench.on_accepted(landed)
            states = {d.hunk_id: HunkState.ACCEPTED if d.accept else HunkState.REJECTED for d in decisions}
            after = proposal.with_states(states, {d.hunk_id: d.comment for d in decisions})
            if len(accepted) == len(decisions) and not any(d.comment for d in decisions):
                # The checkpoint's end has written the states.
                self._shelf.keep(after)
            else:
                self._shelf.store(after)
                self._settle(after)
            rejected = tuple(d.hunk_id for d in decisions if not d.accept)
            names = tuple(h.id for h in accepted)
            return Review(names, rejected, (), checkpoint_id, _needs(proposal, names, rejected))

    async def undo(self, proposal_id: str | None, checkpoint_id: str | None, editor: Editor) -> Undone:
        """Take back a proposal, a checkpoint or the newest change; hunks that were taken back wait again."""
        async with self._reviewing:
            proposal = None if proposal_id is None else self._shelf.proposal(proposal_id)
            checkpoints = chosen(self._bench.checkpoints, proposal, checkpoint_id)
            undone = await self._undo(checkpoints, editor)
            by_hand: tuple[str, ...] = ()
            while proposal_id is checkpoint_id is None and undone.by_hand and _is_unconfirmed(checkpoints):
                # It never came into the text, and the newest change that did is meant.
                by_hand += undone.by_hand
                try:
                    checkpoints = chosen(self._bench.checkpoints, None, None)
                except NotFound:
                    break
                undone = await self._undo(checkpoints, editor)
            return attrs.evolve(undone, by_hand=tuple(dict.fromkeys((*by_hand, *undone.by_hand))))

    async def _undo(self, checkpoints: Sequence[Checkpoint], editor: Editor) -> Undone:
        bench = self._bench
        for file in (file for checkpoint in checkpoints for file in checkpoint.files):
            bench.require_inside(file.path)
        tell = self._shelf.take_back
        done = await undo_in_editor(
            bench.checkpoints, checkpoints, bench.buffers, self._landing, editor, tell
        )
        self._took_back(done)
        return done.undone

    async def verify(self, proposal_id: str) -> Proposal:
        """Measure what was accepted of a proposal in the text as it is, or what waits where nothing was.

        Raises `WrongState` where there is nothing to measure.
        """
        proposal = self._shelf.proposal(proposal_id)
        bench = self._bench
        # Before anything is awaited: what is typed from now on counts as changed since.
        written = bench.standing.measuring(proposal)
        change = await measured_change(proposal, bench.checkpoints, bench.buffers, self._shelf.placed)
        evidence = await bench.agent.verify(proposal.id, change.edit_set, bench.overlays())
        async with self._reviewing:
            # Hunks may have been decided meanwhile; what was measured is still true of what was measured.
            bench.standing.measured(proposal, written)
            proposal = self._shelf.proposal(proposal_id)
            is_whole = set(change.hunk_ids) == {hunk.id for hunk in proposal.hunks}
            evidence = attrs.evolve(evidence, measured=None if is_whole else change.hunk_ids)
            self._shelf.store(proposal.with_evidence(evidence))
            return self._shelf.proposal(proposal_id)

    async def _accept(self, proposal: Proposal, accepted: list[Hunk], editor: Editor) -> Landed:
        async def change() -> Change:
            return self._accepting(proposal, accepted)

        with self._shelf.landing(hunk.id for hunk in accepted):
            return await self._landing.land(change, editor)

    def _accepting(self, proposal: Proposal, accepted: list[Hunk]) -> Change:
        """Return the accepted hunks as a change of the text as it is now; raises `Refused`."""
        placed = [(hunk, self._shelf.placed(hunk)) for hunk in accepted]
        gone = tuple(Refusal(h, _GONE) for h, p in placed if p is None)
        if gone:
            raise Refused(gone)
        hunks = [p for _, p in placed if p is not None]
        paths = {hunk.path for hunk in accepted}
        try:
            now = {path: text for path in paths if (text := self._bench.buffers.current(path)) is not None}
            edits = file_edits(hunks, now)
        except EditRejected as error:
            raise Refused(tuple(Refusal(hunk, error.message) for hunk in accepted)) from error
        for edit in edits:
            self._bench.require_inside(edit.path)
        label = proposal.summary or "Greenline"
        marks = marks_of(proposal.id, hunks)
        return Change(
            label, edits, "accept", f"accepted {label}", self._bench.roots(), proposal.run_id, marks
        )

    async def _heard_late(self, late: Late) -> None:
        """Take up what an editor did after its request was cancelled, or had waited long enough."""
        async with self._reviewing:
            landed = await self._landing.settle(late)
            if landed is None:
                return
            change = landed.change
            if change.kind == "undo":
                texts = await asyncio.to_thread(texts_of_undone, self._bench.checkpoints, change.undoes)
                self._took_back(UndoneInEditor(Undone(), landed, landed.events, change.marks, texts))
                return
            for event in landed.events:
                self._bench.on_event(event)
            self._bench.on_accepted(landed)
            for proposal_id in sorted({mark.proposal_id for mark in change.marks}):
                self._shelf.keep(self._journal.proposal(proposal_id))

    def _settle(self, proposal: Proposal) -> None:
        """Put the run into the state that its reviewed proposal calls for."""
        state = proposal.run_state()
        if state not in (RunState.PROPOSED, self._journal.run(proposal.run_id).state):
            self._bench.on_event(self._journal.set_state(proposal.run_id, state))

    def _took_back(self, done: UndoneInEditor) -> None:
        for event in done.events:
            self._bench.on_event(event)
        landed = () if done.landed is None else done.landed.change.edits
        for text in (*done.texts, *(edit.new_text for edit in landed)):
            self._shelf.keep_base(text)
        self._shelf.seek_lost()
        for proposal_id in sorted({mark.proposal_id for mark in done.marks}):
            self._shelf.keep(self._journal.proposal(proposal_id))


def _is_unconfirmed(checkpoints: Sequence[Checkpoint]) -> bool:
    return all(checkpoint.state is CheckpointState.UNCONFIRMED for checkpoint in checkpoints)


def _needs(proposal: Proposal, accepted: Sequence[str], rejected: Sequence[str]) -> tuple[Need, ...]:
    """Return the accepted hunks that lack others now: these are not accepted with them, or were rejected.

    One that was accepted before and lacks a hunk that still waits was told of then.
    """
    missing = {hunk.id for hunk in unmet(proposal, accepted)}
    found = []
    for hunk in proposal.hunks:
        lacking = missing if hunk.id in accepted else set(rejected)
        is_in = hunk.id in accepted or hunk.state is HunkState.ACCEPTED
        if is_in and (wanted := lacking.intersection(hunk.needs)):
            found.append(Need(hunk, tuple(h for h in proposal.hunks if h.id in wanted)))
    return tuple(found)
