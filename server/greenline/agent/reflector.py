"""Decides, from what the tests reported, whether the run is done, goes on, or cannot get further."""

from __future__ import annotations

import attrs

from greenline.agent.dialogue import data
from greenline.agent.prompts import prompt
from greenline.core.edit import EditSet, Hunk
from greenline.core.evidence import Evidence, Outcome, RunEnd, TestReport, Verdict
from greenline.core.task import StopReason

_RANK = {verdict: rank for rank, verdict in enumerate(Verdict)}
_AT_REST = {Verdict.VERIFIED, Verdict.TESTS_ONLY, Verdict.NOT_RUN, Verdict.COULD_NOT_RUN}
"""Verdicts that more editing does not improve: it is proven, or nothing can be measured."""
_MAX_TESTS = 10
_MAX_OUTPUT = 4_000


@attrs.frozen
class Attempt:
    """One staged change with what was measured for it."""

    edit_set: EditSet
    hunks: tuple[Hunk, ...]
    evidence: Evidence
    summary: str
    alternatives: tuple[str, ...] = ()


def better(old: Attempt | None, new: Attempt) -> Attempt:
    """Return the attempt with the better verdict; the newer of two equals."""
    if old is None or _RANK[new.evidence.verdict] >= _RANK[old.evidence.verdict]:
        return new
    return old


def reflect(attempt: Attempt, previous: Attempt | None) -> StopReason | str:
    """Return why the run ends, or what to tell the model before the next round."""
    if attempt.evidence.verdict in _AT_REST:
        return StopReason.DONE
    if previous is not None and previous.edit_set == attempt.edit_set:
        return StopReason.NO_PROGRESS
    return f"{prompt('reflect')}\n\n{data('test report', explain(attempt.evidence))}"


def explain(evidence: Evidence) -> str:
    """Return evidence as text for a model: the verdict, what failed and why."""
    lines = [f"Verdict: {evidence.verdict.value}. {evidence.detail}".strip()]
    if evidence.lost:
        lines.append("Passed before and not now: " + ", ".join(evidence.lost[:_MAX_TESTS]))
    open_hunks = [hunk.hunk_id for hunk in evidence.hunks if hunk.coverage == "notCovered"]
    if evidence.verdict is Verdict.NOT_COVERED and open_hunks:
        lines.append(f"{len(open_hunks)} changed places are executed by no test.")
    report = evidence.patched
    if report is not None:
        lines += _failures(report, evidence)
    return "\n".join(lines)


def _failures(report: TestReport, evidence: Evidence) -> list[str]:
    lines = []
    bad = [test for test in report.tests if test.outcome in {Outcome.FAILED, Outcome.ERROR}]
    bad.sort(key=lambda test: test.id not in evidence.lost)
    before = evidence.base
    for test in bad[:_MAX_TESTS]:
        is_old = before is not None and before.outcome_of(test.id) in {Outcome.FAILED, Outcome.ERROR}
        note = " (it failed before your change too)" if is_old else ""
        lines.append(f"{test.outcome.value}: {test.id}{note}\n{test.message}".strip())
    if len(bad) > _MAX_TESTS:
        lines.append(f"… and {len(bad) - _MAX_TESTS} more")
    if report.end is not RunEnd.COMPLETE or not report.tests:
        lines.append(f"The run ended as {report.end.value}. {report.detail}")
        lines.append(report.output[-_MAX_OUTPUT:])
    return lines
