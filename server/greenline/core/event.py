"""Events: the append-only record of a run, in the journal and on the wire alike."""

from __future__ import annotations

from enum import StrEnum
from typing import Any

import attrs


class EventKind(StrEnum):
    """Kinds of `agent/event`."""

    STATE = "state"
    THOUGHT = "thought"
    PLAN = "plan"
    TOOL_CALL = "toolCall"
    TOOL_RESULT = "toolResult"
    COMMAND = "command"
    EDIT = "edit"
    TEST_REPORT = "testReport"
    CHECKPOINT = "checkpoint"
    USAGE = "usage"
    ERROR = "error"


@attrs.frozen
class Event:
    """One line of a run's history; `seq` counts from 1 without gaps."""

    run_id: str
    seq: int
    time: float
    """Seconds since the epoch."""
    kind: EventKind
    data: dict[str, Any] = attrs.field(factory=dict)
    """JSON values only; secrets are masked before they get here."""


RESUMED = "Resumed."
"""Note of the state with which a run goes on after a pause, or is taken up again."""
IMAGE_NOT_USED = "imageNotUsed"
"""Code of the error event of a run whose images nobody looks at; the run goes on."""
