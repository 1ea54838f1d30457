"""A sandbox that is several: its runs go through the queue of this process to one of the engines."""

from __future__ import annotations

import itertools
import threading
from collections.abc import Callable, Iterable

import attrs

from greenline.core.cancel import Cancellation
from greenline.core.error import SandboxUnavailable
from greenline.core.port import Fingerprinted, SandboxHealth, SandboxRequest, SandboxResult
from greenline.sandbox.engine_queue import EngineQueue, Ticket

_numbers = itertools.count(1)


class SharedQueue:
    """One queue for all that use it; its engines are let go of with the last of them."""

    def __init__(self, make: Callable[[], EngineQueue]) -> None:
        self._make = make
        self._lock = threading.Lock()
        self._queue: EngineQueue | None = None
        self._n_users = 0

    def open(self) -> EngineQueue:
        """Return the queue for one more user; `close` must follow."""
        with self._lock:
            if self._queue is None:
                self._queue = self._make()
            self._n_users += 1
            return self._queue

    def close(self) -> None:
        """Let go of it; the last user closes the engines."""
        with self._lock:
            self._n_users -= 1
            queue = None
            if not self._n_users:
                queue, self._queue = self._queue, None
        if queue is not None:
            queue.close()


class QueuedSandbox:
    """Implements `Sandbox` and `Fingerprinted` over a queue; safe to use from several threads.

    What has one label is one verification, and runs on one engine.
    """

    def __init__(self, shared: SharedQueue) -> None:
        self._shared = shared
        self._queue = shared.open()
        self._number = next(_numbers)
        self._lock = threading.Lock()
        self._closed = False

    def health(self) -> SandboxHealth:
        """Return whether one of the engines can be used; never raises."""
        healths = self._queue.healths()
        names = [engine.name for engine in self._queue.engines]
        usable = [health for health in healths if health.available]
        if not usable:
            problems = " ".join(f"{n}: {h.problem}" for n, h in zip(names, healths, strict=True))
            remedy = next((health.remedy for health in healths if health.remedy), "")
            problem = f"None of {len(healths)} engines can be used. {problems}"
            return SandboxHealth(False, "queue", problem=problem, remedy=remedy)
        out = [
            f"The engine {name} is left out: {health.problem} {health.remedy}".strip()
            for name, health in zip(names, healths, strict=True)
            if not health.available
        ]
        notes = dict.fromkeys(note for health in usable for note in health.notes)
        return SandboxHealth(
            True,
            _all_of(health.name for health in usable),
            f"{len(usable)} of {len(healths)} engines: {_all_of(health.engine for health in usable)}",
            _all_of(health.image for health in usable),
            _all_of(health.toolchain for health in usable),
            notes=(*out, *notes),
            warning=" ".join(dict.fromkeys(health.warning for health in usable if health.warning)),
        )

    def run(self, request: SandboxRequest, cancellation: Cancellation) -> SandboxResult:
        """Run a request when it is its turn; raises `SandboxUnavailable`, or `Cancelled` within 2 s."""
        ticket = Ticket(request.root, self._caller(request), request.waiting or (lambda _: None))
        n_asked, is_again = 0, False

        def ask(report: bytes) -> bytes | None:
            nonlocal n_asked
            n_asked += 1
            assert request.followup is not None
            # Others must have the place meanwhile: what this waits for may be one of them.
            self._queue.pause(ticket)
            try:
                return request.followup(report)
            finally:
                self._queue.resume(ticket)

        followup = None if request.followup is None else ask
        while True:
            self._queue.enter(ticket, again=is_again)
            engine = self._queue.wait(ticket, cancellation)
            result = None
            try:
                result = engine.sandbox.run(attrs.evolve(request, followup=followup), cancellation)
            except SandboxUnavailable:
                if not self._queue.failed(ticket, may_move=not n_asked):
                    raise
            finally:
                is_there = self._queue.leave(ticket, is_done=result is not None)
            if result is not None and is_there:
                return result
            if n_asked:
                raise SandboxUnavailable(
                    f"The engine {engine.name} failed in the middle of this verification.",
                    remedy="Verify again: another engine takes it.",
                )
            is_again = True

    def fingerprint(self, request: SandboxRequest) -> str:
        """Return the engine's name and its own fingerprint; see `Fingerprinted`."""
        engine = self._queue.place_of(self._caller(request))
        if not isinstance(engine.sandbox, Fingerprinted):
            raise SandboxUnavailable(f"Nobody knows what a run on {engine.name} depends on.")
        return f"{engine.name} {engine.sandbox.fingerprint(request)}"

    def close(self) -> None:
        """Let go of the queue; may be called twice."""
        with self._lock:
            if self._closed:
                return
            self._closed = True
        self._shared.close()

    def _caller(self, request: SandboxRequest) -> str:
        return f"{self._number} {request.label}"


def _all_of(words: Iterable[str]) -> str:
    return ", ".join(dict.fromkeys(word for word in words if word))
