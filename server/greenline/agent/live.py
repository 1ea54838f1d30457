"""The runs that are worked on now, and the threads of their work.

Invariant: a run is worked on once at a time, and by nobody once the agent is closing.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable

from greenline.agent.control import RunControl
from greenline.core.cancel import Cancellation
from greenline.core.error import GreenlineError, WrongState

_log = logging.getLogger(__name__)

CANCEL_WAIT_S = 5.0


class LiveRuns:
    """Every method may be called from any thread."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._controls: dict[str, RunControl] = {}
        self._threads: list[threading.Thread] = []
        self._is_closing = False

    @property
    def is_closing(self) -> bool:
        """Whether everything is being stopped."""
        return self._is_closing

    def enter(self, run_id: str, cancellation: Cancellation) -> RunControl:
        """Take hold of a run, so that it can be cancelled from now on; `leave` must follow."""
        control = RunControl(run_id, cancellation)
        with self._lock:
            if self._is_closing:
                raise WrongState("The agent is shutting down.", remedy="Start the server again.")
            if run_id in self._controls:
                raise WrongState(f"The run {run_id} is being worked on.", remedy="Wait for it, or cancel it.")
            self._controls[run_id] = control
        return control

    def leave(self, control: RunControl) -> None:
        """Let go of a run, and say so to whoever waits for it."""
        with self._lock:
            self._controls.pop(control.run_id, None)
        control.finish()

    def control(self, run_id: str) -> RunControl | None:
        """Return the hand on a run, or None where nobody works on it."""
        with self._lock:
            return self._controls.get(run_id)

    def spawn(self, run_id: str, action: Callable[[], object]) -> None:
        """Work on a run on a thread of ours; what goes wrong is in the journal already."""

        def body() -> None:
            try:
                action()
            except GreenlineError as error:
                _log.info("run %s ended: %s", run_id, error)

        thread = threading.Thread(target=body, name=f"run {run_id}", daemon=True)
        with self._lock:
            self._threads = [known for known in self._threads if known.is_alive()]
            self._threads.append(thread)
            # A thread that is listed before it runs looks as if it had ended, to the next one that looks.
            thread.start()

    def close(self) -> None:
        """Cancel every run and wait for what works on it. Idempotent."""
        with self._lock:
            self._is_closing = True
            controls, threads = list(self._controls.values()), list(self._threads)
        for control in controls:
            control.cancellation.cancel()
        for control in controls:
            control.wait_finished(CANCEL_WAIT_S)
        for thread in threads:
            thread.join(CANCEL_WAIT_S)
