"""Evidence as the JSON value that programs read: of `greenline verify --json`, and of the tools over MCP."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from greenline.core.bite import HunkBite
from greenline.core.edit import Hunk
from greenline.core.evidence import Evidence, HunkEvidence, Outcome, TestReport
from greenline.core.wire import to_json

_STATE = {"bites": "bites", "idle": "no test misses it", "notMeasured": "bite not measured"}
_MAX_MUTANTS = 5


def evidence_json(evidence: Evidence, hunks: Sequence[Hunk], root: str) -> dict[str, Any]:
    """Return evidence as JSON; each hunk's path is relative to `root`."""
    measured = {item.hunk_id: item for item in evidence.hunks}
    return {
        "verdict": evidence.verdict.value,
        "reason": evidence.reason,
        "detail": evidence.detail,
        "warnings": list(evidence.warnings),
        "touchesTests": evidence.touches_tests,
        "base": counts(evidence.base),
        "patched": counts(evidence.patched),
        "newTestsOnBase": counts(evidence.new_tests),
        "oldTestsOnPatch": counts(evidence.old_tests),
        "fixed": list(evidence.fixed),
        "lost": list(evidence.lost),
        "missing": list(evidence.missing),
        "flaky": list(evidence.flaky),
        "knownFlaky": list(evidence.known_flaky),
        "hunks": [
            {
                "path": str(Path(hunk.path).relative_to(root)),
                "startLine": hunk.start_line + 1,
                "coverage": measured[hunk.id].coverage if hunk.id in measured else None,
                "tests": list(measured[hunk.id].tests) if hunk.id in measured else [],
                "bite": _hunk_bite(measured[hunk.id].bite) if hunk.id in measured else None,
            }
            for hunk in hunks
        ],
        "changedLines": None if evidence.changed_lines is None else to_json(evidence.changed_lines),
        "selection": None if evidence.selection is None else to_json(evidence.selection),
        "bite": None if evidence.bite is None else to_json(evidence.bite),
        "sandbox": evidence.sandbox,
        "engine": evidence.engine,
        "image": evidence.image,
        "seconds": round(evidence.duration_s, 3),
    }


def bite_of(item: HunkEvidence | None) -> str:
    """Return what is known of one hunk's bite, to be put behind its coverage; empty where nothing is."""
    bite = None if item is None else item.bite
    if bite is None or bite.reason == "noCode":
        return ""
    words = _STATE[bite.state]
    if bite.state == "bites" and bite.tests:
        words += f" ({bite.tests[0]} fails without it)"
    elif bite.state == "notMeasured":
        words += f" ({bite.reason})"
    mutants = f", {bite.n_killed} of {bite.n_mutants} mutants killed" if bite.n_mutants else ""
    return f", {words}{mutants}"


def lines_words(evidence: Evidence) -> str:
    """Return how many changed lines tests execute, as a sentence; empty where there are none to execute."""
    lines = evidence.changed_lines
    return f"{lines.words()}." if lines is not None and lines.n_executable else ""


def bite_lines(evidence: Evidence) -> tuple[str, ...]:
    """Return the bite of the whole change and the mutants that no test noticed, a sentence a line."""
    if evidence.bite is None:
        return ()
    reason = f" ({evidence.bite.reason})" if evidence.bite.reason else ""
    lived = [mutant for item in evidence.hunks if item.bite for mutant in item.bite.survivors]
    shown = [f"no test notices {mutant.words()}" for mutant in lived[:_MAX_MUTANTS]]
    more = len(lived) - _MAX_MUTANTS
    return (f"{evidence.bite.words()}{reason}", *shown, *([f"and {more} more"] if more > 0 else []))


def _hunk_bite(bite: HunkBite | None) -> dict[str, Any] | None:
    return None if bite is None else {k: v for k, v in to_json(bite).items() if k != "takenAlong"}


def measured_before(report: TestReport) -> str:
    """Return when a report was measured, in words that follow its name; empty where it was just now."""
    if report.measured_at is None:
        return ""
    return time.strftime(", measured %Y-%m-%d %H:%M", time.localtime(report.measured_at))


def counts(report: TestReport | None) -> dict[str, object] | None:
    """Return a report as JSON: how it ended, how many tests ended how, and which did not pass."""
    if report is None:
        return None
    return {
        "end": report.end.value,
        "total": len(report.tests),
        **{outcome.value: report.count(outcome) for outcome in Outcome},
        "notPassed": [t.id for t in report.tests if t.outcome in (Outcome.FAILED, Outcome.ERROR)],
        "runner": report.runner,
        "seconds": round(report.duration_s, 3),
        "detail": report.detail,
        "measuredAt": report.measured_at,
    }
