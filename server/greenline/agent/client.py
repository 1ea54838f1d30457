"""The front's hand on the worker: an `AgentClient` over pipes, with no heavy import.

Invariant: every call ends once, with the worker's answer or with the error that the worker died; and when it
died, its runs are `interrupted` in the journal before anybody is told.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Coroutine, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, Protocol

from greenline.core.agent_port import AgentStatus, Planned, Question
from greenline.core.document import Overlays
from greenline.core.edit import EditSet
from greenline.core.error import GreenlineError
from greenline.core.event import Event, EventKind
from greenline.core.evidence import Evidence
from greenline.core.task import Plan, RunState, Task
from greenline.core.wire import from_json, to_json
from greenline.process.client import Worker, WorkerDied, WorkerProcess

_log = logging.getLogger(__name__)
IN_BACKGROUND = "in-background"
"""Argument of a worker that nobody waits for yet."""
_STATUS_S = 2.0


class InterruptibleJournal(Protocol):
    """The part of the journal that the client writes."""

    def mark_interrupted(self, owner: str | None = None) -> tuple[str, ...]:
        """Give the active runs of a dead owner the state `interrupted`."""

    def events(self, run_id: str, after: int = 0) -> Iterator[Event]:
        """Yield a run's events with `seq` greater than `after`, in order."""


