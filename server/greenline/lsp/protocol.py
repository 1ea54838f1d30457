"""The `agent/*` messages: names, params and results as typed values; the wire form is their camelCase JSON.

Files are URIs and positions are LSP positions in the negotiated encoding. docs/protocol.md describes each.
"""

from __future__ import annotations

from typing import Any, Literal

import attrs
from lsprotocol import types

from greenline.core.agent_port import AgentStatus, Question
from greenline.core.evidence import Evidence
from greenline.core.index_port import IndexStatus
from greenline.core.task import Plan
from greenline.lsp.review_message import Conflict as Conflict
from greenline.lsp.review_message import DecisionParams as DecisionParams
from greenline.lsp.review_message import NeedInfo as NeedInfo
from greenline.lsp.review_message import ReviewParams as ReviewParams
from greenline.lsp.review_message import ReviewResult as ReviewResult
from greenline.lsp.review_message import UndoConflictInfo as UndoConflictInfo
from greenline.lsp.review_message import UndoParams as UndoParams
from greenline.lsp.review_message import UndoResult as UndoResult

PLAN = "agent/plan"
REVISE_PLAN = "agent/revisePlan"
EXECUTE = "agent/execute"
RESPOND = "agent/respond"
REVIEW = "agent/review"
UNDO = "agent/undo"
PAUSE = "agent/pause"
RESUME = "agent/resume"
CANCEL = "agent/cancel"
EXPLAIN = "agent/explain"
SEARCH = "agent/search"
RUN = "agent/run"
RUNS = "agent/runs"
STATUS = "agent/status"
VERIFY = "agent/verify"

EVENT = "agent/event"
PROPOSAL_CHANGED = "agent/proposalChanged"
STATUS_CHANGED = "agent/statusChanged"


@attrs.frozen
class AttachmentParams:
    """An image that the request shows."""

    name: str
    """For people."""
    data: str
    """The file's bytes as base64."""


@attrs.frozen
class TaskContextParams:
    """What the user pointed at."""

    text_document: types.TextDocumentIdentifier | None = None
    range: types.Range | None = None
    diagnostics: tuple[str, ...] = ()
    """Messages of diagnostics that the request is about."""
    files: tuple[str, ...] = ()
    """URIs of further files."""
    attachments: tuple[AttachmentParams, ...] = ()


@attrs.frozen
class PlanParams:
    """Ask for a plan."""

    request: str
    context: TaskContextParams | None = None
    constraints: tuple[str, ...] = ()
    work_done_token: int | str | None = None


@attrs.frozen
class PlanResult:
    """The plan, or what must be answered first."""

    run_id: str
    plan: Plan | None = None
    questions: tuple[Question, ...] = ()


@attrs.frozen
class RevisePlanParams:
    """Change a plan: by an instruction, or by the plan as the user wrote it."""

    run_id: str
    instruction: str | None = None
    plan: Plan | None = None


@attrs.frozen
class RevisePlanResult:
    """The next version of the plan."""

    plan: Plan


@attrs.frozen
class ExecuteParams:
    """Execute a planned run, or plan and execute a request."""

    run_id: str | None = None
    request: str | None = None
    context: TaskContextParams | None = None
    constraints: tuple[str, ...] = ()
    work_done_token: int | str | None = None


@attrs.frozen
class HunkInfo:
    """One hunk, placed on the text as it is now."""

    id: str
    uri: str
    op: Literal["edit", "create", "delete"]
    range: types.Range
    """The lines that it replaces; empty for a pure insertion."""
    before: str
    after: str
    state: str
    base_hash: str
    base_version: int | None = None
    why: str = ""
    plan_entry: int | None = None
    comment: str = ""
    needs: tuple[str, ...] = ()
    mode: int | None = None
    """Mode bits for the file."""


@attrs.frozen
class ProposalInfo:
    """A proposal with its evidence and review state."""

    id: str
    run_id: str
    verdict: str
    reason: str
    summary: str
    stop_reason: str
    hunks: tuple[HunkInfo, ...]
    evidence: Evidence
    """Without the coverage tables of its reports."""
    alternatives: tuple[str, ...] = ()


@attrs.frozen
class ExecuteResult:
    """The run has come to rest; without a proposal, `state` and `note` say why."""

    run_id: str
    state: str
    proposal: ProposalInfo | None = None
    note: str = ""


@attrs.frozen
class RespondParams:
    """Answer a question or a permission."""

    run_id: str
    checkpoint_id: str
    decision: str
    note: str = ""


@attrs.frozen
class RespondResult:
    """The state of the run after the answer."""

    state: str


@attrs.frozen
class VerifyParams:
    """Measure anew what is accepted of a proposal, in the text as it is."""

    proposal_id: str
    work_done_token: int | str | None = None


