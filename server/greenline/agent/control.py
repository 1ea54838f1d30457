"""The hand that the user has on a live run: cancel, pause, and answers to its questions.

One object a run, shared by the thread that works on the run and the threads that bring requests.
"""

from __future__ import annotations

import threading
from collections.abc import Callable

import attrs

from greenline.core.agent_port import Question
from greenline.core.cancel import Cancellation
from greenline.core.error import NotFound


@attrs.frozen
class Answer:
    """What the user decided."""

    decision: str
    note: str = ""


class RunControl:
    """Steers one run; every method may be called from any thread."""

    def __init__(self, run_id: str, cancellation: Cancellation) -> None:
        self.run_id = run_id
        self.cancellation = cancellation
        self._changed = threading.Condition()
        self._pausing = False
        self._paused = False
        self._holding = False
        self._finished = False
        self._open: dict[str, Question] = {}
        self._answers: dict[str, Answer] = {}

    # --- the worker's side -----------------------------------------------------------------------------

    def safe_point(self, on_pause: Callable[[], None], on_resume: Callable[[], None]) -> None:
        """Raise `Cancelled` once cancelled; where a pause was asked for, wait here until it is lifted.

        `on_pause` and `on_resume` are called around the wait.
        """
        self.cancellation.raise_if_cancelled()
        with self._changed:
            if not self._pausing:
                return
            self._holding = True
        try:
            on_pause()
            with self.cancellation.hook(self._wake), self._changed:
                self._paused = True
                self._changed.notify_all()
                self._changed.wait_for(lambda: not self._pausing or self.cancellation.cancelled)
                self._paused = False
            self.cancellation.raise_if_cancelled()
            on_resume()
        finally:
            with self._changed:
                self._holding = False
                self._changed.notify_all()

    def ask(self, questions: tuple[Question, ...], announce: Callable[[], None]) -> tuple[Answer, ...]:
        """Wait until every question is answered; raises `Cancelled`.

        `announce` is called once the questions can be answered.
        """
        with self._changed:
            self._open.update({question.id: question for question in questions})
        announce()
        ids = [question.id for question in questions]
        with self.cancellation.hook(self._wake), self._changed:
            self._changed.wait_for(
                lambda: self.cancellation.cancelled or all(name in self._answers for name in ids)
            )
        self.cancellation.raise_if_cancelled()
        with self._changed:
            for name in ids:
                self._open.pop(name, None)
            return tuple(self._answers.pop(name) for name in ids)

    def finish(self) -> None:
        """Say that nothing of the run is running any more."""
        with self._changed:
            self._finished = True
            self._changed.notify_all()

    # --- the user's side -------------------------------------------------------------------------------

    def answer(self, question_id: str, answer: Answer) -> None:
        """Answer an open question; raises `NotFound`."""
        with self._changed:
            if question_id not in self._open or question_id in self._answers:
                raise NotFound(
                    f"The run waits for no answer to {question_id}.",
                    remedy="The events of agent/run say what it asks.",
                )
            self._answers[question_id] = answer
            self._changed.notify_all()

    def pause(self, timeout_s: float) -> None:
        """Ask for a pause, and wait up to `timeout_s` for the run to reach a safe point."""
        with self._changed:
            self._pausing = True
            self._changed.wait_for(lambda: self._paused or self._finished, timeout_s)

    def resume(self, timeout_s: float) -> None:
        """Lift a pause, and wait up to `timeout_s` for the run to go on, so that its state tells so."""
        with self._changed:
            self._pausing = False
            self._changed.notify_all()
            self._changed.wait_for(lambda: not self._holding, timeout_s)

    def wait_finished(self, timeout_s: float) -> bool:
        """Wait for the run to come to rest; return whether it has."""
        with self._changed:
            return self._changed.wait_for(lambda: self._finished, timeout_s)

    def _wake(self) -> None:
        with self._changed:
            self._changed.notify_all()
