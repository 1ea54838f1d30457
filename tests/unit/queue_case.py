"""Engines that only count what they run, for tests of the queue before them."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

from greenline.core.cancel import Cancellation
from greenline.core.error import GreenlineError, SandboxUnavailable
from greenline.core.port import SandboxHealth, SandboxRequest, SandboxResult
from greenline.sandbox.engine_queue import Engine, EngineQueue
from greenline.sandbox.queued_sandbox import QueuedSandbox, SharedQueue


class CountingSandbox:
    """Implements `Sandbox`: runs nothing, takes a moment, and keeps account; may be sick for a while."""

    def __init__(self, name: str, run_s: float = 0.002) -> None:
        self.name = name
        self.run_s = run_s
        self.lock = threading.Lock()
        self.ran: list[tuple[str, str]] = []
        """Label and command of each run that was begun."""
        self.n_working = 0
        """How many runs work now, those that wait for their caller not counted."""
        self.most_working = 0
        self.n_held = 0
        self.most_held = 0
        self.sick_for = 0
        """How many of the next runs fail; the engine is sick until as many have."""
        self.is_sick = False
        self.n_looks = 0
        self.hold: threading.Event | None = None
        """Where set, runs last until it is."""
        self.n_closed = 0

    def health(self) -> SandboxHealth:
        self.n_looks += 1
        if self.is_sick or self.sick_for > 0:
            return SandboxHealth(False, self.name, problem=f"{self.name} is sick.", remedy="Wait.")
        return SandboxHealth(
            True, self.name, f"{self.name} 1.0", f"image-{self.name}", "image", warning="All is a test."
        )

    def run(self, request: SandboxRequest, cancellation: Cancellation) -> SandboxResult:
        cancellation.raise_if_cancelled()
        with self.lock:
            self.ran.append((request.label, request.command[0]))
            fails = self.is_sick or self.sick_for > 0
            self.sick_for -= int(self.sick_for > 0)
        self._work(1)
        try:
            if self.hold is not None:
                self.hold.wait(20)
            cancellation.wait(self.run_s)
            cancellation.raise_if_cancelled()
            if fails:
                raise SandboxUnavailable(f"{self.name} failed.", remedy="Wait.")
            while request.followup is not None:
                self._work(-1, held=1)
                wanted = request.followup(b"")
                self._work(1, held=-1)
                if wanted is None:
                    break
        finally:
            self._work(-1)
        return SandboxResult(0, False, self.name.encode(), request.command[0].encode(), self.run_s)

    def close(self) -> None:
        self.n_closed += 1

    def _work(self, change: int, held: int = 0) -> None:
        with self.lock:
            self.n_working += change
            self.n_held += held
            self.most_working = max(self.most_working, self.n_working)
            self.most_held = max(self.most_held, self.n_held)


def queue_of(*sandboxes: CountingSandbox, slots: int = 1, length: int = 50) -> SharedQueue:
    """Return a queue before engines."""
    return SharedQueue(lambda: EngineQueue([Engine(s.name, s, slots) for s in sandboxes], length))


def request(
    root: str,
    label: str,
    number: int = 0,
    followup: Callable[[bytes], bytes | None] | None = None,
    waiting: Callable[[str], None] | None = None,
) -> SandboxRequest:
    """Return a request that can be told from others."""
    return SandboxRequest(root, {}, (f"{number}",), label=label, followup=followup, waiting=waiting)


class Runs:
    """Requests that run in threads of their own."""

    def __init__(self, sandbox: QueuedSandbox) -> None:
        self.sandbox = sandbox
        self.threads: list[threading.Thread] = []
        self.ended: dict[tuple[str, str], list[object]] = {}
        """Label and command → every result or error that came; one is right."""
        self._lock = threading.Lock()

    def start(self, wanted: SandboxRequest, cancellation: Cancellation | None = None) -> Cancellation:
        """Begin a request; return what cancels it."""
        token = cancellation or Cancellation()

        def work() -> None:
            outcome: object
            try:
                outcome = self.sandbox.run(wanted, token)
            except GreenlineError as error:
                outcome = error
            with self._lock:
                self.ended.setdefault((wanted.label, wanted.command[0]), []).append(outcome)

        thread = threading.Thread(target=work)
        self.threads.append(thread)
        thread.start()
        return token

    def join(self, limit_s: float = 30.0) -> None:
        """Wait for all; one that does not end is a failed test."""
        deadline = time.monotonic() + limit_s
        for thread in self.threads:
            thread.join(max(0.0, deadline - time.monotonic()))
        assert not [thread for thread in self.threads if thread.is_alive()], "a run did not end"


def soon(holds: Callable[[], bool], limit_s: float = 10.0) -> bool:
    """Return whether something holds within a while."""
    deadline = time.monotonic() + limit_s
    while not holds() and time.monotonic() < deadline:
        time.sleep(0.002)
    return holds()
