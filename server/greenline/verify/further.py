"""What is measured beside the verdict: bite, changed lines, new tests that prove nothing, slower tests.

Nothing here changes a verdict.
"""

from __future__ import annotations

import attrs

from greenline.core.edit import Hunk
from greenline.core.evidence import Evidence, Outcome, RunEnd, TestReport, Verdict
from greenline.core.port import Progress, Tree, VerifyRequest
from greenline.verify.hunk_coverage import executed
from greenline.verify.path_rule import PathRule
from greenline.verify.runs import Suite
from greenline.verify.slower import slower_tests
from greenline.verify.test_change import TestChange

_LEAST_S = 30.0
"""How long the bite of a short suite may take, if so much is allowed."""
_NAMED = 3


@attrs.frozen
class Further:
    """What the user wants to know beside the verdict."""

    bite_s: float = 0.0
    """How long measuring the bite may take; 0: it is not measured."""
    coverage_percent: float = 0.0
    """How many of a hundred changed lines are to be executed by tests; below it there is a warning."""


@attrs.frozen
class Ground:
    """One verification whose runs are over."""

    request: VerifyRequest
    suite: Suite
    rule: PathRule
    patched: Tree
    hunks: tuple[Hunk, ...]
    change: TestChange
    n_parallel: int
    timed: tuple[TestReport, TestReport] | None = None
    """B and P of a pass in which both were measured alike; None: those of the evidence were."""


def measured_further(evidence: Evidence, ground: Ground, wanted: Further, progress: Progress) -> Evidence:
    """Return the evidence with all that is wanted beside the verdict; raises `Cancelled` only."""
    base, patched = evidence.base, evidence.patched
    if base is None or patched is None or patched.end is not RunEnd.COMPLETE:
        return evidence
    request, is_product = ground.request, ground.rule.is_product
    lines = executed(request.root, ground.hunks, ground.patched, patched, is_product)
    trees = (request.base, ground.patched)
    changed = ground.change.changed
    timed = ground.timed or (base, patched)
    slower = slower_tests(ground.suite, trees, timed, changed, ground.n_parallel, progress)
    warnings = [test.words() for test in slower]
    if proving_nothing := useless(evidence, ground.change):
        warnings.append(_said(proving_nothing))
    if lines.is_below(wanted.coverage_percent):
        warnings.append(f"{lines.words()}, fewer than {wanted.coverage_percent:g} of a hundred.")
    evidence = attrs.evolve(evidence, changed_lines=lines, warnings=(*evidence.warnings, *warnings))
    if not wanted.bite_s or evidence.verdict is not Verdict.VERIFIED:
        return evidence
    budget_s = min(wanted.bite_s, max(_LEAST_S, base.duration_s + patched.duration_s))
    return _bitten(evidence, patched, ground, budget_s, progress)


def _bitten(
    evidence: Evidence, patched: TestReport, ground: Ground, budget_s: float, progress: Progress
) -> Evidence:
    # Most verifications do not ask for it, and need not wait for its operators.
    from greenline.verify.bite import measure_bite
    from greenline.verify.question import Change

    request = ground.request
    change = Change(
        request.root,
        request.base,
        ground.patched,
        request.edit_set,
        ground.hunks,
        evidence.hunks,
        ground.rule.is_product,
        patched,
        frozenset(evidence.fixed) | ground.change.changed,
    )
    hunks, bite = measure_bite(change, ground.suite, budget_s, ground.n_parallel, progress)
    return attrs.evolve(evidence, hunks=hunks, bite=bite)


def useless(evidence: Evidence, change: TestChange) -> tuple[str, ...]:
    """Return the tests that a patch adds and that pass on the base's product code too, sorted."""
    base, patched, new = evidence.base, evidence.patched, evidence.new_tests
    if base is None or patched is None or new is None or evidence.verdict is Verdict.TESTS_ONLY:
        return ()
    passing = {test.id for test in new.tests if test.outcome is Outcome.PASSED}
    return tuple(
        sorted(
            test
            for test in change.changed & passing
            if base.outcome_of(test) is None and patched.outcome_of(test) is Outcome.PASSED
        )
    )


def _said(tests: tuple[str, ...]) -> str:
    more = f" and {len(tests) - _NAMED} more" if len(tests) > _NAMED else ""
    names = ", ".join(tests[:_NAMED]) + more
    if len(tests) == 1:
        return f"The new test {names} passes without the change: it proves nothing about it."
    return f"New tests pass without the change and prove nothing about it: {names}."
