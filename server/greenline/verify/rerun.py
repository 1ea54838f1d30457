"""Fresh containers for the tests whose repeats beside the first run leave a doubt.

A test that another one disturbs fails in its suite each time and passes alone: on the base that is what a
patch may be there to mend, so there the suite's own word counts. On the patched text it counts as flaky.
"""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import chain

import attrs

from greenline.core.evidence import Outcome, RunEnd, TestReport
from greenline.core.port import Tree
from greenline.verify.repeat import KNOWN_REPEATS, REPEATS, judge
from greenline.verify.runs import Suite
from greenline.verify.verdict import collected_anew


@attrs.frozen
class Stability:
    """Which of the tests that differ do not always give the same outcome."""

    flaky: tuple[str, ...] = ()
    """Both outcomes on the same text."""
    ordered: tuple[str, ...] = ()
    """On the base always the same outcome in the whole suite, and another one when run alone."""
    on_base: tuple[str, ...] = ()
    """The flaky ones that gave both outcomes on the base."""


@attrs.frozen
class _Side:
    tree: Tree
    first: TestReport

    def differs(self, tests: Sequence[str], report: TestReport) -> set[str]:
        """Return the tests whose outcome in another run of the same text is another one."""
        if report.end is not RunEnd.COMPLETE:
            return set()
        return {test for test in tests if _passed(report, test) != _passed(self.first, test)}


def stability(
    suite: Suite,
    trees: tuple[Tree, Tree],
    rounds: tuple[tuple[TestReport, ...], tuple[TestReport, ...]],
    n_parallel: int,
    known_flaky: Sequence[str] = (),
) -> Stability:
    """Judge the tests that differ between B's and P's rounds; `trees` are the base and the patched one.

    What the rounds leave open runs again alone, twice a side, or more often where a test is known to be
    flaky; what differs then on the base alone has the whole suite run again, twice.
    """
    suspects = judge(rounds)
    # An import may fail by chance too, and no round beside the first asks for tests that B has not.
    anew = collected_anew(rounds[0][0], rounds[1][0]).values()
    doubted = (*suspects.open, *chain.from_iterable(anew))
    if not doubted:
        return Stability(suspects.flaky, on_base=suspects.on_base)
    n_repeats = REPEATS if set(doubted).isdisjoint(known_flaky) else KNOWN_REPEATS
    base, patched = (_Side(tree, done[0]) for tree, done in zip(trees, rounds, strict=True))

    def alone(side: _Side) -> set[str]:
        return side.differs(doubted, suite.run(side.tree, doubted, coverage=False))

    def whole(tests: Sequence[str]) -> set[str]:
        report = suite.run(base.tree, coverage=False)
        return base.differs(tests, report) if report.end is RunEnd.COMPLETE else set(tests)

    with ThreadPoolExecutor(n_parallel, thread_name_prefix="verify") as pool:
        found = list(pool.map(alone, (base, patched) * n_repeats))
        flaky = {*suspects.flaky}.union(*found[1::2])
        doubtful = sorted(set().union(*found[::2]) - flaky)
        ordered = set(doubtful).difference(*pool.map(whole, [doubtful] * REPEATS)) if doubtful else set()
    on_base = {*suspects.on_base, *doubtful} - ordered
    return Stability(tuple(sorted(flaky | on_base)), tuple(sorted(ordered)), tuple(sorted(on_base)))


def _passed(report: TestReport, test: str) -> bool:
    return report.outcome_of(test) is Outcome.PASSED
