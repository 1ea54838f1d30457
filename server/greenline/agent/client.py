"""The front's hand on the worker: an `AgentClient` over pipes, with no heavy import.

Invariant: every call ends once, with the worker's answer or with the error that the worker died; and when it
died, its runs are `interrupted` in the journal before anybody is told.
"""

from __future__ import annotations

import asyncio
import json
import logging
import os
import sys
from collections.abc import Callable, Coroutine, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, Protocol

import attrs

from greenline.agent.pipe import MAX_LINE_BYTES, Failure, error_of, line_of
from greenline.core.agent_port import AgentStatus, Planned, Question
from greenline.core.document import Overlays
from greenline.core.edit import EditSet
from greenline.core.error import GreenlineError
from greenline.core.event import Event, EventKind
from greenline.core.evidence import Evidence
from greenline.core.task import Plan, RunState, Task
from greenline.core.wire import from_json, to_json
from greenline.journal.owner import process_owner

_log = logging.getLogger(__name__)
IN_BACKGROUND = "in-background"
"""Argument of a worker that nobody waits for yet."""
_CANCEL_S = 8.0
_STATUS_S = 2.0
_STOP_S = 8.0
_MAX_LOG_BYTES = 4 * 1024 * 1024
"""How large the worker's log may be when a worker starts; a larger one becomes the old log."""


class WorkerDied(GreenlineError):
    """The agent's process ended while it was asked for something."""

    code = "workerDied"


class InterruptibleJournal(Protocol):
    """The part of the journal that the client writes."""

    def mark_interrupted(self, owner: str | None = None) -> tuple[str, ...]:
        """Give the active runs of a dead owner the state `interrupted`."""


