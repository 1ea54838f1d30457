"""The front's state: roots, open documents, and proposals placed on the text as it is now.

Knows nothing of pygls or LSP types; lives on one event loop and reads the journal there.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

import attrs

from greenline.core.agent_port import AgentClient, Planned, Question
from greenline.core.document import OpenDocument, Overlays
from greenline.core.edit import Hunk, HunkState
from greenline.core.error import (
    EditRejected,
    GreenlineError,
    InvalidInput,
    NotFound,
    OutsideWorkspace,
)
from greenline.core.event import Event, EventKind
from greenline.core.evidence import HunkEvidence
from greenline.core.port import Journal
from greenline.core.task import Plan, Proposal, Run, RunState, Task, TaskContext
from greenline.edit.change import marks_of
from greenline.edit.text import text_hash
from greenline.edit.undo import Undone
from greenline.lsp.decision import Decision, Editor, Refusal, Refused, Review, decided, refusals
from greenline.lsp.landing import Change, Landed, Landing
from greenline.lsp.review import CurrentText, file_edits, place
from greenline.lsp.undo import chosen, undo_in_editor
from greenline.workspace.encoding import decode

if TYPE_CHECKING:
    from greenline.journal.checkpoint_store import CheckpointStore


class Listener(Protocol):
    """Hears what the editor should be told; called on the event loop."""

    def on_event(self, event: Event) -> None:
        """One event, after it is in the journal."""

    def on_proposal(self, proposal: Proposal) -> None:
        """A proposal is new, or its hunks, evidence or review state changed."""

    def on_question(self, run_id: str, question: Question) -> None:
        """A run waits for the user."""

    def on_interrupted(self, run_ids: tuple[str, ...]) -> None:
        """The agent's process died under these runs."""


@attrs.frozen
class PlacedHunk:
    """A pending hunk of a proposal on the text as it is now."""

    proposal: Proposal
    hunk: Hunk
    """As in the proposal."""
    placed: Hunk | None
    """On the current text; None where its base text is gone."""

    def evidence(self) -> HunkEvidence | None:
        """Return what was measured for this hunk."""
        return next((e for e in self.proposal.evidence.hunks if e.hunk_id == self.hunk.id), None)


