"""The front's hand on the index worker: an `IndexClient` over pipes, with no heavy import.

A worker that dies is started again, with the open buffers; the pause between two starts grows.
"""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import attrs

from greenline.core.error import GreenlineError
from greenline.core.index_port import IndexAnswer, IndexStatus, SymbolHit
from greenline.core.wire import from_json
from greenline.process.client import WorkerDied, WorkerProcess

_log = logging.getLogger(__name__)
_TYPING_S = 0.1
"""Keystrokes within this time are one change."""
_STOP_S = 1.0
"""A worker that is killed loses nothing that the next one would not find: nobody waits for it long."""
_FIRST_RESTART_S = 0.5
_LONGEST_RESTART_S = 60.0


class LiveIndexClient:
    """Drives the index worker; for use on one event loop. Implements `IndexClient`."""

    def __init__(
        self, argv: Sequence[str], log_path: Path, environment: Mapping[str, str] | None = None
    ) -> None:
        """Know how to start the worker: `argv`, followed by the roots as JSON."""
        self.on_status: Callable[[IndexStatus], None] | None = None
        self._argv = tuple(argv)
        self._process = WorkerProcess((), log_path, environment, name="index", stop_s=_STOP_S)
        self._process.on_told = self._take
        self._process.on_died = self._died
        self._status = IndexStatus("off", note="No folder is open.")
        self._buffers: dict[str, str] = {}
        self._unsent: dict[str, str | None] = {}
        self._sending: asyncio.TimerHandle | None = None
        self._restart_s = _FIRST_RESTART_S
        self._restart: asyncio.TimerHandle | None = None
        self._roots: tuple[str, ...] = ()
        self._is_changing = False
        self._tasks: set[asyncio.Task[Any]] = set()

    @property
    def pid(self) -> int | None:
        """The worker's process id, or None where there is none."""
        return None if self._process.worker is None else self._process.worker.process.pid

    def start(self, roots: Sequence[str]) -> None:
        """Keep the index of these folders; other folders are another worker."""
        if tuple(roots) == self._roots:
            return
        self._roots = tuple(roots)
        if self._roots:
            self._say(IndexStatus("starting"))
        self._process.argv = (*self._argv, json.dumps(self._roots))
        self._background(self._change_roots(), "start the index worker")

    def status(self) -> IndexStatus:
        """Return what the worker last said."""
        return self._status

    def put_buffer(self, path: str, text: str | None) -> None:
        """Send an open buffer's text once the typing pauses."""
        if text is None:
            self._buffers.pop(path, None)
        else:
            self._buffers[path] = text
        self._unsent[path] = text
        if self._sending is None:
            loop = asyncio.get_running_loop()
            self._sending = loop.call_later(_TYPING_S, self._send_buffers)

    def changed(self, paths: Sequence[str]) -> None:
        """Send what changed on the disk; a buffer that was typed in before goes first."""
        self._send_buffers()
        self._notify("changed", {"paths": list(paths)})

    async def search(self, query: str, limit: int, kinds: Sequence[str], glob: str) -> IndexAnswer:
        """Search; what was typed in before is seen to first."""
        self._require()
        self._send_buffers()
        params = {"query": query, "limit": limit, "kinds": list(kinds), "glob": glob}
        return from_json(await self._ask("search", params), IndexAnswer)

    async def symbols(self, query: str, limit: int) -> tuple[SymbolHit, ...]:
        """Return definitions by a part of their name."""
        self._require()
        self._send_buffers()
        found = await self._ask("symbols", {"query": query, "limit": limit})
        return from_json(found, tuple[SymbolHit, ...])

    async def pause(self) -> None:
        """Let the index rest."""
        self._require()
        await self._process.call("pause", {})

    async def resume(self) -> None:
        """Go on."""
        self._require()
        await self._process.call("resume", {})

    async def stop(self) -> None:
        """End the worker; idempotent."""
        for handle in (self._sending, self._restart):
            if handle is not None:
                handle.cancel()
        self._process.is_stopped = True
        for task in list(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await self._process.stop()

    # --- inside -----------------------------------------------------------------------------------------

    def _require(self) -> None:
        if not self._roots:
            raise GreenlineError(
                "There is no index, since no folder is open.",
                remedy="Open a workspace folder first.",
                code="notAvailable",
            )

    async def _ask(self, method: str, params: dict[str, Any]) -> Any:
        """Ask a question that changes nothing; a worker that dies meanwhile costs time, and no answer."""
        try:
            return await self._process.call(method, params)
        except WorkerDied:
            if self._process.is_stopped:
                raise
        return await self._process.call(method, params)

    async def _change_roots(self) -> None:
        self._is_changing = True
        try:
            await self._process.end()
        finally:
            self._is_changing = False
        if self._roots:
            await self._begin()
        else:
            self._say(IndexStatus("off", note="No folder is open."))

    async def _begin(self) -> None:
        self._say(IndexStatus("starting"))
        try:
            await self._process.ready()
        except WorkerDied as error:
            if not self._process.is_stopped:
                self._say(IndexStatus("failed", note=str(error)))
                self._start_again()
            return
        self._unsent = {**self._buffers, **self._unsent}
        self._send_buffers()

    def _send_buffers(self) -> None:
        if self._sending is not None:
            self._sending.cancel()
            self._sending = None
        if self._unsent and self._process.worker is not None:
            texts, self._unsent = self._unsent, {}
            self._notify("buffers", {"texts": texts})

    def _notify(self, method: str, params: dict[str, Any]) -> None:
        """Send what wants no answer; a worker that is not there will look at everything when it starts."""
        worker = self._process.worker
        if worker is not None:
            self._process.post(worker, {"method": method, "params": params})

    def _take(self, message: dict[str, Any]) -> None:
        self._restart_s = _FIRST_RESTART_S
        self._say(from_json(message["status"], IndexStatus))

    def _say(self, status: IndexStatus) -> None:
        if status != self._status:
            self._status = status
            if self.on_status is not None:
                self.on_status(status)

    def _died(self) -> None:
        if self._roots and not self._is_changing:
            note = "The index worker ended and is started again."
            self._say(attrs.evolve(self._status, state="starting", role="", note=note))
            self._start_again()

    def _start_again(self) -> None:
        loop = asyncio.get_running_loop()
        self._restart = loop.call_later(
            self._restart_s, lambda: self._background(self._begin(), "start the index worker again")
        )
        self._restart_s = min(2 * self._restart_s, _LONGEST_RESTART_S)

    def _background(self, work: Any, name: str) -> None:
        task = asyncio.get_running_loop().create_task(work, name=name)
        self._tasks.add(task)
        task.add_done_callback(self._finished)

    def _finished(self, task: asyncio.Task[Any]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            _log.warning("%s failed: %s", task.get_name(), error)
