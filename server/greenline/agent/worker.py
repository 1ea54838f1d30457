"""The agent in a process of its own: requests come in as lines, each is served on its own thread.

Invariants: nothing but our lines reaches the front's pipe, whatever a library prints; and the process ends,
with its containers gone, when the front closes the pipe or dies.
"""

from __future__ import annotations

import importlib
import logging
import os
import threading
import time
from collections.abc import Callable
from typing import Any, BinaryIO

from greenline.agent.agent import Agent
from greenline.agent.control import Answer
from greenline.core.agent_port import AgentStatus, Health
from greenline.core.cancel import Cancellation
from greenline.core.document import OpenDocument
from greenline.core.edit import EditSet
from greenline.core.error import GreenlineError, InvalidInput
from greenline.core.event import Event, EventKind
from greenline.core.task import Plan, Task
from greenline.core.wire import from_json, to_json
from greenline.model.litellm_model import import_litellm
from greenline.process.priority import lowered
from greenline.process.server import Method, PipeServer, take_pipes
from greenline.workspace.snapshot import Snapshot

_HEALTH_S = 10.0


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


class Worker:
    """Serves requests; one thread each."""

    def __init__(self, build: Callable[[], Agent], sink: BinaryIO) -> None:
        self._build = build
        self._build_lock = threading.Lock()
        self._agent: Agent | None = None
        self._health: tuple[float, Health] | None = None
        self._hurry: Callable[[], None] | None = None
        """While the worker warms up: what ends its low priority, since a request may wait for the imports."""
        methods: dict[str, Method] = {
            "plan": self._hurried(self._plan),
            "revise": self._hurried(self._revise),
            "execute": self._hurried(self._execute),
            "verify": self._verify,
            "answer": self._answer,
            "pause": lambda p, _: self.agent.pause(p["runId"]),
            "resume": self._hurried(self._resume),
            "cancel": lambda p, _: self.agent.cancel(p["runId"]),
            "status": lambda _, __: self._status(),
            "warm": lambda _, __: self._warm(),
        }
        self._pipe = PipeServer(methods, sink, "agent")

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
        self._pipe.run(source)
        if self._agent is not None:
            self._agent.close()

    def _tell(self, event: Event) -> None:
        if event.kind is EventKind.STATE:
            # The status is told with every state, and the engine may have been stopped or started since.
            self._health = None
        self._pipe.tell({"event": to_json(event)})

    def _hurried(self, method: Method) -> Method:
        """Return a method that somebody waits for with the whole of the agent."""

        def serve(params: dict[str, Any], cancellation: Cancellation) -> Any:
            if (hurry := self._hurry) is not None:
                hurry()
            return method(params, cancellation)

        return serve

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
        self._health = None
        return self.agent.verify(proposal, edit_set, _snapshot(roots, params["overlays"]), cancellation)

    def _answer(self, params: dict[str, Any], _: Cancellation) -> Any:
        answer = Answer(params["decision"], params.get("note", ""))
        self.agent.answer(params["runId"], params["questionId"], answer)

    def _resume(self, params: dict[str, Any], _: Cancellation) -> Any:
        roots = self.agent.services.journal.run(params["runId"]).task.roots
        return self.agent.resume(params["runId"], _snapshot(roots, params["overlays"]))

    def _status(self) -> AgentStatus:
        try:
            services = self.agent.services
        except GreenlineError as error:
            # What stands in the agent's way is part of its status, and no reason to have none.
            unusable = Health(False, "model", problem=error.message, remedy=error.remedy)
            return AgentStatus("ready", model=unusable)
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
        # Another thread may forget it meanwhile.
        known = self._health
        if known is None or now - known[0] > _HEALTH_S:
            found = self.agent.services.sandbox.health()
            health = Health(
                found.available,
                found.engine or found.name,
                ", ".join(part for part in (found.image, found.toolchain) if part),
                found.problem,
                found.remedy,
            )
            known = self._health = (now, health)
        return known[1]

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