class Session:
    """One editor, one set of roots, one agent."""

    def __init__(
        self,
        roots: tuple[str, ...],
        journal: Journal,
        agent: AgentClient,
        listener: Listener,
        state_dir: Path,
        checkpoints: CheckpointStore,
    ) -> None:
        self.roots = roots
        self.journal = journal
        self.agent = agent
        self.state_dir = state_dir
        """The server's own folder for this workspace, outside of it."""
        self._listener = listener
        self._documents: dict[str, OpenDocument] = {}
        self._proposals: dict[str, Proposal] = {}
        self._base_texts: dict[str, str] = {}
        self._placed: dict[str, tuple[str | None, Hunk | None]] = {}
        self._checkpoints = checkpoints
        self._landing = Landing(self, checkpoints)
        self.changed = asyncio.Event()
        """Set whenever a buffer is opened, changed or closed."""
        self._reviewing = asyncio.Lock()
        agent.on_event, agent.on_died = self._on_event, listener.on_interrupted
        agent.on_question = listener.on_question

    async def start(self) -> None:
        """Start the agent's side and show what still waits for a review; call once the editor listens."""
        await self.agent.start()
        for run in self.journal.runs():
            if run.proposal is not None and set(run.task.roots) & set(self.roots):
                self._adopt(run.proposal)
        if self.roots:
            await self.agent.warm()

    async def stop(self) -> None:
        """End the agent's side."""
        await self.agent.stop()

    # --- documents ------------------------------------------------------------------------------------

    def put_document(self, document: OpenDocument) -> None:
        """Take the text of an open document, new or changed."""
        self._documents[document.path] = document
        self.changed.set()

    def close_document(self, path: str) -> None:
        """Forget a buffer; the disk is the truth again."""
        self._documents.pop(path, None)
        self.changed.set()

    def current(self, path: str) -> CurrentText | None:
        """Return a file's text now, or None where it does not exist; raises `InvalidInput` for no text."""
        if (document := self._documents.get(path)) is not None:
            return CurrentText(document.text, document.version)
        try:
            data = Path(path).read_bytes()
        except OSError:
            return None
        return CurrentText(decode(data).text, None)

    def is_open(self, path: str) -> bool:
        """Return whether the editor has the file open."""
        return path in self._documents

    def open_path(self, path: str) -> str:
        """Return the path under which the editor has a file open, or `path` where it has not."""
        if path in self._documents:
            return path
        real = Path(path).resolve()
        return next((name for name in self._documents if Path(name).resolve() == real), path)

    def require_text(self, path: str) -> str:
        """Return the text of a file of the workspace; raises where it is outside or nowhere."""
        self.require_inside(path)
        if (now := self.current(path)) is None:
            raise InvalidInput(
                f"{path} was never opened and is not on the disk.", remedy="Open or save the document first."
            )
        return now.text

    def require_inside(self, path: str) -> str:
        """Return `path`; raises `OutsideWorkspace` where it lies in no root, links resolved."""
        real = Path(path).resolve()
        if not any(real.is_relative_to(Path(root).resolve()) for root in self.roots):
            raise OutsideWorkspace(
                f"{path} is outside the workspace.",
                remedy="Open its folder as a workspace folder, or name a file inside one.",
            )
        return path

    def overlays(self) -> Overlays:
        """Return the open documents inside the roots, sorted by path; their texts are kept for re-mapping."""
        inside = [d for path, d in sorted(self._documents.items()) if self._is_inside(path)]
        for document in inside:
            self._base_texts[text_hash(document.text)] = document.text
        return tuple(inside)

    def _is_inside(self, path: str) -> bool:
        return any(Path(path).is_relative_to(root) for root in self.roots)

    # --- runs -----------------------------------------------------------------------------------------

    def task(self, request: str, context: TaskContext, constraints: tuple[str, ...]) -> Task:
        """Return a task over the current roots; raises where its text is empty or its files are outside."""
        if not request.strip():
            raise InvalidInput("The request is empty.", remedy="Say in words what should change.")
        if not self.roots:
            raise InvalidInput("No folder is open.", remedy="Open a workspace folder first.")
        if context.range is not None:
            self.require_text(context.range.path)
        for path in context.files:
            self.require_inside(path)
        return Task(request.strip(), self.roots, context, constraints)

    async def plan(self, task: Task) -> Planned:
        """Plan a task."""
        return await self.agent.plan(task, self.overlays())

    async def revise_plan(self, run_id: str, change: str | Plan) -> Plan:
        """Return the next version of a run's plan."""
        self.run(run_id)
        if isinstance(change, str) and not change.strip():
            raise InvalidInput("The instruction is empty.", remedy="Say what should change in the plan.")
        return await self.agent.revise_plan(run_id, change)

    async def execute(self, run: str | Task) -> Run:
        """Execute a planned run or a task; return the run as it came to rest."""
        if isinstance(run, str):
            self.run(run)
        run_id = await self.agent.execute(run, self.overlays())
        done = self.journal.run(run_id)
        if done.proposal is not None:
            self._adopt(done.proposal)
        return done

    def run(self, run_id: str) -> Run:
        """Return a run; raises `NotFound`."""
        try:
            return self.journal.run(run_id)
        except NotFound as error:
            raise NotFound(f"There is no run {run_id!r}.", remedy="agent/runs lists all runs.") from error

    def active_runs(self) -> tuple[str, ...]:
        """Return the ids of runs that are under way."""
        return self.journal.active_runs()

    # --- proposals ------------------------------------------------------------------------------------

    def pending(self, path: str | None = None) -> list[PlacedHunk]:
        """Return the pending hunks, of one file or all, each placed on the current text."""
        return [
            PlacedHunk(proposal, hunk, self._place(hunk))
            for proposal in self._proposals.values()
            for hunk in proposal.hunks
            if hunk.state is HunkState.PENDING and path in (None, hunk.path)
        ]

    def pending_at(self, path: str, start_line: int, end_line: int) -> list[PlacedHunk]:
        """Return the pending hunks of a file that touch lines `start_line` … `end_line` (inclusive)."""
        return [
            item
            for item in self.pending(path)
            if (hunk := item.placed or item.hunk).start_line <= end_line
            and start_line <= max(hunk.start_line, hunk.end_line - 1)
        ]

    def paths_with_pending(self) -> set[str]:
        """Return the files that have pending hunks."""
        return {hunk.path for proposal in self._proposals.values() for hunk in proposal.pending()}

    def proposal(self, proposal_id: str) -> Proposal:
        """Return a proposal; raises `NotFound`."""
        if (known := self._proposals.get(proposal_id)) is not None:
            return known
        try:
            return self.journal.proposal(proposal_id)
        except NotFound as error:
            raise NotFound(
                f"There is no proposal {proposal_id!r}.", remedy="agent/run shows a run's proposal."
            ) from error

    def placed(self, hunk: Hunk) -> Hunk | None:
        """Return a hunk on the current text; one that no longer waits stays as it is."""
        return self._place(hunk) if hunk.state is HunkState.PENDING else hunk

    def document_changed(self, path: str) -> None:
        """Say again where the pending hunks of a changed document are, if it has any."""
        for proposal in list(self._proposals.values()):
            if any(hunk.path == path for hunk in proposal.pending()):
                self._listener.on_proposal(proposal)

    def _place(self, hunk: Hunk) -> Hunk | None:
        try:
            now = self.current(hunk.path)
        except GreenlineError:
            return None
        text = None if now is None else now.text
        known = self._placed.get(hunk.id)
        if known is None or known[0] is not text:
            known = (text, place(hunk, self._base_texts.get(hunk.base_hash), text))
            self._placed[hunk.id] = known
        return known[1]

    def _adopt(self, proposal: Proposal) -> None:
        """Keep a proposal for review, and the base texts that are still there."""
        if not proposal.pending() or self._proposals.get(proposal.id) == proposal:
            return
        for hunk in proposal.pending():
            now = self.current(hunk.path)
            if now is not None and text_hash(now.text) == hunk.base_hash:
                self._base_texts[hunk.base_hash] = now.text
        for older in [p for p in self._proposals.values() if p.run_id == proposal.run_id]:
            if older.id != proposal.id:
                self._store(older.with_states({h.id: HunkState.SUPERSEDED for h in older.pending()}, {}))
        self._proposals[proposal.id] = proposal
        self._listener.on_proposal(proposal)

    def _store(self, proposal: Proposal) -> None:
        self.journal.save_proposal(proposal)
        self._keep(proposal)

    def _keep(self, proposal: Proposal) -> None:
        """Keep a proposal as long as some of it waits for a review, and tell the editor about it."""
        if proposal.pending():
            self._proposals[proposal.id] = proposal
        else:
            self._proposals.pop(proposal.id, None)
            if not self._proposals:
                self._base_texts.clear()
                self._placed.clear()
        self._listener.on_proposal(proposal)

    def _on_event(self, event: Event) -> None:
        self._listener.on_event(event)
        if event.kind is EventKind.STATE and event.data.get("state") == RunState.PROPOSED.value:
            proposal = self.journal.run(event.run_id).proposal
            if proposal is not None:
                self._adopt(proposal)

    # --- review ---------------------------------------------------------------------------------------

    async def review(self, proposal_id: str, decisions: Sequence[Decision], editor: Editor) -> Review:
        """Apply and reject hunks; with any conflict nothing is applied and all stay pending."""
        async with self._reviewing:
            proposal = self.proposal(proposal_id)
            hunks = decided(proposal, decisions)
            accepted = [h for h, d in zip(hunks, decisions, strict=True) if d.accept]
            checkpoint_id: str | None = None
            if accepted:
                try:
                    landed = await self._accept(proposal, accepted, editor)
                except Refused as error:
                    self._listener.on_proposal(proposal)
                    return Review(refused=error.refusals)
                if landed.failures:
                    self._listener.on_proposal(proposal)
                    return Review(refused=refusals(accepted, landed.failures))
                checkpoint_id = landed.checkpoint.id
                for event in landed.events:
                    self._listener.on_event(event)
            states = {d.hunk_id: HunkState.ACCEPTED if d.accept else HunkState.REJECTED for d in decisions}
            self._store(proposal.with_states(states, {d.hunk_id: d.comment for d in decisions}))
            self._settle(proposal.run_id, proposal.id)
            rejected = tuple(d.hunk_id for d in decisions if not d.accept)
            return Review(tuple(h.id for h in accepted), rejected, checkpoint_id=checkpoint_id)

    async def _accept(self, proposal: Proposal, accepted: list[Hunk], editor: Editor) -> Landed:
        async def change() -> Change:
            return self._accepting(proposal, accepted)

        return await self._landing.land(change, editor)

    def _accepting(self, proposal: Proposal, accepted: list[Hunk]) -> Change:
        """Return the accepted hunks as a change of the text as it is now; raises `Refused`."""
        placed = [(hunk, self._place(hunk)) for hunk in accepted]
        gone = tuple(Refusal(h, "The text that it replaces is gone.") for h, p in placed if p is None)
        if gone:
            raise Refused(gone)
        hunks = [p for _, p in placed if p is not None]
        try:
            edits = file_edits(
                hunks, {h.path: now for h in accepted if (now := self.current(h.path)) is not None}
            )
        except EditRejected as error:
            raise Refused(tuple(Refusal(hunk, error.message) for hunk in accepted)) from error
        for edit in edits:
            self.require_inside(edit.path)
            if edit.op == "edit":
                self._base_texts.setdefault(text_hash(edit.old_text), edit.old_text)
        label = proposal.summary or "Greenline"
        marks = marks_of(proposal.id, hunks)
        return Change(label, edits, "accept", f"accepted {label}", self.roots, proposal.run_id, marks)

    def _settle(self, run_id: str, proposal_id: str) -> None:
        """Put the run into the state that its reviewed proposal calls for."""
        state = self.journal.proposal(proposal_id).run_state()
        if state not in (RunState.PROPOSED, self.journal.run(run_id).state):
            self._listener.on_event(self.journal.set_state(run_id, state))

    # --- undo -----------------------------------------------------------------------------------------

    async def undo(self, proposal_id: str | None, checkpoint_id: str | None, editor: Editor) -> Undone:
        """Take back a proposal, a checkpoint or the newest change; hunks that were taken back wait again."""
        async with self._reviewing:
            proposal = None if proposal_id is None else self.proposal(proposal_id)
            checkpoints = chosen(self._checkpoints, proposal, checkpoint_id)
            for file in (file for checkpoint in checkpoints for file in checkpoint.files):
                self.require_inside(file.path)
            done = await undo_in_editor(self._checkpoints, checkpoints, self, self._landing, editor)
            if done.landed is not None:
                self._took_back(done.landed, done.texts)
            return done.undone

    def _took_back(self, landed: Landed, texts: Sequence[str]) -> None:
        for event in landed.events:
            self._listener.on_event(event)
        self._base_texts.update({text_hash(text): text for text in texts})
        self._placed.clear()
        for proposal_id in sorted({mark.proposal_id for mark in landed.change.marks}):
            self._keep(self.journal.proposal(proposal_id))
