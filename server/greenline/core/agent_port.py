"""The seam between the front (which speaks to the editor) and the agent (which does the work).

The journal is the truth: the agent writes plans, events, states and proposals there; the front reads them.
What crosses this seam is only what starts, steers and reports the work.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, Protocol

import attrs

from greenline.core.document import Overlays
from greenline.core.edit import EditSet
from greenline.core.event import Event
from greenline.core.evidence import Evidence
from greenline.core.task import Plan, RunState, Task


@attrs.frozen
class Question:
    """Something that only the user can answer."""

    id: str
    """The checkpoint id that `agent/respond` names."""
    text: str
    options: tuple[str, ...] = ()
    """Answers to choose from; empty where the answer is free text."""
    kind: Literal["question", "permission"] = "question"


@attrs.frozen
class Planned:
    """What planning came to: a plan, or the questions that must be answered first."""

    run_id: str
    plan: Plan | None = None
    questions: tuple[Question, ...] = ()


@attrs.frozen
class Health:
    """Whether one part can be used now, and if not, what to do."""

    available: bool
    name: str = ""
    """`docker 28.2.2`, `ollama/qwen`, `repair`."""
    detail: str = ""
    problem: str = ""
    remedy: str = ""


@attrs.frozen
class AgentStatus:
    """The agent's view of its own means."""

    worker: Literal["cold", "warming", "ready", "dead"]
    sandbox: Health | None = None
    """None where nobody has looked yet."""
    model: Health | None = None
    """Not available without a configured model; the repair engine serves then."""
    spent_usd: float = 0.0
    cap_usd: float | None = None


class AgentClient(Protocol):
    """Drives the agent from the front's event loop; every method is called there and never blocks it.

    Domain errors arrive as `GreenlineError`. Cancelling the awaiting task of `plan` or `execute` cancels the
    run (model calls dropped, containers gone within 2 s, state `cancelled` in the journal) before
    `asyncio.CancelledError` goes on.
    """

    on_event: Callable[[Event], None] | None
    """Set by the front: called on the event loop for each event, after it is in the journal, in order."""
    on_question: Callable[[str, Question], None] | None
    """Set by the front: called on the event loop with the run id when a run waits for the user."""
    on_died: Callable[[tuple[str, ...]], None] | None
    """Set by the front: called on the event loop with the ids of the runs that the agent's death interrupted,
    after their state is `interrupted` in the journal."""

    async def start(self) -> None:
        """Prepare on the running event loop; cheap, starts no process."""

    async def warm(self) -> None:
        """Start the worker in the background at low priority, if it is not there; returns at once."""

    async def plan(self, task: Task, overlays: Overlays) -> Planned:
        """Create a run and plan it; raises `NoModel`, `ModelFailed`, `InvalidInput`."""

    async def revise_plan(self, run_id: str, change: str | Plan) -> Plan:
        """Return the next version of the plan: from an instruction (needs a model), or as written."""

    async def execute(self, run: str | Task, overlays: Overlays) -> str:
        """Execute a planned run, or plan and execute a task; return the run id.

        Ends when the run has come to rest; the journal then holds its proposal, if there is one.
        """

    async def verify(self, proposal_id: str, edit_set: EditSet, overlays: Overlays) -> Evidence:
        """Measure a change anew, whose result is the text as it is; raises `NotFound`.

        Only the run's events are written: the proposal is the caller's to change.
        """

    async def answer(self, run_id: str, question_id: str, decision: str, note: str = "") -> None:
        """Answer a question or a permission that the run waits for; raises `NotFound`, `WrongState`."""

    async def pause(self, run_id: str) -> RunState:
        """Pause before the next step."""

    async def resume(self, run_id: str, overlays: Overlays) -> RunState:
        """Continue a paused, cancelled or interrupted run in the background; return its state."""

    async def cancel(self, run_id: str) -> RunState:
        """Cancel a run; returns once nothing of it is running."""

    async def status(self) -> AgentStatus:
        """Return what is known now; never waits for a worker to start."""

    async def stop(self) -> None:
        """End the worker and everything it owns; runs under way become `interrupted`. Idempotent."""
