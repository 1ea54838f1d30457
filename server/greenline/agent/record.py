"""Writes what happens in one run into the journal; secrets are masked here, once, for every event."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import attrs

from greenline.core.agent_port import Question
from greenline.core.edit import Hunk
from greenline.core.error import GreenlineError
from greenline.core.event import EventKind
from greenline.core.evidence import Evidence, Outcome, TestReport
from greenline.core.port import Journal, ToolRequest, Usage
from greenline.core.task import Plan, RunState, Task
from greenline.core.wire import from_json, to_json

T = TypeVar("T")
Mask = Callable[[str], str]
_MAX_TEXT = 8_000
_MAX_NAMES = 50


class Recorder:
    """The journal as one run sees it."""

    def __init__(self, journal: Journal, run_id: str, mask: Mask) -> None:
        self.run_id = run_id
        self._journal = journal
        self._mask = mask

    def state(self, state: RunState, note: str = "") -> None:
        """Change the run's state."""
        self._journal.set_state(self.run_id, state, self._mask(note))

    def plan(self, plan: Plan) -> None:
        """Store a version of the plan."""
        self._journal.save_plan(self.run_id, self.clean(plan))

    def thought(self, text: str, author: str = "model") -> None:
        """Record what a model said; empty text is no thought."""
        if text.strip():
            self._append(EventKind.THOUGHT, {"author": author, "text": text})

    def tool_call(self, request: ToolRequest, kind: str) -> None:
        """Record that a tool is about to run."""
        self._append(
            EventKind.TOOL_CALL,
            {"callId": request.id, "tool": request.name, "kind": kind, "arguments": request.arguments},
        )

    def tool_result(self, request: ToolRequest, status: str, text: str) -> None:
        """Record how a tool call ended: `completed`, `failed` or `denied`."""
        self._append(
            EventKind.TOOL_RESULT,
            {"callId": request.id, "tool": request.name, "status": status, "text": text},
        )

    def command(self, text: str) -> None:
        """Record that something begins to run in the sandbox."""
        self._append(EventKind.COMMAND, {"text": text})

    def edits(self, hunks: tuple[Hunk, ...], iteration: int) -> None:
        """Record what is staged now."""
        paths = sorted({hunk.path for hunk in hunks})
        self._append(EventKind.EDIT, {"iteration": iteration, "paths": paths, "nHunks": len(hunks)})

    def evidence(self, evidence: Evidence, iteration: int) -> None:
        """Record what the tests reported."""
        reports = {
            "base": evidence.base,
            "patched": evidence.patched,
            "oldTests": evidence.old_tests,
            "newTests": evidence.new_tests,
        }
        data: dict[str, Any] = {name: _counts(report) for name, report in reports.items() if report}
        data |= {"iteration": iteration, "verdict": evidence.verdict.value, "reason": evidence.reason}
        data |= {"detail": evidence.detail, "durationS": evidence.duration_s}
        data |= {"fixed": list(evidence.fixed[:_MAX_NAMES]), "lost": list(evidence.lost[:_MAX_NAMES])}
        self._append(EventKind.TEST_REPORT, data)

    def question(self, question: Question, *, waits: bool) -> None:
        """Record a question; `waits` where the run stands still until it is answered."""
        data = to_json(question)
        self._append(EventKind.CHECKPOINT, {"checkpointId": question.id, "question": data, "waiting": waits})

    def answer(self, question: Question, decision: str, note: str) -> None:
        """Record the user's answer."""
        self._append(
            EventKind.CHECKPOINT,
            {"checkpointId": question.id, "decision": decision, "note": note, "waiting": False},
        )

    def usage(self, model: str, usage: Usage, spent_usd: float) -> None:
        """Record what one call of a model cost, and the run so far."""
        self._append(EventKind.USAGE, {"model": model, "runUsd": spent_usd, **to_json(usage)})

    def error(self, error: GreenlineError) -> None:
        """Record what went wrong."""
        self._append(EventKind.ERROR, {"code": error.code, "message": error.message, "remedy": error.remedy})

    def clean(self, value: T) -> T:
        """Return a value with the secrets in all its texts masked, and nothing cut short."""
        return from_json(each_text(to_json(value), self._mask), type(value))

    def _append(self, kind: EventKind, data: dict[str, Any]) -> None:
        self._journal.append(self.run_id, kind, self._clean(data))

    def _clean(self, value: Any) -> Any:
        def shortened(text: str) -> str:
            masked = self._mask(text)
            return masked if len(masked) <= _MAX_TEXT else masked[:_MAX_TEXT] + " …"

        return each_text(value, shortened)


def masked_task(task: Task, mask: Mask) -> Task:
    """Return a task without secrets in what the user and their editor said; files keep their names."""
    return attrs.evolve(
        task,
        request=mask(task.request),
        context=attrs.evolve(task.context, diagnostics=tuple(map(mask, task.context.diagnostics))),
        constraints=tuple(map(mask, task.constraints)),
        refused=tuple(attrs.evolve(change, comment=mask(change.comment)) for change in task.refused),
    )


def each_text(value: Any, change: Mask) -> Any:
    """Return a JSON value with every text in it changed, keys included."""
    if isinstance(value, str):
        return change(value)
    if isinstance(value, dict):
        # The ids of tests are keys too, and a parameter of a test can be a secret.
        return {change(key): each_text(item, change) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [each_text(item, change) for item in value]
    return value


def _counts(report: TestReport) -> dict[str, Any]:
    """Return a report in numbers, with the names of what failed."""
    bad = [test for test in report.tests if test.outcome in {Outcome.FAILED, Outcome.ERROR}]
    return {
        "end": report.end.value,
        "runner": report.runner,
        "detail": report.detail,
        "counts": {outcome.value: n for outcome in Outcome if (n := report.count(outcome))},
        "failed": [test.id for test in bad[:_MAX_NAMES]],
    }
