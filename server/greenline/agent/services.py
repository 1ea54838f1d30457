"""What the agent works with: every part behind a port, put together by the composition root."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

import attrs

from greenline.agent.limits import LoopLimits
from greenline.agent.record import Mask
from greenline.agent.reflector import Attempt
from greenline.core.cancel import Cancellation
from greenline.core.edit import EditSet
from greenline.core.event import Event
from greenline.core.port import Journal, Limits, Model, Progress, Sandbox, ToolRequest, ToolSpec, Verifier
from greenline.core.task import Plan, Task
from greenline.tool.definition import Asking
from greenline.workspace.snapshot import Snapshot, StageGate


class RunJournal(Journal, Protocol):
    """A journal that tells of each event after it is on the disk."""

    on_event: Callable[[Event], None] | None


@attrs.frozen
class ToolOutcome:
    """What one tool call came to."""

    text: str
    """For the model; untrusted where it comes from files."""
    failed: bool = False


class ToolSession(Protocol):
    """The tools of one run over one staged copy."""

    def specs(self, *, reading_only: bool) -> tuple[ToolSpec, ...]:
        """Return the tools as the model sees them."""

    def kind(self, name: str) -> str:
        """Return a tool's kind, `read`, `edit` …; `other` for an unknown name."""

    def call(self, request: ToolRequest, cancellation: Cancellation) -> ToolOutcome:
        """Run a call, permission included; a bad call is an outcome and never raises, `Cancelled` does."""

    def outline(self, task: str, budget_tokens: int, cancellation: Cancellation) -> str:
        """Return a map of the project for a task, of at most so many tokens; untrusted, and empty where there
        is none."""

    def edit_set(self) -> EditSet:
        """Return what is staged now."""


class OpenTools(Protocol):
    """Makes the tools of a run."""

    def __call__(self, snapshot: Snapshot, gate: StageGate, asking: Asking, run_id: str) -> ToolSession:
        """Return tools over a fresh staged copy."""


@attrs.frozen
class RepairJob:
    """A plan of the repair engine that is to be carried out."""

    task: Task
    plan: Plan
    snapshot: Snapshot
    run_id: str
    cancellation: Cancellation
    progress: Progress
    hold: Callable[[], None]
    """Called between batches; returns once the run may go on, and raises `Cancelled`."""


@attrs.frozen
class Repair:
    """What a repair came to."""

    attempt: Attempt | None
    """A fix with its evidence; None where none was found."""
    note: str
    """What was done, or why nothing was found; one sentence."""


class Repairer(Protocol):
    """Plans and finds fixes for failing tests without a model."""

    def plan(
        self, task: Task, snapshot: Snapshot, run_id: str, cancellation: Cancellation, progress: Progress
    ) -> Plan:
        """Run the tests, find where the fault may lie, and return a plan."""

    def repair(self, job: RepairJob) -> Repair:
        """Search for a fix that the whole suite passes."""


@attrs.frozen
class Services:
    """Everything that the agent is made of."""

    journal: RunJournal
    verifier: Verifier
    sandbox: Sandbox
    gate: Callable[[tuple[str, ...]], StageGate]
    mask: Mask
    tools: OpenTools
    model: Model | None = None
    critic: Model | None = None
    """Judges plans; None: the same model."""
    repairer: Repairer | None = None
    limits: LoopLimits = attrs.field(factory=LoopLimits)
    test_limits: Limits = attrs.field(factory=Limits)
