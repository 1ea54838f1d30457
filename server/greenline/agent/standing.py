"""What can be done with a run in each state, and what is said where something else was asked for. Pure."""

from __future__ import annotations

from greenline.core.error import WrongState
from greenline.core.task import ACTIVE, RunState

RESUMABLE = frozenset({RunState.CANCELLED, RunState.FAILED, RunState.INTERRUPTED, RunState.PAUSED})
STARTABLE = RESUMABLE | {RunState.AWAITING_APPROVAL}
_ELSE = "Ask for a new plan."
_REMEDY = {
    **dict.fromkeys(ACTIVE, "Wait for it, or cancel it with agent/cancel."),
    RunState.AWAITING_APPROVAL: "Execute it with agent/execute.",
    RunState.NEEDS_INPUT: "Answer its questions with agent/respond, or cancel it with agent/cancel.",
    RunState.PROPOSED: "Review its proposal with agent/review, or ask for a new plan.",
    **dict.fromkeys(RESUMABLE, "Take it up again with agent/resume."),
}


def wrong_state(words: str, state: RunState | None) -> WrongState:
    """Return the error of a run in this state, with what can be done instead; None: only a new plan helps."""
    return WrongState(words, remedy=_ELSE if state is None else _REMEDY.get(state, _ELSE))