@attrs.frozen
class VerifyResult:
    """The proposal with fresh evidence."""

    proposal: ProposalInfo


@attrs.frozen
class RunParams:
    """Name a run."""

    run_id: str


@attrs.frozen
class StateResult:
    """The state of the run."""

    state: str


@attrs.frozen
class ExplainParams:
    """Ask about a place in a document."""

    text_document: types.TextDocumentIdentifier
    position: types.Position | None = None
    range: types.Range | None = None


@attrs.frozen
class ExplainResult:
    """What is known about the place, as Markdown."""

    markdown: str
    hunk_id: str | None = None
    run_id: str | None = None


@attrs.frozen
class SearchParams:
    """Search the index."""

    query: str
    limit: int = 20
    kinds: tuple[str, ...] = ()
    """Kinds of symbols, or `text`; empty for all."""
    path: str = ""
    """A glob as in `.gitignore`, relative to its folder; empty for all."""


@attrs.frozen
class SearchHit:
    """A part of a file that fits."""

    uri: str
    range: types.Range
    symbol: str
    kind: str
    score: float
    """Higher is better; comparable within one answer only."""
    sources: tuple[str, ...] = ()
    """What speaks for it, strongest first."""


@attrs.frozen
class SearchResult:
    """What fits, best first."""

    hits: tuple[SearchHit, ...] = ()
    completeness: float = 1.0
    """Share of the files that were indexed as they were, 0 to 1."""
    note: str = ""
    """What the search could not see."""


@attrs.frozen
class RunHistoryParams:
    """One run with its journal after a sequence number."""

    run_id: str
    after: int = 0


@attrs.frozen
class RunInfo:
    """One run as the journal knows it."""

    id: str
    request: str
    state: str
    created: float
    """Seconds since the epoch."""
    last_seq: int
    plan: Plan | None = None
    proposal: ProposalInfo | None = None
    note: str = ""
    roots: tuple[str, ...] = ()
    """URIs of the folders that its request is about."""


@attrs.frozen
class EventParams:
    """One line of a run's journal."""

    run_id: str
    seq: int
    time: float
    """Seconds since the epoch."""
    kind: str
    data: dict[str, Any] = attrs.field(factory=dict)


@attrs.frozen
class RunResult:
    """A run and its events in order."""

    run: RunInfo
    events: tuple[EventParams, ...] = ()


@attrs.frozen
class RunsParams:
    """A page of runs."""

    limit: int = 50
    before: float | None = None
    """Only runs created before this time."""


@attrs.frozen
class RunsResult:
    """Runs, newest first."""

    runs: tuple[RunInfo, ...] = ()


@attrs.frozen
class StatusParams:
    """Nothing to say."""


@attrs.frozen
class UnderWay:
    """A run that is under way."""

    run_id: str
    request: str
    state: str
    roots: tuple[str, ...] = ()
    """URIs of the folders that its request is about."""


@attrs.frozen
class StatusResult:
    """What the server can do now."""

    agent: AgentStatus
    roots: tuple[str, ...]
    """URIs."""
    active_runs: tuple[str, ...] = ()
    pending_hunks: int = 0
    version: str = ""
    index: IndexStatus = attrs.field(factory=IndexStatus)
    under_way: tuple[UnderWay, ...] = ()
    """The active runs, newest first."""


@attrs.frozen
class ProposalChangedParams:
    """A proposal's hunks, review state or evidence changed."""

    proposal: ProposalInfo


REQUESTS: dict[str, tuple[type, type]] = {
    PLAN: (PlanParams, PlanResult),
    REVISE_PLAN: (RevisePlanParams, RevisePlanResult),
    EXECUTE: (ExecuteParams, ExecuteResult),
    RESPOND: (RespondParams, RespondResult),
    REVIEW: (ReviewParams, ReviewResult),
    UNDO: (UndoParams, UndoResult),
    PAUSE: (RunParams, StateResult),
    RESUME: (RunParams, StateResult),
    CANCEL: (RunParams, StateResult),
    EXPLAIN: (ExplainParams, ExplainResult),
    SEARCH: (SearchParams, SearchResult),
    RUN: (RunHistoryParams, RunResult),
    RUNS: (RunsParams, RunsResult),
    STATUS: (StatusParams, StatusResult),
    VERIFY: (VerifyParams, VerifyResult),
}
"""Method → params and result, client to server."""

NOTIFICATIONS: dict[str, type] = {
    EVENT: EventParams,
    PROPOSAL_CHANGED: ProposalChangedParams,
    STATUS_CHANGED: StatusResult,
}
"""Method → params, server to client."""
