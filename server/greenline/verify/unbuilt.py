"""Packages that a change keeps from being built without their tests; pure.

Tests of such a package may pass, since they bring what it lacks along, but nobody else can build it.
"""

from __future__ import annotations

from collections.abc import Mapping

import attrs

from greenline.core.evidence import Outcome, RunEnd, TestReport, TestResult

_N_NAMED = 3


def judged(reports: Mapping[str, TestReport]) -> dict[str, TestReport]:
    """Return the reports of B, P, O and N; one with packages that build in B alone is not complete."""
    base = reports["B"].unbuilt
    return {name: _broken(report, base) for name, report in reports.items()}


def _broken(report: TestReport, base: Mapping[str, str]) -> TestReport:
    new = {name: words for name, words in sorted(report.unbuilt.items()) if name not in base}
    if not new or report.end is not RunEnd.COMPLETE:
        return report
    more = f" and {len(new) - _N_NAMED} more" if len(new) > _N_NAMED else ""
    named = "; ".join(
        f"{name} ({' '.join(words.split())[:200]})" for name, words in [*new.items()][:_N_NAMED]
    )
    errors = tuple(TestResult(name, Outcome.ERROR, message=words) for name, words in new.items())
    detail = f"Without the tests there does not build: {named}{more}."
    return attrs.evolve(report, end=RunEnd.COLLECTION, detail=detail, tests=report.tests + errors)
