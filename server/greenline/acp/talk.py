"""One session of an ACP client: a conversation whose every request is a run of the journal.

Invariant: at most one request is worked on at a time, and a turn that ends leaves either nothing running or
a run that waits for the user's next words.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import Any, Literal

import attrs

from greenline.acp import message
from greenline.acp.files import ClientFiles
from greenline.acp.link import Link
from greenline.acp.request import Asked, read_prompt
from greenline.acp.review import HunkReview, diffs_of, title_of
from greenline.acp.teller import Teller
from greenline.agent.standing import RESUMABLE
from greenline.core.agent_port import Question
from greenline.core.edit import Hunk, HunkState
from greenline.core.error import GreenlineError, InvalidInput, NotFound, OutsideWorkspace, WrongState
from greenline.core.event import Event, EventKind
from greenline.core.task import ACTIVE, Plan, Proposal, Run, RunState, TaskContext
from greenline.lsp.render import evidence_markdown, headline
from greenline.lsp.session import Session
from greenline.lsp.supervisor import Supervisor
from greenline.tool.place import resolve

Stop = Literal["end_turn", "cancelled"]
_REST = frozenset(RunState) - ACTIVE


class Talk:
    """For one event loop."""

    def __init__(self, session_id: str, session: Session, link: Link) -> None:
        self.id = session_id
        self._session = session
        self._link = link
        self._files = ClientFiles(link, session)
        self._review = HunkReview(link, session, self._files)
        self._supervisor = Supervisor()
        self._supervisor.start(link.send(), f"send updates of {session_id}")
        self._tellers: dict[str, Teller] = {}
        self._moved = asyncio.Event()
        """Set whenever a run changes its state."""
        self._asking = asyncio.Lock()
        self._job: asyncio.Task[None] | None = None
        self._is_turning = False
        self._is_cancelled = False
        self._awaited: asyncio.Future[str] | None = None
        """The user's next words, where a run asks for some."""
        self._asks = asyncio.Event()
        self._commands: dict[str, Callable[[str], Awaitable[None]]] = {
            "review": self._review_again,
            "undo": self._undo,
            "resume": self._resume,
            "explain": self._explain,
        }

    # --- the client's side -----------------------------------------------------------------------------

    async def turn(self, blocks: Sequence[Any]) -> Stop:
        """Work on a prompt until it is done, or until the user must say more; raises `InvalidInput`."""
        asked = read_prompt(blocks)
        if self._is_turning:
            raise WrongState(
                "The last prompt is still being worked on.", remedy="Wait for it, or cancel it first."
            )
        self._is_turning, self._is_cancelled = True, False
        try:
            await self._take(asked)
            return "cancelled" if self._is_cancelled else "end_turn"
        finally:
            self._is_turning = False

    async def cancel(self) -> None:
        """Stop what is worked on; returns once nothing of it is running."""
        self._is_cancelled = True
        await self._stop_job()

    async def close(self) -> None:
        """End the session's tasks; its runs stay in the journal."""
        await self._stop_job()
        await self._supervisor.stop()

    def offer_commands(self) -> None:
        """Tell what can be said with a slash."""
        self._link.tell(message.commands_update())

    async def replay(self) -> None:
        """Tell all that happened, as it stands in the journal."""
        for run in self._session.journal.runs_of(self.id):
            self._link.tell(message.user_said(run.task.request))
            teller = Teller()
            for event in self._session.journal.events(run.id):
                self._link.tell(*teller.updates(event))
            self._tell_outcome(run)
            if run.proposal is not None:
                self._tell_hunks(run.proposal)
        await self._link.flush()

    # --- the agent's side ------------------------------------------------------------------------------

    def on_event(self, event: Event) -> None:
        """Tell an event of one of the session's runs."""
        teller = self._tellers.setdefault(event.run_id, Teller())
        self._link.tell(*teller.updates(event))
        if event.kind is EventKind.STATE:
            self._moved.set()

    def on_question(self, run_id: str, question: Question) -> None:
        """Ask the user what a run waits for."""
        self._supervisor.start(self._answer(run_id, question), f"answer {question.id}")

    # --- turns -----------------------------------------------------------------------------------------

    async def _take(self, asked: Asked) -> None:
        """Give the words to the run that waits for them, or begin; then wait for the end or a question."""
        self._asks.clear()
        is_working = self._job is not None and not self._job.done()
        if is_working and self._awaited is not None and not self._awaited.done() and not asked.command:
            self._awaited.set_result(asked.text)
        else:
            await self._stop_job()
            loop = asyncio.get_running_loop()
            self._job = loop.create_task(self._work(asked), name=f"work of {self.id}")
        assert self._job is not None
        asks = asyncio.get_running_loop().create_task(self._asks.wait(), name="wait for a question")
        try:
            await asyncio.wait({self._job, asks}, return_when=asyncio.FIRST_COMPLETED)
        except asyncio.CancelledError:
            await self._stop_job()
            raise
        finally:
            asks.cancel()
        if self._job.done() and not self._job.cancelled():
            self._job.result()
        await self._link.flush()

    async def _stop_job(self) -> None:
        job = self._job
        if job is not None and not job.done():
            job.cancel()
            await asyncio.wait({job})
        if self._awaited is not None:
            # The run that asked is gone; the next words are for nobody but the next run.
            self._awaited.cancel()

    async def _work(self, asked: Asked) -> None:
        try:
            if (command := self._commands.get(asked.command)) is not None:
                await command(asked.text)
            else:
                await self._run(_spelled_out(asked))
        except GreenlineError as error:
            self._say(str(error))

    async def _run(self, asked: Asked) -> None:
        """Plan a request, carry the plan out, and review what comes of it."""
        piece = () if asked.range is None else (asked.range.path,)
        await self._files.refresh((*asked.files, *piece, *self._known_files()))
        context = TaskContext(asked.range, (), asked.files)
        task = attrs.evolve(self._session.task(asked.text, context, ()), session=self.id)
        planned = await self._session.plan(task)
        if planned.plan is None:
            for question in planned.questions:
                await self._answer(planned.run_id, question)
            await self._rest(planned.run_id)
        run = self._session.run(planned.run_id)
        if run.plan is None:
            self._tell_outcome(run)
            return
        await self._files.refresh(self._files_of(run.plan))
        await self._conclude(await self._session.execute(run.id))

    async def _conclude(self, run: Run) -> None:
        self._tell_outcome(run)
        if run.proposal is None or not run.proposal.pending():
            return
        if not await self._review.review(run.proposal.id):
            self._say("What is left waits for a decision; `/review` shows it again.")
            return
        hunks = self._session.proposal(run.proposal.id).hunks
        n_accepted = sum(hunk.state is HunkState.ACCEPTED for hunk in hunks)
        undo = " `/undo` takes the newest change back." if n_accepted else ""
        self._say(f"{n_accepted} of {len(hunks)} hunks accepted.{undo}")

    async def _rest(self, run_id: str, after: int = 0) -> Run:
        """Wait until a run in the background rests, later than an event; cancelled, so is the run."""
        try:
            while True:
                self._moved.clear()
                run = self._session.run(run_id)
                if run.state in _REST and run.last_seq > after:
                    return run
                await self._moved.wait()
        except asyncio.CancelledError:
            with contextlib.suppress(GreenlineError):
                await self._session.agent.cancel(run_id)
            raise

    # --- questions -------------------------------------------------------------------------------------

    async def _answer(self, run_id: str, question: Question) -> None:
        async with self._asking:
            decision = await self._decision(run_id, question)
        if decision is not None:
            with contextlib.suppress(NotFound):
                # A run that was cancelled meanwhile waits for nothing.
                await self._session.agent.answer(run_id, question.id, decision)

    async def _decision(self, run_id: str, question: Question) -> str | None:
        """Return the user's answer; None where the client took the question back."""
        if question.kind == "permission" or question.options:
            call = message.question_asked(run_id, question)
            chosen = await self._link.permission(call, message.question_options(question))
            if chosen is None and question.kind == "permission":
                return "rejectOnce"
            return chosen
        self._say(question.text)
        self._awaited = asyncio.get_running_loop().create_future()
        self._asks.set()
        return await self._awaited

    # --- commands --------------------------------------------------------------------------------------

    async def _review_again(self, _: str) -> None:
        waiting = [r for r in self._session.journal.runs_of(self.id) if r.proposal and r.proposal.pending()]
        if not waiting:
            self._say("Nothing waits for a decision.")
        for run in waiting:
            await self._conclude(run)

    async def _undo(self, _: str) -> None:
        await self._files.refresh(self._known_files())
        undone = await self._session.undo(None, None, self._files)
        names = ", ".join(sorted(Path(path).name for path in undone.restored))
        lines = [f"Taken back in {names}."] if names else []
        lines += [f"{Path(c.path).name} stays as it is: {c.reason}" for c in undone.conflicts]
        if undone.by_hand:
            lines.append("There is nothing to take back: the newest change was taken back by hand.")
        self._say(" ".join(lines))

    async def _resume(self, _: str) -> None:
        runs = [r for r in self._session.journal.runs_of(self.id) if r.state in RESUMABLE]
        if not runs:
            self._say("No run of this session was cut short.")
            return
        run = runs[-1]
        if run.plan is not None:
            await self._files.refresh(self._files_of(run.plan))
        await self._session.agent.resume(run.id, self._session.overlays())
        # The run takes its new state in its own time, and the old one is a state of rest.
        run = await self._rest(run.id, after=run.last_seq)
        if run.state is RunState.AWAITING_APPROVAL:
            run = await self._session.execute(run.id)
        await self._conclude(run)

    async def _explain(self, place: str) -> None:
        # It brings along the types of the other protocol, which nothing else here needs.
        from greenline.lsp.work import explain_lines

        name, _, line = place.rpartition(":")
        if not name or not line.isdecimal() or int(line) < 1:
            raise InvalidInput(f"{place!r} names no line.", remedy="Say /explain FILE:LINE.")
        path = str(Path(self._session.roots[0]) / name)
        await self._files.refresh((path,))
        found = await explain_lines(self._session, path, int(line) - 1, int(line) - 1)
        self._say(found.markdown)

    # --- telling ---------------------------------------------------------------------------------------

    def _say(self, text: str) -> None:
        self._link.tell(message.said(text))

    def _tell_outcome(self, run: Run) -> None:
        if run.proposal is None:
            self._say(run.note or f"The run is {run.state.value}.")
            return
        evidence = run.proposal.evidence
        self._say(f"**{headline(run.proposal)}**\n\n{evidence_markdown(evidence)}")

    def _tell_hunks(self, proposal: Proposal) -> None:
        for hunk in proposal.hunks:
            group = (hunk,)
            diffs = diffs_of(self._session, group)
            title = title_of(group, proposal)
            self._link.tell(message.change_offered(hunk.id, title, diffs, deletes=hunk.op == "delete"))
            if hunk.state is not HunkState.PENDING:
                accepted = hunk.state is HunkState.ACCEPTED
                words = f"{hunk.state.value.capitalize()}."
                self._link.tell(message.change_decided(hunk.id, words, accepted=accepted))

    def _known_files(self) -> list[str]:
        """Return the files that hunks of this session are about."""
        hunks: list[Hunk] = []
        for run in self._session.journal.runs_of(self.id):
            hunks += run.proposal.hunks if run.proposal is not None else ()
        return [hunk.path for hunk in hunks]

    def _files_of(self, plan: Plan) -> list[str]:
        """Return the files of a plan that exist, as absolute paths."""
        found: list[str] = []
        for name in dict.fromkeys(name for entry in plan.entries for name in entry.files):
            # No run touches what lies outside of the roots, or what could be one of several files.
            with contextlib.suppress(OutsideWorkspace):
                path = os.path.normpath(resolve(name, self._session.roots, os.path.lexists))
                if Path(self._session.require_inside(path)).is_file():
                    found.append(path)
        return found


def _spelled_out(asked: Asked) -> Asked:
    """Return a prompt in words alone: `/fix` is short for some, and an unknown command is none."""
    if asked.command == "fix":
        which = f" {asked.text}" if asked.text else ""
        return attrs.evolve(asked, text=f"Make the failing tests{which} pass.", command="")
    if asked.command:
        return attrs.evolve(asked, text=f"/{asked.command} {asked.text}".strip(), command="")
    return asked
