"""Fault localisation: which lines the failing tests execute and the passing ones do not.

Ochiai's coefficient: failing tests on the line over the root of (all failing × all tests on the line)
(Abreu, Zoeteweij and van Gemund, PRDC 2006).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection

from greenline.core.evidence import Outcome, TestReport

_FAILING = (Outcome.FAILED, Outcome.ERROR)


def failing_tests(report: TestReport) -> tuple[str, ...]:
    """Return the ids of the tests that fail, in the order they ran."""
    return tuple(test.id for test in report.tests if test.outcome in _FAILING)


def ochiai(
    report: TestReport, failing: Collection[str], is_product: Callable[[str], bool]
) -> dict[tuple[str, int], float]:
    """Return (file, 1-based line) → suspiciousness, 0 to 1, of product lines that failing tests execute."""
    n_failed: dict[tuple[str, int], int] = {}
    n_passed: dict[tuple[str, int], int] = {}
    passing = {test.id for test in report.tests if test.outcome is Outcome.PASSED}
    for test, files in report.coverage.items():
        counter = n_failed if test in failing else n_passed if test in passing else None
        if counter is None:
            continue
        for file, lines in files.items():
            if is_product(file):
                for line in lines:
                    counter[file, line] = counter.get((file, line), 0) + 1
    total = len(set(failing) & set(report.coverage)) or 1
    return {
        place: count / math.sqrt(total * (count + n_passed.get(place, 0)))
        for place, count in n_failed.items()
    }
