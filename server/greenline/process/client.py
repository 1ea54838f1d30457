"""The front's side of a worker process: started when needed, asked over pipes, buried when it dies.

Invariant: every call ends once, with the worker's answer or with the error that the worker died.
"""

from __future__ import annotations

import asyncio
import json
import logging
import os
import sys
from collections.abc import Awaitable, Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import attrs

from greenline.core.error import GreenlineError
from greenline.core.wire import from_json
from greenline.journal.owner import process_owner
from greenline.process.line import MAX_LINE_BYTES, Failure, error_of, line_of

_log = logging.getLogger(__name__)
_CANCEL_S = 8.0
_STOP_S = 8.0
_MAX_LOG_BYTES = 4 * 1024 * 1024
"""How large the worker's log may be when a worker starts; a larger one becomes the old log."""


class WorkerDied(GreenlineError):
    """A worker process ended while it was asked for something."""

    code = "workerDied"


@attrs.define(eq=False)
class Worker:
    """One process and what it was asked."""

    process: asyncio.subprocess.Process
    owner: str
    """Names the process, also after its end (`greenline.journal.owner`)."""
    waiting: dict[int, asyncio.Future[Any]] = attrs.field(factory=dict)
    reader: asyncio.Task[None] | None = None


class WorkerProcess:
    """At most one worker at a time, started by the first call; for use on one event loop."""

    def __init__(
        self,
        argv: Sequence[str],
        log_path: Path,
        environment: Mapping[str, str] | None = None,
        *,
        name: str = "agent",
        stop_s: float = _STOP_S,
    ) -> None:
        """Know how to start the worker; its standard error goes to a log.

        A worker that has not ended `stop_s` after its pipe was closed is killed.
        """
        self.on_told: Callable[[dict[str, Any]], None] | None = None
        """Called with each message that answers nothing."""
        self.on_ending: Callable[[Worker], Awaitable[None]] | None = None
        """Awaited after the process's end, before those who wait are told."""
        self.on_died: Callable[[], None] | None = None
        """Called after they were told, where nobody had stopped the worker."""
        self.argv = tuple(argv)
        self._log_path = log_path
        self._environment = dict(os.environ if environment is None else environment)
        self._name = name
        self._stop_s = stop_s
        self._worker: Worker | None = None
        self._starting = asyncio.Lock()
        self._number = 0
        self.is_stopped = False

    @property
    def worker(self) -> Worker | None:
        """The worker that runs now, or None."""
        return self._worker

    async def ready(self, *more: str) -> Worker:
        """Return the worker, started (with `more` after its arguments) where there is none.

        Raises `WorkerDied`.
        """
        async with self._starting:
            if self.is_stopped:
                raise WorkerDied(f"The {self._name} was stopped.")
            if self._worker is None:
                self._worker = await self._spawn(more)
            return self._worker

    async def call(self, method: str, params: dict[str, Any]) -> Any:
        """Ask the worker, started where there is none; raises what the worker answers."""
        return await self.ask(await self.ready(), method, params)

    async def ask(self, worker: Worker, method: str, params: dict[str, Any]) -> Any:
        """Send a request and wait for its answer; a cancelled wait cancels the request first."""
        self._number += 1
        number = self._number
        answer: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        worker.waiting[number] = answer
        try:
            await self.send(worker, {"id": number, "method": method, "params": params})
            return await asyncio.shield(answer)
        except asyncio.CancelledError:
            if worker.waiting.get(number) is answer:
                await self.send(worker, {"cancel": number})
                await asyncio.wait({answer}, timeout=_CANCEL_S)
            raise
        finally:
            worker.waiting.pop(number, None)
            if answer.done() and not answer.cancelled():
                # The answer of a cancelled call is wanted by nobody; looking at it keeps asyncio quiet.
                answer.exception()

    async def send(self, worker: Worker, message: dict[str, Any]) -> None:
        """Send a message; where the worker is gone, the reader notices and answers everybody who waits."""
        assert worker.process.stdin is not None
        try:
            worker.process.stdin.write(line_of(message))
            await worker.process.stdin.drain()
        except (ConnectionError, RuntimeError):
            _log.debug("the %s worker is gone", self._name)

    def post(self, worker: Worker, message: dict[str, Any]) -> None:
        """Send a message without waiting for the worker to read it; what is asked later comes later."""
        assert worker.process.stdin is not None
        try:
            worker.process.stdin.write(line_of(message))
        except (ConnectionError, RuntimeError):
            _log.debug("the %s worker is gone", self._name)

    async def stop(self) -> None:
        """Close the worker's pipe, on which it stops everything and ends; kill it where it does not."""
        self.is_stopped = True
        await self.end()

    async def end(self) -> None:
        """End the worker that runs now; the next call starts another one."""
        async with self._starting:
            worker = self._worker
        if worker is None:
            return
        assert worker.process.stdin is not None
        worker.process.stdin.close()
        try:
            async with asyncio.timeout(self._stop_s):
                await worker.process.wait()
        except TimeoutError:
            worker.process.kill()
        if worker.reader is not None:
            await worker.reader

    # --- inside ----------------------------------------------------------------------------------------

    async def _spawn(self, more: tuple[str, ...]) -> Worker:
        _make_room(self._log_path)
        try:
            with self._log_path.open("ab") as log:
                process = await asyncio.create_subprocess_exec(
                    *self.argv,
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
            raise WorkerDied(f"The {self._name}'s process cannot be started ({error}).") from error
        worker = Worker(process, process_owner(process.pid))
        worker.reader = asyncio.create_task(self._read(worker), name=f"read the {self._name} worker")
        return worker

    async def _read(self, worker: Worker) -> None:
        assert worker.process.stdout is not None
        try:
            while line := await worker.process.stdout.readline():
                self._take(worker, json.loads(line))
        except ValueError:
            _log.exception("the %s worker sent a line that cannot be read", self._name)
            worker.process.kill()
        await self._bury(worker)

    def _take(self, worker: Worker, message: dict[str, Any]) -> None:
        if "id" not in message:
            self._tell(message)
            return
        answer = worker.waiting.pop(message["id"], None)
        if answer is None or answer.done():
            return
        if "error" in message:
            answer.set_exception(error_of(from_json(message["error"], Failure)))
        else:
            answer.set_result(message["result"])

    def _tell(self, message: dict[str, Any]) -> None:
        try:
            if self.on_told is not None:
                self.on_told(message)
        except Exception:  # noqa: BLE001
            # A listener's fault must not cost the messages and answers that follow.
            _log.exception("a listener of the %s worker failed", self._name)

    async def _bury(self, worker: Worker) -> None:
        code = await worker.process.wait()
        if self.on_ending is not None:
            await self.on_ending(worker)
        if self._worker is worker:
            self._worker = None
        error = WorkerDied(
            f"The {self._name}'s process ended (exit code {code}).",
            remedy=f"Ask again, it is started anew; {self._log_path} may say why.",
        )
        for answer in worker.waiting.values():
            if not answer.done():
                answer.set_exception(error)
        worker.waiting.clear()
        if self.on_died is not None and not self.is_stopped:
            self.on_died()


def _make_room(log_path: Path) -> None:
    """Begin a new log where the last one has grown large; one old log is kept."""
    log_path.parent.mkdir(parents=True, exist_ok=True)
    try:
        if log_path.stat().st_size > _MAX_LOG_BYTES:
            log_path.replace(log_path.with_suffix(".old.log"))
    except OSError:
        # Without a log that is there or that can be moved, the worker's lines go to the one there is.
        return
