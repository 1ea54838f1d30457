"""Tests that take much longer with a change than without it, in every one of their runs.

Whatever a measurement says once may be the machine's noise, so a test is only named after it ran again alone.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor

import attrs

from greenline.core.evidence import Outcome, RunEnd, TestReport
from greenline.core.port import Progress, Tree
from greenline.verify.repeat import REPEATS
from greenline.verify.runs import Suite

TIMES = 3.0
"""How many times as long a test must take."""
MORE_S = 1.0
"""And how many seconds longer."""
_MAX_TESTS = 5
"""How many tests, those that lost most, are run again."""


@attrs.frozen
class Slower:
    """One test that is slower in every run."""

    test: str
    base_s: float
    """The longest that it took without the change."""
    patched_s: float
    """The shortest that it took with it."""

    def words(self) -> str:
        """Return the finding with its figures, as a sentence."""
        return (
            f"{self.test} is slower: at least {self.patched_s:.2f} s with the change and at most"
            f" {self.base_s:.2f} s without it, in {REPEATS + 1} runs each."
        )


def slower_tests(
    suite: Suite,
    trees: tuple[Tree, Tree],
    reports: tuple[TestReport, TestReport],
    changed: Collection[str],
    n_parallel: int,
    progress: Progress,
) -> tuple[Slower, ...]:
    """Run the tests again that took much longer in P, alone and twice a side; return those that always did.

    `changed` are tests that the patch itself changes: they may take as long as they like.
    """
    suspects = suspicious(*reports, changed)
    if not suspects:
        return ()
    progress("Running tests again that took longer with the change.")

    def alone(tree: Tree) -> TestReport:
        return suite.run(tree, suspects, coverage=False)

    with ThreadPoolExecutor(n_parallel, thread_name_prefix="verify") as pool:
        again = list(pool.map(alone, trees * REPEATS))
    return always_slower(suspects, (reports[0], *again[::2]), (reports[1], *again[1::2]))


def suspicious(base: TestReport, patched: TestReport, changed: Collection[str]) -> tuple[str, ...]:
    """Return the tests that pass on both sides and took much longer in P, those that lost most first."""
    if base.end is not RunEnd.COMPLETE or patched.end is not RunEnd.COMPLETE:
        return ()
    before, after = _durations(base), _durations(patched)
    found = {
        test: after[test] - before[test]
        for test in before.keys() & after.keys()
        if test not in changed and _is_much(before[test], after[test])
    }
    return tuple(sorted(found, key=lambda test: (-found[test], test))[:_MAX_TESTS])


def always_slower(
    tests: Sequence[str], base: Sequence[TestReport], patched: Sequence[TestReport]
) -> tuple[Slower, ...]:
    """Return the tests whose quickest run with the change is much longer than their longest without it."""
    before, after = [_durations(report) for report in base], [_durations(report) for report in patched]
    found = []
    for test in tests:
        if all(test in run for run in (*before, *after)):
            base_s, patched_s = max(run[test] for run in before), min(run[test] for run in after)
            if _is_much(base_s, patched_s):
                found.append(Slower(test, base_s, patched_s))
    return tuple(found)


def _is_much(base_s: float, patched_s: float) -> bool:
    return patched_s > TIMES * base_s and patched_s - base_s > MORE_S


def _durations(report: TestReport) -> Mapping[str, float]:
    return {test.id: test.duration_s for test in report.tests if test.outcome is Outcome.PASSED}
