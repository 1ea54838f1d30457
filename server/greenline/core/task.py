"""Task, Plan, Proposal and Run: the durable nouns of the agent's protocol."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Literal

import attrs

from greenline.core.edit import Hunk, HunkState, RefusedChange
from greenline.core.evidence import Evidence


@attrs.frozen
class ContextRange:
    """A piece of a document that the user pointed at."""

    path: str
    start_line: int
    """0-based."""
    end_line: int
    """0-based, inclusive."""


@attrs.frozen
class Attachment:
    """An image that the user attached; what it holds is in the journal."""

    name: str
    media_type: str
    content: str
    """Its SHA-256 (hex), by which the journal knows it."""


@attrs.frozen
class TaskContext:
    """What the user had before their eyes when they asked."""

    range: ContextRange | None = None
    diagnostics: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    attachments: tuple[Attachment, ...] = ()

    @property
    def paths(self) -> tuple[str, ...]:
        """The files and folders that the request is about."""
        return (*(() if self.range is None else (self.range.path,)), *self.files)


@attrs.frozen
class Task:
    """What the user asked for."""

    request: str
    roots: tuple[str, ...]
    """Absolute paths of the roots that the run is pinned to."""
    context: TaskContext = TaskContext()
    constraints: tuple[str, ...] = ()
    refused: tuple[RefusedChange, ...] = ()
    """What the user rejected in the runs that this one follows up."""
    session: str = ""
    """The conversation of an agent client that the run belongs to, or empty."""


class EntryStatus(StrEnum):
    """Progress of one plan entry."""

    PENDING = "pending"
    IN_PROGRESS = "inProgress"
    COMPLETED = "completed"
    FAILED = "failed"


@attrs.frozen
class PlanEntry:
    """One step of a plan."""

    number: int
    """From 1."""
    intent: str
    files: tuple[str, ...] = ()
    """Paths relative to the root."""
    checks: tuple[str, ...] = ()
    """Acceptance checks: test ids that must pass, or sentences for people."""
    status: EntryStatus = EntryStatus.PENDING


@attrs.frozen
class Plan:
    """A numbered, versioned list of entries."""

    version: int
    entries: tuple[PlanEntry, ...]
    risk: str = ""
    score: int | None = None
    """The critic's score, 1–10; None where no model judged it."""
    engine: Literal["model", "repair"] = "model"
    remarks: tuple[str, ...] = ()
    """Problems that the critic named, for whoever carries the plan out."""


class RunState(StrEnum):
    """The durable life of a Task."""

    PLANNING = "planning"
    AWAITING_APPROVAL = "awaitingApproval"
    NEEDS_INPUT = "needsInput"
    EXECUTING = "executing"
    VERIFYING = "verifying"
    PROPOSED = "proposed"
    ACCEPTED = "accepted"
    PARTLY_ACCEPTED = "partlyAccepted"
    REJECTED = "rejected"
    PAUSED = "paused"
    INTERRUPTED = "interrupted"
    FAILED = "failed"
    CANCELLED = "cancelled"


ACTIVE = frozenset(
    {RunState.PLANNING, RunState.NEEDS_INPUT, RunState.EXECUTING, RunState.VERIFYING, RunState.PAUSED}
)
"""States in which a process works on the run or is expected to."""


class StopReason(StrEnum):
    """Why the agent's loop ended."""

    DONE = "done"
    MAX_ITERATIONS = "maxIterations"
    MAX_TURNS = "maxTurns"
    BUDGET = "budget"
    NO_PROGRESS = "noProgress"
    NO_FIX_FOUND = "noFixFound"
    REFUSED = "refused"
    CANCELLED = "cancelled"
    ERROR = "error"


@attrs.frozen
class Proposal:
    """An EditSet cut into Hunks, with its Evidence and its review state."""

    id: str
    run_id: str
    hunks: tuple[Hunk, ...]
    evidence: Evidence
    summary: str = ""
    stop_reason: StopReason = StopReason.DONE
    alternatives: tuple[str, ...] = ()
    """Unified diffs of other fixes that the whole suite passes too."""

    def pending(self) -> tuple[Hunk, ...]:
        """Return the hunks that still wait for a decision."""
        return tuple(h for h in self.hunks if h.state is HunkState.PENDING)

    def with_states(self, states: Mapping[str, HunkState], comments: Mapping[str, str]) -> Proposal:
        """Return the proposal with other states and comments for some hunks, and its evidence judged anew."""
        hunks = tuple(
            attrs.evolve(h, state=states.get(h.id, h.state), comment=comments.get(h.id, h.comment))
            for h in self.hunks
        )
        return attrs.evolve(self, hunks=hunks).with_evidence(self.evidence)

    def with_evidence(self, evidence: Evidence) -> Proposal:
        """Return the proposal with evidence that is `partial` where it measured another choice of hunks.

        What counts is what was accepted, or what waits where nothing was accepted.
        """
        of = {s: {h.id for h in self.hunks if h.state is s} for s in HunkState}
        measured = {h.id for h in self.hunks} if evidence.measured is None else set(evidence.measured)
        stands = of[HunkState.ACCEPTED] or of[HunkState.PENDING]
        is_undecided = evidence.measured is None and len({h.state for h in self.hunks}) == 1
        currency: Literal["current", "partial"] = (
            "current" if is_undecided or measured == stands else "partial"
        )
        return attrs.evolve(self, evidence=attrs.evolve(evidence, currency=currency))

    def run_state(self) -> RunState:
        """Return the state that the review so far calls for."""
        states = {hunk.state for hunk in self.hunks}
        if HunkState.ACCEPTED in states:
            return RunState.ACCEPTED if states == {HunkState.ACCEPTED} else RunState.PARTLY_ACCEPTED
        return RunState.PROPOSED if HunkState.PENDING in states else RunState.REJECTED


@attrs.frozen
class Run:
    """One run as the journal knows it now."""

    id: str
    task: Task
    state: RunState
    created: float
    """Seconds since the epoch."""
    plan: Plan | None = None
    proposal: Proposal | None = None
    last_seq: int = 0
    note: str = ""
    """Why the run is in this state, where that needs words (an error, a question)."""


@attrs.frozen
class ActiveRun:
    """A run that is under way: cheap to read."""

    id: str
    state: RunState
    task: Task


@attrs.frozen
class RunStory:
    """What there is to say of a run where one of its changes is: cheap to read."""

    request: str
    created: float
    """Seconds since the epoch."""
    plan: Plan | None = None
    spent_usd: float | None = None
    """What its models cost; None where none was asked."""
