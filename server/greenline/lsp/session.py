"""The front's state: roots, open documents, and proposals placed on the text as it is now.

Knows nothing of pygls or LSP types; lives on one event loop and reads the journal there.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

import attrs

from greenline.core.agent_port import AgentClient, Planned, Question
from greenline.core.document import OpenDocument, Overlays
from greenline.core.edit import Hunk
from greenline.core.error import GreenlineError, InvalidInput, NotFound, OutsideWorkspace
from greenline.core.event import Event, EventKind
from greenline.core.index_port import IndexClient, IndexStatus
from greenline.core.task import ActiveRun, Plan, Proposal, Run, RunState, Task, TaskContext
from greenline.edit.undo import Undone
from greenline.lsp.accepted import Accepted
from greenline.lsp.convert import Replaced
from greenline.lsp.decision import Decision, Editor, Review
from greenline.lsp.landing import Landed
from greenline.lsp.moving import Moves
from greenline.lsp.review import CurrentText
from greenline.lsp.reviewer import Bench, Reviewer
from greenline.lsp.shelf import PlacedHunk, Shelf
from greenline.lsp.standing import Standing
from greenline.workspace.encoding import decode
from greenline.workspace.regular import read_regular

if TYPE_CHECKING:
    from greenline.core.port import Journal
    from greenline.journal.checkpoint_store import CheckpointStore


class Listener(Protocol):
    """Hears what the editor should be told; called on the event loop."""

    def on_event(self, event: Event) -> None:
        """One event, after it is in the journal."""

    def on_proposal(self, proposal: Proposal, paths: Collection[str]) -> None:
        """A proposal is new, or its hunks in these files, its evidence or its review state changed."""

    def on_hidden(self, paths: Collection[str]) -> None:
        """Hunks in these files are shown no more, since their folder is closed."""

    def on_question(self, run_id: str, question: Question) -> None:
        """A run waits for the user."""

    def on_interrupted(self, run_ids: tuple[str, ...]) -> None:
        """The agent's process died under these runs."""


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
        index: IndexClient | None = None,
    ) -> None:
        self.roots = roots
        self._index = index
        self.journal = journal
        self.agent = agent
        self.state_dir = state_dir
        """The server's own folder for this workspace, outside of it."""
        self._listener = listener
        self._documents: dict[str, OpenDocument] = {}
        self._open_files: dict[str, str] = {}
        """Real path → path as the editor spells it, of the open documents."""
        self._spelled: dict[str, str] = {}
        """What `open_path` has answered since a document was last opened or closed: it is asked per hunk."""
        self._proposed: dict[str, tuple[set[str], str]] = {}
        """What `_proposed_path` has answered since then, and for which files: it is asked per keystroke."""
        self._files: dict[str, tuple[tuple[int, ...], CurrentText]] = {}
        self._standing = Standing(checkpoints, self._glance)
        self._shelf = Shelf(journal, listener, self._glance, self._is_inside, self._standing.as_it_is)
        self.accepted = Accepted(checkpoints, self._glance, lambda: self.roots)
        """Where the hunks that were accepted are now."""
        self.changed = asyncio.Event()
        """Set whenever a buffer is opened, changed or closed."""
        self._reviewer = Reviewer(
            Bench(
                lambda: self.roots,
                journal,
                checkpoints,
                agent,
                self._shelf,
                self._standing,
                self,
                self.require_inside,
                self.overlays,
                listener.on_event,
                self._on_accepted,
            )
        )
        agent.on_event, agent.on_died = self._on_event, listener.on_interrupted
        agent.on_question = listener.on_question

    async def start(self) -> None:
        """Start the agent's side and show what still waits for a review; call once the editor listens."""
        await self.agent.start()
        self._shelf.restore()
        if self._index is not None:
            self._index.start(self.roots)
        if self.roots:
            await self.agent.warm()

    async def stop(self) -> None:
        """End the agent's side, and the index's."""
        parts = [self.agent.stop(), self._reviewer.stop()]
        if self._index is not None:
            parts.append(self._index.stop())
        await asyncio.gather(*parts)

    # --- folders and the index ------------------------------------------------------------------------

    def set_roots(self, roots: tuple[str, ...]) -> None:
        """Take other folders, and show what waits in them; runs under way stay pinned to theirs."""
        self.roots = roots
        self._shelf.restore()
        if self._index is not None:
            self._index.start(roots)

    @property
    def index(self) -> IndexClient:
        """The live index; raises where it is switched off."""
        if self._index is None:
            raise GreenlineError(
                "The index is switched off.",
                remedy="Set the option index (GREENLINE_INDEX) to true, and start the server again.",
                code="notAvailable",
            )
        return self._index

    def index_status(self) -> IndexStatus:
        """Return what the index can answer now."""
        if self._index is None:
            return IndexStatus("off", note="The index is switched off (option index, GREENLINE_INDEX).")
        return self._index.status()

    def disk_changed(self, paths: Sequence[str]) -> None:
        """Say that files or folders changed on the disk."""
        self.accepted.files_changed()
        if self._index is not None:
            self._index.changed([path for path in paths if self._is_inside(path)])

    def _put_buffer(self, path: str, text: str | None) -> None:
        if self._index is not None and self._is_inside(path):
            self._index.put_buffer(path, text)

    # --- documents ------------------------------------------------------------------------------------

    def put_document(self, document: OpenDocument) -> None:
        """Take the text of an open document, new or changed."""
        is_new = document.path not in self._documents
        if is_new:
            self._open_files[str(Path(document.path).resolve())] = document.path
            self._forget_spellings()
        self._documents[document.path] = document
        if is_new:
            self.accepted.opened(document.path)
        self._put_buffer(document.path, document.text)
        self.changed.set()

    def close_document(self, path: str) -> None:
        """Forget a buffer; the disk is the truth again."""
        self._documents.pop(path, None)
        self._open_files = {real: name for real, name in self._open_files.items() if name != path}
        self._forget_spellings()
        self._put_buffer(path, None)
        self.changed.set()

    def _forget_spellings(self) -> None:
        self._spelled.clear()
        self._proposed.clear()

    def current(self, path: str) -> CurrentText | None:
        """Return a file's text now, or None where it does not exist; raises `InvalidInput` for no text."""
        if (document := self._documents.get(self.open_path(path))) is not None:
            return CurrentText(document.text, document.version)
        try:
            data = read_regular(path)
        except OSError:
            return None
        return CurrentText(decode(data).text, None)

    def _glance(self, path: str) -> CurrentText | None:
        """Return a file's text now, read anew only where the disk says that it changed; for what is shown."""
        if self.is_open(path):
            return self.current(path)
        try:
            status = Path(path).stat()
        except OSError:
            return None
        stamp = (status.st_mtime_ns, status.st_ctime_ns, status.st_size, status.st_ino)
        known = self._files.get(path)
        if known is not None and known[0] == stamp:
            return known[1]
        now = self.current(path)
        if now is not None:
            self._files[path] = (stamp, now)
        return now

    def is_open(self, path: str) -> bool:
        """Return whether the editor has the file open."""
        return self.open_path(path) in self._documents

    def open_path(self, path: str) -> str:
        """Return the path under which the editor has a file open, or `path` where it has not."""
        if path in self._documents or not self._documents:
            return path
        if path not in self._spelled:
            self._spelled[path] = self._open_files.get(str(Path(path).resolve()), path)
        return self._spelled[path]

    def _proposed_path(self, path: str) -> str:
        """Return the path under which hunks of a file wait, which an editor may spell another way."""
        waiting = self._shelf.paths()
        if path in waiting or not waiting:
            return path
        known = self._proposed.get(path)
        if known is not None and known[0] == waiting:
            return known[1]
        real = Path(path).resolve()
        name = next((name for name in waiting if Path(name).resolve() == real), path)
        self._proposed[path] = waiting, name
        return name

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
            self._shelf.keep_base(document.text)
        return tuple(inside)

    def _is_inside(self, path: str) -> bool:
        if any(Path(path).is_relative_to(root) for root in self.roots):
            return True
        real = Path(path).resolve()
        return any(real.is_relative_to(Path(root).resolve()) for root in self.roots)

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
            self._shelf.adopt(done.proposal)
        return done

    def run(self, run_id: str) -> Run:
        """Return a run; raises `NotFound`."""
        try:
            run = self.journal.run(run_id)
        except NotFound as error:
            raise NotFound(f"There is no run {run_id!r}.", remedy="agent/runs lists all runs.") from error
        proposal = None if run.proposal is None else self._standing.as_it_is(run.proposal)
        return attrs.evolve(run, proposal=proposal)

    def active_runs(self) -> tuple[ActiveRun, ...]:
        """Return the runs that are under way."""
        return self.journal.active_runs()

    # --- proposals ------------------------------------------------------------------------------------

    def pending(self, path: str | None = None) -> list[PlacedHunk]:
        """Return the pending hunks, of one file or all, each placed on the current text."""
        return self._shelf.pending(path)

    def pending_at(self, path: str, start_line: int, end_line: int) -> list[PlacedHunk]:
        """Return the pending hunks of a file that touch lines `start_line` … `end_line` (inclusive)."""
        return self._shelf.touching(self._proposed_path(path), start_line, end_line)

    def n_pending(self) -> int:
        """Return how many hunks wait for a review."""
        return self._shelf.n_pending()

    def paths_with_pending(self) -> set[str]:
        """Return the files that have pending hunks."""
        return self._shelf.paths()

    def partly_measured(self, path: str) -> list[Proposal]:
        """Return the proposals of which other hunks are in a file than their evidence measured."""
        return self._shelf.partial(path)

    def proposal(self, proposal_id: str) -> Proposal:
        """Return a proposal; raises `NotFound`."""
        return self._shelf.proposal(proposal_id)

    def is_measured_with(self, proposal: Proposal, hunk_ids: Sequence[str]) -> bool:
        """Return whether its evidence is about what would be accepted of a proposal, these hunks included."""
        return self._shelf.is_measured_with(proposal, hunk_ids)

    def placed(self, hunk: Hunk) -> Hunk | None:
        """Return a hunk on the current text; one that no longer waits stays as it is."""
        return self._shelf.placed(hunk)

    def shown(self, hunk: Hunk) -> Hunk:
        """Return a hunk where it is to be seen; one that conflicts where its lines were."""
        return self._shelf.shown(hunk)

    def document_changed(self, path: str, replaced: tuple[str, tuple[Replaced, ...]] | None = None) -> None:
        """Say again where the pending hunks of a changed document are, if they moved.

        `replaced` are the text before and the changes, where the editor told which lines it replaced.
        """
        moves = None if replaced is None else Moves(*replaced)
        self._shelf.document_changed(self._proposed_path(path), moves)
        self.accepted.changed(path)

    def _on_event(self, event: Event) -> None:
        self._listener.on_event(event)
        if event.kind is EventKind.STATE and event.data.get("state") == RunState.PROPOSED.value:
            proposal = self.journal.run(event.run_id).proposal
            if proposal is not None:
                self._shelf.adopt(proposal)

    def _on_accepted(self, landed: Landed) -> None:
        """Know where accepted hunks are before the editor's next message, so that edits move them."""
        for edit in landed.change.edits:
            if edit.op != "delete":
                real = os.path.realpath(edit.path)
                own = [anchor for anchor in landed.anchors if anchor.path == real]
                if own:
                    self.accepted.landed(edit.path, edit.new_text, own)
                else:
                    self.accepted.opened(edit.path)

    # --- review ---------------------------------------------------------------------------------------

    async def review(self, proposal_id: str, decisions: Sequence[Decision], editor: Editor) -> Review:
        """Apply and reject hunks; with any conflict nothing is applied and all stay pending."""
        return await self._reviewer.review(proposal_id, decisions, editor)

    async def undo(self, proposal_id: str | None, checkpoint_id: str | None, editor: Editor) -> Undone:
        """Take back a proposal, a checkpoint or the newest change; hunks that were taken back wait again."""
        return await self._reviewer.undo(proposal_id, checkpoint_id, editor)

    async def verify(self, proposal_id: str) -> Proposal:
        """Measure what is accepted of a proposal in the text as it is; return it with fresh evidence."""
        return await self._reviewer.verify(proposal_id)