class WorkerClient:
    """Drives the worker; for use on one event loop. Implements `AgentClient`."""

    def __init__(
        self,
        argv: Sequence[str],
        journal: InterruptibleJournal,
        log_path: Path,
        environment: Mapping[str, str] | None = None,
        *,
        is_warmed: bool = True,
    ) -> None:
        """Know how to start the worker: `argv` runs `worker.serve`; its standard error goes to a log.

        Where it is not warmed, it starts with the first request.
        """
        self._is_warmed = is_warmed
        self.on_event: Callable[[Event], None] | None = None
        self.on_question: Callable[[str, Question], None] | None = None
        self.on_died: Callable[[tuple[str, ...]], None] | None = None
        self._journal = journal
        self._process = WorkerProcess(argv, log_path, environment)
        self._process.on_told = self._tell
        self._process.on_ending = self._write_down
        self._process.on_died = self._say_died
        self._interrupted: tuple[str, ...] = ()
        self._untold: list[Event] = []
        """What the journal has of interrupted runs and nobody was told."""
        self._last_told: dict[str, int] = {}
        """Run → `seq` of its last event that was told."""
        self._warm_worker: Worker | None = None
        self._tasks: set[asyncio.Task[Any]] = set()
        self._has_died = False
        self._asking_status: asyncio.Task[Any] | None = None

    @property
    def pid(self) -> int | None:
        """The worker's process id, or None where there is none."""
        return None if self._process.worker is None else self._process.worker.process.pid

    async def start(self) -> None:
        """Mark the runs that an earlier crash left behind; starts no process."""
        await asyncio.to_thread(self._journal.mark_interrupted)

    async def warm(self) -> None:
        """Start the worker in the background at low priority, if that is wanted; returns at once."""
        worker = self._process.worker
        if self._is_warmed and (worker is None or worker is not self._warm_worker):
            self._background(self._warm_up(), "warm the agent worker")

    async def plan(self, task: Task, overlays: Overlays) -> Planned:
        """Create a run and plan it; raises `NoModel`, `ModelFailed`, `InvalidInput`."""
        params = {"task": to_json(task), "overlays": to_json(overlays)}
        return from_json(await self._process.call("plan", params), Planned)

    async def revise_plan(self, run_id: str, change: str | Plan) -> Plan:
        """Return the next version of the plan."""
        key = "instruction" if isinstance(change, str) else "plan"
        return from_json(await self._process.call("revise", {"runId": run_id, key: to_json(change)}), Plan)

    async def execute(self, run: str | Task, overlays: Overlays) -> str:
        """Execute a planned run, or plan and execute a task; return the run id at rest."""
        key = "runId" if isinstance(run, str) else "task"
        return str(await self._process.call("execute", {key: to_json(run), "overlays": to_json(overlays)}))

    async def verify(self, proposal_id: str, edit_set: EditSet, overlays: Overlays) -> Evidence:
        """Measure a change anew, whose result is the text as it is."""
        params = {"proposalId": proposal_id, "editSet": to_json(edit_set), "overlays": to_json(overlays)}
        return from_json(await self._process.call("verify", params), Evidence)

    async def answer(self, run_id: str, question_id: str, decision: str, note: str = "") -> None:
        """Answer a question or a permission that the run waits for."""
        params = {"runId": run_id, "questionId": question_id, "decision": decision, "note": note}
        await self._process.call("answer", params)

    async def pause(self, run_id: str) -> RunState:
        """Pause before the next step; return the state by now."""
        return RunState(await self._process.call("pause", {"runId": run_id}))

    async def resume(self, run_id: str, overlays: Overlays) -> RunState:
        """Continue a paused, cancelled or interrupted run in the background; return its state."""
        return RunState(await self._process.call("resume", {"runId": run_id, "overlays": to_json(overlays)}))

    async def cancel(self, run_id: str) -> RunState:
        """Cancel a run; returns once nothing of it is running."""
        return RunState(await self._process.call("cancel", {"runId": run_id}))

    async def status(self) -> AgentStatus:
        """Return what is known now; never waits for a worker to start."""
        worker = self._process.worker
        if worker is None:
            state: Literal["dead", "cold"] = "dead" if self._has_died else "cold"
            return AgentStatus(state)
        if self._asking_status is None or self._asking_status.done():
            work = self._process.ask(worker, "status", {})
            self._asking_status = asyncio.create_task(work, name="ask for the agent's status")
            self._tasks.add(self._asking_status)
            self._asking_status.add_done_callback(self._tasks.discard)
        # A worker that imports or builds answers later; whoever asks next then gets that answer.
        done, _ = await asyncio.wait({self._asking_status}, timeout=_STATUS_S)
        if not done:
            return AgentStatus("warming")
        try:
            return from_json(self._asking_status.result(), AgentStatus)
        except WorkerDied:
            return AgentStatus("dead")

    async def stop(self) -> None:
        """End the worker and everything it owns; runs under way become `interrupted`. Idempotent."""
        await self._process.stop()
        for task in list(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    # --- inside ----------------------------------------------------------------------------------------

    async def _warm_up(self) -> None:
        worker = await self._process.ready(IN_BACKGROUND)
        self._warm_worker = worker
        await self._process.ask(worker, "warm", {})

    def _tell(self, message: dict[str, Any]) -> None:
        event = from_json(message["event"], Event)
        self._last_told[event.run_id] = event.seq
        if self.on_event is not None:
            self.on_event(event)
        if self.on_question is not None and event.kind is EventKind.CHECKPOINT and event.data["waiting"]:
            self.on_question(event.run_id, from_json(event.data["question"], Question))

    async def _write_down(self, worker: Worker) -> None:
        """Write down what the worker's end interrupted, and find what it could not tell any more."""
        self._interrupted, self._untold = (), []
        try:
            self._interrupted = await asyncio.to_thread(self._journal.mark_interrupted, worker.owner)
            for run_id in self._interrupted:
                self._untold += await asyncio.to_thread(self._events_of, run_id)
        except GreenlineError:
            _log.exception("the journal could not be told of the worker's end")

    def _events_of(self, run_id: str) -> list[Event]:
        return list(self._journal.events(run_id, self._last_told.pop(run_id, 0)))

    def _say_died(self) -> None:
        self._has_died = True
        untold, self._untold = self._untold, []
        for event in untold:
            if self.on_event is not None:
                self.on_event(event)
        if self.on_died is not None:
            self.on_died(self._interrupted)

    def _background(self, work: Coroutine[Any, Any, None], name: str) -> None:
        task = asyncio.create_task(work, name=name)
        self._tasks.add(task)
        task.add_done_callback(self._finished)

    def _finished(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            _log.warning("%s failed: %s", task.get_name(), error)
