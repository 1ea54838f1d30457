"""One round of editing: model → tool call → permission → tool → staged edit, until the model is done."""

from __future__ import annotations

from greenline.agent.control import RunControl
from greenline.agent.dialogue import Dialogue, Stopped, data
from greenline.agent.limits import CallCounter
from greenline.agent.record import Recorder
from greenline.agent.services import ToolOutcome, ToolSession
from greenline.core.port import ToolRequest
from greenline.core.task import RunState, StopReason

CUT_OFF = "Your answer was cut off at the length limit. Go on, in smaller steps."


def pause_point(control: RunControl, recorder: Recorder) -> None:
    """Stand still here while the user has paused the run; raises `Cancelled`."""
    control.safe_point(
        lambda: recorder.state(RunState.PAUSED), lambda: recorder.state(RunState.EXECUTING, "Resumed.")
    )


def work(
    dialogue: Dialogue, session: ToolSession, control: RunControl, recorder: Recorder, max_same_calls: int
) -> str:
    """Let the model edit until it answers without a tool call; return that answer.

    Raises `Stopped` at a bound; what is staged by then stays staged.
    """
    calls = CallCounter(max_same_calls)
    while True:
        pause_point(control, recorder)
        completion = dialogue.next(session.specs(reading_only=False), control.cancellation)
        requests = completion.message.tool_requests
        if not requests and completion.finish_reason == "length":
            dialogue.tell(CUT_OFF)
            continue
        if not requests:
            return completion.message.content
        for request in requests:
            if calls.is_circular(request):
                raise Stopped(StopReason.NO_PROGRESS)
            outcome = call_tool(session, request, control, recorder)
            dialogue.reply(request, data(request.name, outcome.text))


def call_tool(
    session: ToolSession, request: ToolRequest, control: RunControl, recorder: Recorder
) -> ToolOutcome:
    """Run one tool call and record it."""
    recorder.tool_call(request, session.kind(request.name))
    outcome = session.call(request, control.cancellation)
    recorder.tool_result(request, "failed" if outcome.failed else "completed", outcome.text)
    return outcome
