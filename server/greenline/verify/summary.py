"""Evidence as the JSON value that programs read: of `greenline verify --json`, and of the tools over MCP."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from greenline.core.edit import Hunk
from greenline.core.evidence import Evidence, Outcome, TestReport


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
            }
            for hunk in hunks
        ],
        "sandbox": evidence.sandbox,
        "engine": evidence.engine,
        "image": evidence.image,
        "seconds": round(evidence.duration_s, 3),
    }


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
