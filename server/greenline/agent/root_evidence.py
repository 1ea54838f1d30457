"""Evidence of several roots as one: tests are named with their root, and the worst verdict counts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import attrs

from greenline.core.bite import Bite, ChangedLines
from greenline.core.evidence import Evidence, HunkEvidence, RunEnd, TestReport, Verdict
from greenline.core.selection import Selection

_PRECEDENCE = {verdict: rank for rank, verdict in enumerate(Verdict)}


def named(evidence: Evidence, root_name: str) -> Evidence:
    """Return the evidence of one root with the root's name in front of its tests, as a model writes them."""

    def full(tests: Sequence[str]) -> tuple[str, ...]:
        return tuple(f"{root_name}/{test}" for test in tests)

    return attrs.evolve(
        evidence,
        detail=f"{root_name}: {evidence.detail}" if evidence.detail else "",
        base=_named_report(evidence.base, root_name),
        patched=_named_report(evidence.patched, root_name),
        old_tests=_named_report(evidence.old_tests, root_name),
        new_tests=_named_report(evidence.new_tests, root_name),
        fixed=full(evidence.fixed),
        lost=full(evidence.lost),
        missing=full(evidence.missing),
        flaky=full(evidence.flaky),
        known_flaky=full(evidence.known_flaky),
        hunks=tuple(_named_hunk(hunk, root_name) for hunk in evidence.hunks),
        warnings=tuple(f"{root_name}: {warning}" for warning in evidence.warnings),
    )


def worst(found: Sequence[Evidence]) -> Evidence:
    """Return the evidence with the worst verdict, with the tests, hunks and verdicts of all."""
    if len(found) == 1:
        return found[0]
    whole = min(found, key=lambda evidence: _PRECEDENCE[evidence.verdict])
    others = tuple(f"{e.verdict.value}: {e.detail}" for e in found if e is not whole)
    # The worst one comes first, so that its end and its output are those of the whole.
    ordered = [whole, *(e for e in found if e is not whole)]
    return attrs.evolve(
        whole,
        base=_together([e.base for e in ordered]),
        patched=_together([e.patched for e in ordered]),
        old_tests=_together([e.old_tests for e in ordered]),
        new_tests=_together([e.new_tests for e in ordered]),
        fixed=tuple(test for e in found for test in e.fixed),
        lost=tuple(test for e in found for test in e.lost),
        missing=tuple(test for e in found for test in e.missing),
        flaky=tuple(test for e in found for test in e.flaky),
        known_flaky=tuple(test for e in found for test in e.known_flaky),
        hunks=tuple(hunk for e in found for hunk in e.hunks),
        touches_tests=any(e.touches_tests for e in found),
        warnings=(*(w for e in found for w in e.warnings), *others),
        duration_s=sum(e.duration_s for e in found),
        changed_lines=_lines_together([e.changed_lines for e in found]),
        bite=Bite.together([e.bite for e in found]),
        selection=_selection_of(found),
    )


def _selection_of(found: Sequence[Evidence]) -> Selection | None:
    """Return what was run of all suites where one of them was not run whole."""
    chosen = [e.selection for e in found if e.selection is not None]
    if not chosen:
        return None
    n_whole = sum(len(e.patched.tests) for e in found if e.selection is None and e.patched is not None)
    return attrs.evolve(
        chosen[0],
        n_selected=n_whole + sum(s.n_selected for s in chosen),
        n_tests=n_whole + sum(s.n_tests for s in chosen),
        n_left=sum(s.n_left for s in chosen),
        reasons=dict(sum((Counter(s.reasons) for s in chosen), Counter())),
    )


def _named_hunk(hunk: HunkEvidence, root_name: str) -> HunkEvidence:
    """Return a hunk's evidence with the root's name in front of its tests and paths."""
    tests = tuple(f"{root_name}/{test}" for test in hunk.tests)
    bite = hunk.bite
    if bite is not None:
        survivors = (attrs.evolve(mutant, path=f"{root_name}/{mutant.path}") for mutant in bite.survivors)
        failing = tuple(f"{root_name}/{test}" for test in bite.tests)
        bite = attrs.evolve(bite, tests=failing, survivors=tuple(survivors))
    return attrs.evolve(hunk, tests=tests, bite=bite)


def _lines_together(found: Sequence[ChangedLines | None]) -> ChangedLines | None:
    present = [lines for lines in found if lines is not None]
    if not present:
        return None
    return ChangedLines(sum(n.n_executed for n in present), sum(n.n_executable for n in present))


def _named_report(report: TestReport | None, root_name: str) -> TestReport | None:
    if report is None:
        return None
    tests = tuple(
        attrs.evolve(t, id=f"{root_name}/{t.id}", file=None if t.file is None else f"{root_name}/{t.file}")
        for t in report.tests
    )
    coverage = {
        f"{root_name}/{test}": {f"{root_name}/{file}": lines for file, lines in files.items()}
        for test, files in report.coverage.items()
    }
    detail = f"{root_name}: {report.detail}" if report.detail else ""
    return attrs.evolve(report, tests=tests, coverage=coverage, detail=detail)


def _together(reports: Sequence[TestReport | None]) -> TestReport | None:
    """Return the runs of one kind as one; it is complete only where all are."""
    present = [report for report in reports if report is not None]
    if not present:
        return None
    first = next((report for report in present if report.end is not RunEnd.COMPLETE), present[0])
    return attrs.evolve(
        first,
        tests=tuple(test for report in present for test in report.tests),
        coverage={test: files for report in present for test, files in report.coverage.items()},
        runner=", ".join(dict.fromkeys(report.runner for report in present if report.runner)),
        duration_s=sum(report.duration_s for report in present),
        measured_at=min((r.measured_at for r in present if r.measured_at is not None), default=None),
    )
