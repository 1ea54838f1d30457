"""The agent in a process of its own: requests come in as lines, each is served on its own thread.

Invariants: nothing but our lines reaches the front's pipe, whatever a library prints; and the process ends,
with its containers gone, when the front closes the pipe or dies.
"""

from __future__ import annotations

import importlib
import json
import logging
import os
import sys
import threading
import time
from collections.abc import Callable
from typing import Any, BinaryIO

from greenline.agent.agent import Agent
from greenline.agent.control import Answer
from greenline.agent.pipe import failure_of, line_of
from greenline.agent.priority import lowered
from greenline.core.agent_port import AgentStatus, Health
from greenline.core.cancel import Cancellation
from greenline.core.document import OpenDocument
from greenline.core.edit import EditSet
from greenline.core.error import GreenlineError, InvalidInput
from greenline.core.event import Event
from greenline.core.task import Plan, Task
from greenline.core.wire import from_json, to_json
from greenline.model.litellm_model import import_litellm
from greenline.workspace.snapshot import Snapshot

_log = logging.getLogger(__name__)
_HEALTH_S = 10.0
_WORK = frozenset({"plan", "revise", "execute", "resume"})
"""Requests that somebody waits for with the whole of the agent."""


def serve(build: Callable[[], Agent]) -> int:
    """Serve the front on the real standard input and output until it goes away; return the exit code.

    Call it first in the process; `build` is called once, at the first request.
    """
    source, sink = take_pipes()
    worker = Worker(build, sink)
    worker.run(source)
    # Threads of libraries must not keep a process that nobody talks to.
    logging.shutdown()
    os._exit(0)


def take_pipes() -> tuple[BinaryIO, BinaryIO]:
    """Move the real descriptors 0 and 1 aside: prints then go to the log, and no child inherits the pipes."""
    source = os.fdopen(os.dup(0), "rb")
    sink = os.fdopen(os.dup(1), "wb")
    null = os.open(os.devnull, os.O_RDONLY)
    os.dup2(null, 0)
    os.close(null)
    os.dup2(2, 1)
    sys.stdin = open(0, encoding="utf-8", closefd=False)  # noqa: SIM115  # a descriptor is no path
    return source, sink