@attrs.define(eq=False)
class _Worker:
    """One process and what it was asked."""

    process: asyncio.subprocess.Process
    owner: str
    waiting: dict[int, asyncio.Future[Any]] = attrs.field(factory=dict)
    reader: asyncio.Task[None] | None = None
    warm: bool = False


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
        self._argv = tuple(argv)
        self._journal = journal
        self._log_path = log_path
        self._environment = dict(os.environ if environment is None else environment)
        self._worker: _Worker | None = None
        self._starting = asyncio.Lock()
        self._tasks: set[asyncio.Task[Any]] = set()
        self._number = 0
        self._has_died = False
        self._asking_status: asyncio.Task[Any] | None = None
        self._stopped = False

    @property
    def pid(self) -> int | None:
        """The worker's process id, or None where there is none."""
        return None if self._worker is None else self._worker.process.pid

    async def start(self) -> None:
        """Mark the runs that an earlier crash left behind; starts no process."""
        await asyncio.to_thread(self._journal.mark_interrupted)

    async def warm(self) -> None:
        """Start the worker in the background at low priority, if that is wanted; returns at once."""
        if self._is_warmed and (self._worker is None or not self._worker.warm):
            self._background(self._warm_up(), "warm the agent worker")

    async def plan(self, task: Task, overlays: Overlays) -> Planned:
        """Create a run and plan it; raises `NoModel`, `ModelFailed`, `InvalidInput`."""
        params = {"task": to_json(task), "overlays": to_json(overlays)}
        return from_json(await self._call("plan", params), Planned)

    async def revise_plan(self, run_id: str, change: str | Plan) -> Plan:
        """Return the next version of the plan."""
        key = "instruction" if isinstance(change, str) else "plan"
        return from_json(await self._call("revise", {"runId": run_id, key: to_json(change)}), Plan)

    async def execute(self, run: str | Task, overlays: Overlays) -> str:
        """Execute a planned run, or plan and execute a task; return the run id at rest."""
        key = "runId" if isinstance(run, str) else "task"
        return str(await self._call("execute", {key: to_json(run), "overlays": to_json(overlays)}))

    async def verify(self, proposal_id: str, edit_set: EditSet, overlays: Overlays) -> Evidence:
        """Measure a change anew, whose result is the text as it is."""
        params = {"proposalId": proposal_id, "editSet": to_json(edit_set), "overlays": to_json(overlays)}
        return from_json(await self._call("verify", params), Evidence)

    async def answer(self, run_id: str, question_id: str, decision: str, note: str = "") -> None:
        """Answer a question or a permission that the run waits for."""
        params = {"runId": run_id, "questionId": question_id, "decision": decision, "note": note}
        await self._call("answer", params)

    async def pause(self, run_id: str) -> RunState:
        """Pause before the next step; return the state by now."""
        return RunState(await self._call("pause", {"runId": run_id}))

    async def resume(self, run_id: str, overlays: Overlays) -> RunState:
        """Continue a paused, cancelled or interrupted run in the background; return its state."""
        return RunState(await self._call("resume", {"runId": run_id, "overlays": to_json(overlays)}))

    async def cancel(self, run_id: str) -> RunState:
        """Cancel a run; returns once nothing of it is running."""
        return RunState(await self._call("cancel", {"runId": run_id}))

    async def status(self) -> AgentStatus:
        """Return what is known now; never waits for a worker to start."""
        worker = self._worker
        if worker is None:
            state: Literal["dead", "cold"] = "dead" if self._has_died else "cold"
            return AgentStatus(state)
        if self._asking_status is None or self._asking_status.done():
            work = self._ask(worker, "status", {})
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
        self._stopped = True
        async with self._starting:
            worker = self._worker
        if worker is not None:
            await self._end(worker)
        for task in list(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    # --- inside ----------------------------------------------------------------------------------------

    async def _end(self, worker: _Worker) -> None:
        """Close the worker's pipe, on which it stops everything and ends; kill it where it does not."""
        assert worker.process.stdin is not None
        worker.process.stdin.close()
        try:
            async with asyncio.timeout(_STOP_S):
                await worker.process.wait()
        except TimeoutError:
            worker.process.kill()
        if worker.reader is not None:
            await worker.reader

    async def _warm_up(self) -> None:
        worker = await self._ready(IN_BACKGROUND)
        worker.warm = True
        await self._ask(worker, "warm", {})

    async def _call(self, method: str, params: dict[str, Any]) -> Any:
        return await self._ask(await self._ready(), method, params)

    async def _ready(self, *more: str) -> _Worker:
        """Return the worker, started (with `more` after its arguments) where there is none."""
        async with self._starting:
            if self._stopped:
                raise WorkerDied("The agent was stopped.")
            if self._worker is None:
                self._worker = await self._spawn(more)
            return self._worker

    async def _spawn(self, more: tuple[str, ...]) -> _Worker:
        _make_room(self._log_path)
        try:
            with self._log_path.open("ab") as log:
                process = await asyncio.create_subprocess_exec(
                    *self._argv,
                    *more,
                    stdin=asyncio.subprocess.PIPE,
                    stdout=asyncio.subprocess.PIPE,
                    stderr=log,
                    env=self._environment,
                    limit=MAX_LINE_BYTES,
                    # A Ctrl-C in the terminal is for the front, which then cancels in good order.
                    start_new_session=sys.platform != "win32",
                )
        except OSError as error:
            raise WorkerDied(f"The agent's process cannot be started ({error}).") from error
        worker = _Worker(process, process_owner(process.pid))
        worker.reader = asyncio.create_task(self._read(worker), name="read the agent worker")
        return worker

    async def _ask(self, worker: _Worker, method: str, params: dict[str, Any]) -> Any:
        """Send a request and wait for its answer; a cancelled wait cancels the request first."""
        self._number += 1
        number = self._number
        answer: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        worker.waiting[number] = answer
        try:
            await self._send(worker, {"id": number, "method": method, "params": params})
            return await asyncio.shield(answer)
        except asyncio.CancelledError:
            if worker.waiting.get(number) is answer:
                await self._send(worker, {"cancel": number})
                await asyncio.wait({answer}, timeout=_CANCEL_S)
            raise
        finally:
            worker.waiting.pop(number, None)
            if answer.done() and not answer.cancelled():
                # The answer of a cancelled call is wanted by nobody; looking at it keeps asyncio quiet.
                answer.exception()

    async def _send(self, worker: _Worker, message: dict[str, Any]) -> None:
        assert worker.process.stdin is not None
        try:
            worker.process.stdin.write(line_of(message))
            await worker.process.stdin.drain()
        except (ConnectionError, RuntimeError):
            # The reader notices the end and answers everybody who waits.
            _log.debug("the agent worker is gone")

    async def _read(self, worker: _Worker) -> None:
        assert worker.process.stdout is not None
        try:
            while line := await worker.process.stdout.readline():
                self._take(worker, json.loads(line))
        except ValueError:
            _log.exception("the agent worker sent a line that cannot be read")
            worker.process.kill()
        await self._bury(worker)

    def _take(self, worker: _Worker, message: dict[str, Any]) -> None:
        if "event" in message:
            self._tell(from_json(message["event"], Event))
            return
        answer = worker.waiting.pop(message["id"], None)
        if answer is None or answer.done():
            return
        if "error" in message:
            answer.set_exception(error_of(from_json(message["error"], Failure)))
        else:
            answer.set_result(message["result"])

    def _tell(self, event: Event) -> None:
        try:
            if self.on_event is not None:
                self.on_event(event)
            if self.on_question is not None and event.kind is EventKind.CHECKPOINT and event.data["waiting"]:
                self.on_question(event.run_id, from_json(event.data["question"], Question))
        except Exception:  # noqa: BLE001
            # A listener's fault must not cost the events and answers that follow.
            _log.exception("a listener failed on event %s of %s", event.seq, event.run_id)

    async def _bury(self, worker: _Worker) -> None:
        """Write down what the worker's end interrupted, then tell everybody who waits."""
        code = await worker.process.wait()
        marked: tuple[str, ...] = ()
        try:
            marked = await asyncio.to_thread(self._journal.mark_interrupted, worker.owner)
        except GreenlineError:
            _log.exception("the journal could not be told of the worker's end")
        if self._worker is worker:
            self._worker = None
        error = WorkerDied(
            f"The agent's process ended (exit code {code}).",
            remedy=f"Ask again, it is started anew; {self._log_path} may say why.",
        )
        for answer in worker.waiting.values():
            if not answer.done():
                answer.set_exception(error)
        worker.waiting.clear()
        if self._stopped:
            return
        self._has_died = True
        if self.on_died is not None:
            self.on_died(marked)

    def _background(self, work: Coroutine[Any, Any, None], name: str) -> None:
        task = asyncio.create_task(work, name=name)
        self._tasks.add(task)
        task.add_done_callback(self._finished)

    def _finished(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            _log.warning("%s failed: %s", task.get_name(), error)


def _make_room(log_path: Path) -> None:
    """Begin a new log where the last one has grown large; one old log is kept."""
    log_path.parent.mkdir(parents=True, exist_ok=True)
    try:
        if log_path.stat().st_size > _MAX_LOG_BYTES:
            log_path.replace(log_path.with_suffix(".old.log"))
    except OSError:
        # Without a log that is there or that can be moved, the worker's lines go to the one there is.
        return
