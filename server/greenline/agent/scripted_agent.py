"""An agent that plays a script: it drives the whole front without a model, a sandbox or a worker.

A script says, for each request, what happens step by step. It is for tests, demonstrations and for people who
write a client. As JSON (`load_script`):

    {"make it work": {"plan": [{"number": 1, "intent": "Fix it"}],
                      "steps": [{"do": "event", "kind": "thought", "data": {"text": "Looking."}},
                                {"do": "ask", "text": "Which one?", "options": ["a", "b"]},
                                {"do": "wait"},
                                {"do": "fail", "message": "It broke."},
                                {"do": "die"},
                                {"do": "propose", "files": {"a.py": "new text", "old.py": null},
                                 "evidence": {"verdict": "verified", "reason": "", "detail": ""}}]}}

`wait` holds until the run is cancelled. File names are relative to the first root; null deletes.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Literal

import attrs

from greenline.core.agent_port import AgentStatus, Health, Planned, Question
from greenline.core.document import Overlays
from greenline.core.edit import EditSet, FileChange, Hunk
from greenline.core.error import GreenlineError, NoModel, NotFound, WrongState
from greenline.core.event import Event, EventKind
from greenline.core.evidence import Evidence, Verdict
from greenline.core.ids import new_id
from greenline.core.port import Journal
from greenline.core.task import Plan, PlanEntry, Proposal, Run, RunState, Task
from greenline.core.wire import from_json, to_json
from greenline.edit.review_cut import ReviewedChange, cut_for_review
from greenline.workspace.encoding import decode

_VERIFIED = Evidence(Verdict.VERIFIED, "", "")


@attrs.frozen
class Step:
    """One thing that happens."""

    do: Literal["event", "ask", "wait", "fail", "die", "propose"]
    kind: EventKind = EventKind.THOUGHT
    data: dict[str, Any] = attrs.field(factory=dict)
    text: str = ""
    options: tuple[str, ...] = ()
    permission: bool = False
    message: str = ""
    files: dict[str, str | None] = attrs.field(factory=dict)
    modes: dict[str, int] = attrs.field(factory=dict)
    """File name → mode bits that it is to have."""
    why: str = ""
    summary: str = ""
    evidence: Evidence = _VERIFIED


@attrs.frozen
class Script:
    """What happens for one request."""

    plan: tuple[PlanEntry, ...] = ()
    questions: tuple[Question, ...] = ()
    """Asked instead of planning."""
    steps: tuple[Step, ...] = ()
    again: Evidence = _VERIFIED
    """What measuring its proposal anew comes to."""


Scripts = Mapping[str, Script]
"""Request text → script; any other request is answered with `NoModel`."""


def load_script(path: Path) -> Scripts:
    """Read scripts from a JSON file."""
    return from_json(json.loads(path.read_text(encoding="utf-8")), dict[str, Script])


class ScriptedAgent:
    """An `AgentClient` that lives in the front's own process."""

    def __init__(self, journal: Journal, scripts: Scripts) -> None:
        self._journal = journal
        self._scripts = scripts
        self._answers: dict[str, asyncio.Future[str]] = {}
        self._running: dict[str, asyncio.Task[Any]] = {}
        self._unpaused: dict[str, asyncio.Event] = {}
        self._background: set[asyncio.Task[Any]] = set()
        self.on_event: Callable[[Event], None] | None = None
        self.on_question: Callable[[str, Question], None] | None = None
        self.on_died: Callable[[tuple[str, ...]], None] | None = None

    async def start(self) -> None:
        """Nothing to prepare."""

    async def warm(self) -> None:
        """Nothing to warm."""

    async def plan(self, task: Task, overlays: Overlays) -> Planned:
        """Play the planning part."""
        run = self._create(task)
        script = self._script(run)
        if script.questions:
            self._state(run.id, RunState.NEEDS_INPUT)
            return Planned(run.id, questions=script.questions)
        if not script.plan:
            with self._task(run.id):
                await self._play(run, overlays, script.steps)
        return Planned(run.id, self._plan(run, script))

    async def revise_plan(self, run_id: str, change: str | Plan) -> Plan:
        """Store the next version; an instruction becomes one more entry."""
        plan = self._journal.run(run_id).plan
        if plan is None:
            raise WrongState(f"The run {run_id!r} has no plan.", remedy="Ask for one with agent/plan.")
        entries = plan.entries if isinstance(change, str) else change.entries
        if isinstance(change, str):
            entries = (*entries, PlanEntry(len(entries) + 1, change))
        revised = attrs.evolve(plan, version=plan.version + 1, entries=entries)
        self._emit(self._journal.save_plan(run_id, revised))
        return revised

    async def execute(self, run: str | Task, overlays: Overlays) -> str:
        """Play the steps."""
        started = self._journal.run(run) if isinstance(run, str) else self._create(run)
        script = self._script(started)
        if started.plan is None and script.plan:
            self._plan(started, script)
        self._state(started.id, RunState.EXECUTING)
        with self._task(started.id):
            await self._play(started, overlays, script.steps)
        return started.id

    async def answer(self, run_id: str, question_id: str, decision: str, note: str = "") -> None:
        """Let the waiting step go on."""
        waiting = self._answers.pop(question_id, None)
        if waiting is None:
            raise NotFound(
                f"The run {run_id!r} waits for no question {question_id!r}.",
                remedy="agent/run shows its state.",
            )
        waiting.set_result(decision)

    async def verify(self, proposal_id: str, edit_set: EditSet, overlays: Overlays) -> Evidence:
        """Return what the script says, with the number of files that were measured as its detail."""
        run = self._journal.run(self._journal.proposal(proposal_id).run_id)
        evidence = self._scripts[run.task.request].again
        texts = [f"{Path(c.path).name}: {len((c.after or b'').splitlines())}" for c in edit_set.changes]
        return attrs.evolve(evidence, detail=f"{evidence.detail} lines of {', '.join(texts)}".strip())

    async def pause(self, run_id: str) -> RunState:
        """Hold before the next step."""
        self._require_running(run_id)
        self._unpaused.setdefault(run_id, asyncio.Event())
        return self._state(run_id, RunState.PAUSED)

    async def resume(self, run_id: str, overlays: Overlays) -> RunState:
        """Let a paused run go on, or play an ended one again in the background."""
        if run_id in self._running:
            if (held := self._unpaused.pop(run_id, None)) is not None:
                held.set()
        else:
            task = asyncio.get_running_loop().create_task(
                self.execute(run_id, overlays), name=f"resume {run_id}"
            )
            self._background.add(task)
            task.add_done_callback(self._background.discard)
        return self._state(run_id, RunState.EXECUTING)

    async def cancel(self, run_id: str) -> RunState:
        """Cancel the task that plays the run."""
        task = self._require_running(run_id)
        task.cancel()
        await asyncio.wait([task], timeout=1.0)
        return self._journal.run(run_id).state

    async def status(self) -> AgentStatus:
        """Say that all is well."""
        return AgentStatus("ready", Health(True, "scripted"), Health(True, "scripted"))

    async def stop(self) -> None:
        """End what is playing."""
        tasks = [*self._running.values(), *self._background]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*self._background, return_exceptions=True)

    # --- playing --------------------------------------------------------------------------------------

    async def _play(self, run: Run, overlays: Overlays, steps: tuple[Step, ...]) -> None:
        try:
            for step in steps:
                await asyncio.sleep(0)
                if (held := self._unpaused.get(run.id)) is not None:
                    await held.wait()
                await self._do(run, overlays, step)
        except asyncio.CancelledError:
            self._state(run.id, RunState.CANCELLED)
            raise
        except GreenlineError as error:
            if self._journal.run(run.id).state is not RunState.INTERRUPTED:
                self._state(run.id, RunState.FAILED, error.message)
            raise

    async def _do(self, run: Run, overlays: Overlays, step: Step) -> None:
        if step.do == "event":
            self._emit(self._journal.append(run.id, step.kind, step.data))
        elif step.do == "wait":
            await asyncio.Event().wait()
        elif step.do == "ask":
            await self._ask(run, step)
        elif step.do == "fail":
            raise GreenlineError(step.message or "The script says so.", remedy="Change the script.")
        elif step.do == "die":
            self._state(run.id, RunState.INTERRUPTED)
            if self.on_died is not None:
                self.on_died((run.id,))
            raise GreenlineError("The agent ended.", remedy="Resume the run.", code="interrupted")
        else:
            self._propose(run, overlays, step)

    async def _ask(self, run: Run, step: Step) -> None:
        kind: Literal["permission", "question"] = "permission" if step.permission else "question"
        question = Question(new_id("question"), step.text, step.options, kind)
        answered: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        self._answers[question.id] = answered
        asked = {"checkpointId": question.id, "question": to_json(question), "waiting": True}
        self._emit(self._journal.append(run.id, EventKind.CHECKPOINT, asked))
        self._state(run.id, RunState.NEEDS_INPUT, step.text)
        if self.on_question is not None:
            self.on_question(run.id, question)
        decision = await answered
        self._emit(self._journal.append(run.id, EventKind.THOUGHT, {"text": f"answered: {decision}"}))
        self._state(run.id, RunState.EXECUTING)

    def _propose(self, run: Run, overlays: Overlays, step: Step) -> None:
        root = Path(run.task.roots[0])
        shown = {document.path: document for document in overlays}
        changes: list[ReviewedChange] = []
        for name, text in sorted(step.files.items()):
            path = root / name
            document = shown.get(str(path))
            if document is not None:
                before: bytes | None = document.text.encode("utf-8")
            else:
                before = path.read_bytes() if path.exists() else None
            after = None if text is None else text.encode("utf-8")
            version = document.version if document else None
            change = FileChange(str(path), before, after, mode=step.modes.get(name))
            base_text = None if before is None else decode(before).text
            if base_text is not None:
                self._journal.keep_text(base_text)
            changes.append(ReviewedChange(change, base_text, text, version, step.why))
        hunks: tuple[Hunk, ...] = cut_for_review(changes)
        proposal = Proposal(new_id("proposal"), run.id, hunks, step.evidence, step.summary)
        self._journal.save_proposal(proposal)
        self._state(run.id, RunState.PROPOSED)

    def _create(self, task: Task) -> Run:
        run = self._journal.create_run(task)
        for event in self._journal.events(run.id):
            self._emit(event)
        return run

    def _plan(self, run: Run, script: Script) -> Plan:
        plan = Plan(1, script.plan or (PlanEntry(1, run.task.request),), engine="repair")
        self._emit(self._journal.save_plan(run.id, plan))
        self._state(run.id, RunState.AWAITING_APPROVAL)
        return plan

    def _script(self, run: Run) -> Script:
        if (script := self._scripts.get(run.task.request)) is None:
            self._state(run.id, RunState.FAILED, "no model")
            raise NoModel(
                f"No model is configured, and no script serves {run.task.request!r}.",
                remedy="Name a model in the configuration.",
            )
        return script

    def _state(self, run_id: str, state: RunState, note: str = "") -> RunState:
        self._emit(self._journal.set_state(run_id, state, note))
        return state

    def _emit(self, event: Event) -> None:
        if self.on_event is not None:
            self.on_event(event)

    def _task(self, run_id: str) -> _Playing:
        return _Playing(self._running, run_id)

    def _require_running(self, run_id: str) -> asyncio.Task[Any]:
        if (task := self._running.get(run_id)) is None:
            raise WrongState(
                f"The run {run_id!r} is not under way.", remedy="agent/runs shows each run's state."
            )
        return task


class _Playing:
    """Registers the current task as the one that plays a run."""

    def __init__(self, running: dict[str, asyncio.Task[Any]], run_id: str) -> None:
        self._running, self._run_id = running, run_id

    def __enter__(self) -> None:
        if (task := asyncio.current_task()) is not None:
            self._running[self._run_id] = task

    def __exit__(self, *_: object) -> None:
        self._running.pop(self._run_id, None)