class Worker:
    """Serves requests; one thread each."""

    def __init__(self, build: Callable[[], Agent], sink: BinaryIO) -> None:
        self._build = build
        self._sink = sink
        self._write_lock = threading.Lock()
        self._build_lock = threading.Lock()
        self._agent: Agent | None = None
        self._under_way: dict[int, Cancellation] = {}
        self._lock = threading.Lock()
        self._health: tuple[float, Health] | None = None
        self._hurry: Callable[[], None] | None = None
        """While the worker warms up: what ends its low priority, since a request may wait for the imports."""
        self._methods: dict[str, Callable[[dict[str, Any], Cancellation], Any]] = {
            "plan": self._plan,
            "revise": self._revise,
            "execute": self._execute,
            "verify": self._verify,
            "answer": self._answer,
            "pause": lambda p, _: self.agent.pause(p["runId"]),
            "resume": self._resume,
            "cancel": lambda p, _: self.agent.cancel(p["runId"]),
            "status": lambda _, __: self._status(),
            "warm": lambda _, __: self._warm(),
        }

    @property
    def agent(self) -> Agent:
        """The agent, built when first asked for."""
        with self._build_lock:
            if self._agent is None:
                self._agent = self._build()
                self._agent.services.journal.on_event = self._tell
            return self._agent

    def run(self, source: BinaryIO) -> None:
        """Serve lines until the pipe is closed, then stop everything."""
        for line in source:
            message = json.loads(line)
            if "cancel" in message:
                with self._lock:
                    cancellation = self._under_way.get(message["cancel"])
                if cancellation is not None:
                    # Hooks kill containers, which may take a moment; the next line must not wait for it.
                    threading.Thread(target=cancellation.cancel, name="cancel", daemon=True).start()
                continue
            cancellation = Cancellation()
            with self._lock:
                self._under_way[message["id"]] = cancellation
            threading.Thread(
                target=self._serve,
                args=(message["id"], message["method"], message["params"], cancellation),
                name=f"{message['method']} {message['id']}",
                daemon=True,
            ).start()
        if self._agent is not None:
            self._agent.close()

    def _serve(self, number: int, method: str, params: dict[str, Any], cancellation: Cancellation) -> None:
        answer: dict[str, Any]
        if method in _WORK and (hurry := self._hurry) is not None:
            hurry()
        try:
            answer = {"result": to_json(self._methods[method](params, cancellation))}
        except GreenlineError as error:
            answer = {"error": to_json(failure_of(error))}
        except Exception as error:  # noqa: BLE001
            # The boundary of a request: the front must get its answer whatever is wrong here.
            _log.exception("%s failed", method)
            text = f"The agent failed ({type(error).__name__}: {error})."
            answer = {"error": to_json(failure_of(GreenlineError(text, code="internal")))}
        with self._lock:
            self._under_way.pop(number, None)
        self._send({"id": number, **answer})

    def _tell(self, event: Event) -> None:
        self._send({"event": to_json(event)})

    def _send(self, message: dict[str, Any]) -> None:
        line = line_of(message)
        with self._write_lock:
            try:
                self._sink.write(line)
                self._sink.flush()
            except (BrokenPipeError, ValueError):
                # The front is gone; the reading side ends the process, and the journal has it all.
                _log.info("the front is gone")

    # --- methods ---------------------------------------------------------------------------------------

    def _plan(self, params: dict[str, Any], cancellation: Cancellation) -> Any:
        task = from_json(params["task"], Task)
        return self.agent.plan(task, _snapshot(task.roots, params["overlays"]), cancellation)

    def _revise(self, params: dict[str, Any], cancellation: Cancellation) -> Any:
        change: str | Plan = params.get("instruction", "")
        if params.get("plan") is not None:
            change = from_json(params["plan"], Plan)
        roots = self.agent.services.journal.run(params["runId"]).task.roots
        return self.agent.revise(params["runId"], change, _snapshot(roots, []), cancellation)

    def _execute(self, params: dict[str, Any], cancellation: Cancellation) -> Any:
        if params.get("task") is not None:
            task = from_json(params["task"], Task)
            return self.agent.execute(task, _snapshot(task.roots, params["overlays"]), cancellation)
        run = self.agent.services.journal.run(params["runId"])
        return self.agent.execute(run.id, _snapshot(run.task.roots, params["overlays"]), cancellation)

    def _verify(self, params: dict[str, Any], cancellation: Cancellation) -> Any:
        journal = self.agent.services.journal
        proposal = journal.proposal(params["proposalId"])
        roots = journal.run(proposal.run_id).task.roots
        edit_set = from_json(params["editSet"], EditSet)
        return self.agent.verify(proposal, edit_set, _snapshot(roots, params["overlays"]), cancellation)

    def _answer(self, params: dict[str, Any], _: Cancellation) -> Any:
        answer = Answer(params["decision"], params.get("note", ""))
        self.agent.answer(params["runId"], params["questionId"], answer)

    def _resume(self, params: dict[str, Any], _: Cancellation) -> Any:
        roots = self.agent.services.journal.run(params["runId"]).task.roots
        return self.agent.resume(params["runId"], _snapshot(roots, params["overlays"]))

    def _status(self) -> AgentStatus:
        services = self.agent.services
        model = services.model
        return AgentStatus(
            "ready",
            sandbox=self._sandbox_health(),
            model=Health(True, model.name) if model is not None else NO_MODEL,
            spent_usd=self.agent.spent_usd,
            cap_usd=services.limits.budget_usd,
        )

    def _sandbox_health(self) -> Health:
        now = time.monotonic()
        if self._health is None or now - self._health[0] > _HEALTH_S:
            found = self.agent.services.sandbox.health()
            health = Health(
                found.available,
                found.engine or found.name,
                ", ".join(part for part in (found.image, found.toolchain) if part),
                found.problem,
                found.remedy,
            )
            self._health = (now, health)
        return self._health[1]

    def _warm(self) -> None:
        """Import what the first run will need, on a thread that yields to everything else."""
        with lowered() as self._hurry:
            try:
                self._prepare()
            finally:
                self._hurry = None

    def _prepare(self) -> None:
        model = self.agent.services.model
        is_real = model is not None and not model.name.startswith(("cassette:", "scripted:"))
        try:
            importlib.import_module("docker")
            if is_real:
                import_litellm()
        except ImportError as error:
            raise InvalidInput(f"The agent cannot be warmed ({error}).", remedy="Install it anew.") from error
        self._sandbox_health()


NO_MODEL = Health(
    False,
    "repair",
    problem="No language model is configured; the repair engine serves requests about failing tests.",
    remedy="Name a model in GREENLINE_MODEL or in the user's configuration file.",
)


def _snapshot(roots: tuple[str, ...], overlays: Any) -> Snapshot:
    documents = from_json(overlays, tuple[OpenDocument, ...])
    return Snapshot(roots, {document.path: document for document in documents})
