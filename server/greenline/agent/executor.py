"""One round of editing: model → tool call → permission → tool → staged edit, until the model is done."""

from __future__ import annotations

from collections.abc import Sequence

import attrs

from greenline.agent.control import RunControl
from greenline.agent.dialogue import Dialogue, Stopped, data
from greenline.agent.limits import CallCounter
from greenline.agent.record import Recorder
from greenline.agent.services import ToolOutcome, ToolSession
from greenline.core.event import RESUMED
from greenline.core.port import Completion, ToolRequest
from greenline.core.task import RunState, StopReason

CUT_OFF = "Your answer hit the output limit and was cut off. Go on, in smaller steps."
_MAX_CUT_OFF = 2
"""Answers in a row that may hit the output limit: a model that cannot write less is not asked for ever."""


def pause_point(control: RunControl, recorder: Recorder, after: RunState = RunState.EXECUTING) -> None:
    """Stand still here while the user has paused the run, and go on in `after`; raises `Cancelled`."""
    control.safe_point(lambda: recorder.state(RunState.PAUSED), lambda: recorder.state(after, RESUMED))


def work(
    dialogue: Dialogue, session: ToolSession, control: RunControl, recorder: Recorder, max_same_calls: int
) -> str:
    """Let the model edit until it answers without a tool call; return that answer.

    Raises `Stopped` at a bound; what is staged by then stays staged.
    """
    calls = Calls(dialogue, session, control, recorder, CallCounter(max_same_calls))
    while True:
        calls.hold()
        completion = dialogue.next(session.specs(reading_only=False), control.cancellation)
        requests = completion.message.tool_requests
        calls.run(requests)
        if calls.was_cut_off(completion):
            dialogue.tell(CUT_OFF)
        elif not requests:
            return completion.message.content


@attrs.define
class Calls:
    """Runs the calls of one round, says what came of them, and ends a round that goes in circles."""

    dialogue: Dialogue
    session: ToolSession
    control: RunControl
    recorder: Recorder
    counter: CallCounter
    state: RunState = RunState.EXECUTING
    """The run's state while they run."""
    n_cut_off: int = 0
    """Answers in a row that hit the output limit."""

    def hold(self) -> None:
        """Stand still while the user has paused the run; raises `Cancelled`."""
        pause_point(self.control, self.recorder, self.state)

    def run(self, requests: Sequence[ToolRequest]) -> None:
        """Run calls in order; raises `Stopped` for one that was made too often, `Cancelled`."""
        for request in requests:
            self.hold()
            if self.counter.is_circular(request):
                raise Stopped(
                    StopReason.NO_PROGRESS,
                    f"The model kept calling {request.name} with the same arguments and the same result.",
                )
            outcome = call_tool(self.session, request, self.control, self.recorder)
            text = data(source_of(request), outcome.text)
            n_same = self.counter.count(request, outcome.text, hash(self.session.edit_set()))
            if n_same > 1:
                text += (
                    f"\nYou have made this very call {n_same} times, and its result is the same. "
                    "Do something else; the run is stopped if you go on like this."
                )
            self.dialogue.reply(request, text)

    def was_cut_off(self, completion: Completion) -> bool:
        """Return whether an answer hit the output limit; raises `Stopped` where smaller steps do not help."""
        if completion.finish_reason != "length":
            self.n_cut_off = 0
            return False
        self.n_cut_off += 1
        if self.n_cut_off >= _MAX_CUT_OFF:
            raise Stopped(
                StopReason.NO_PROGRESS,
                "The model's answers hit its output limit, also when it was asked for smaller steps.",
            )
        return True


def source_of(request: ToolRequest) -> str:
    """Return how the result of a call is headed, so that the results of several calls can be told apart."""
    path = request.arguments.get("path")
    return f"{request.name} {path}" if isinstance(path, str) else request.name


def call_tool(
    session: ToolSession, request: ToolRequest, control: RunControl, recorder: Recorder
) -> ToolOutcome:
    """Run one tool call and record it; one that cannot be read is answered with what is wrong with it."""
    recorder.tool_call(request, session.kind(request.name))
    if request.problem:
        outcome = ToolOutcome(f"[badCall] {request.problem}", failed=True)
    else:
        outcome = session.call(request, control.cancellation)
    recorder.tool_result(request, "failed" if outcome.failed else "completed", outcome.text)
    return outcome
