"""The verdict: the protocol's table as one pure function, rule by rule in its order."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import attrs

from greenline.core.evidence import HunkEvidence, Outcome, RunEnd, TestReport, Verdict
from greenline.verify.test_change import NOTHING, TestChange

_LOST = frozenset({Outcome.FAILED, Outcome.ERROR, Outcome.SKIPPED, Outcome.XFAILED, Outcome.DESELECTED})
_BROKEN = frozenset({Outcome.FAILED, Outcome.ERROR})
_SILENT = frozenset({Outcome.SKIPPED, Outcome.DESELECTED, Outcome.XFAILED, Outcome.XPASSED})
"""What no failure of the code under test can change any more."""
_NOT_EXECUTED = frozenset({Outcome.SKIPPED, Outcome.DESELECTED})
_NAMED = 3
_MEANT = (
    " The patch changes these tests along with the code; whether the old behaviour may go, no run can tell:"
    " read the hunks and accept them by hand."
)
_OUTCOME = "outcome of a failed test"
"""How the runner's name for a report that says `passed` over an exception begins."""


@attrs.frozen
class Facts:
    """Everything that the verdict depends on."""

    base: TestReport
    patched: TestReport
    old_tests: TestReport | None = None
    """O, run where the patch touches tests or runner configuration."""
    new_tests: TestReport | None = None
    """N, likewise."""
    touches_product: bool = True
    touches_tests: bool = False
    change: TestChange = NOTHING
    checks: tuple[str, ...] = ()
    flaky: tuple[str, ...] = ()
    product_hunks: tuple[HunkEvidence, ...] = ()


@attrs.frozen
class Decision:
    """The verdict, with its reason and the tests that it rests on."""

    verdict: Verdict
    reason: str
    detail: str
    fixed: tuple[str, ...] = ()
    lost: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()


def decide(facts: Facts) -> Decision:
    """Return the first verdict whose rule matches."""
    unjudged = _could_not_run(facts) or _not_run(facts)
    if unjudged:
        return unjudged
    fixed, lost, missing = _differences(facts)
    rule = (
        _flaky(facts)
        or _regressed(facts, lost)
        or _still_failing(facts)
        or _tests_only(facts)
        or _not_covered(facts, fixed)
        or _own_measure(facts, fixed)
        or _own_assertion(facts)
        or _not_confirmed(facts, fixed)
        or Decision(Verdict.VERIFIED, "", _verified_detail(facts, fixed))
    )
    return attrs.evolve(rule, fixed=fixed, lost=lost, missing=missing)


def differing(base: TestReport, patched: TestReport) -> tuple[str, ...]:
    """Return the tests that passed on one side and broke on the other, sorted."""
    before, after = _outcomes(base), _outcomes(patched)
    return tuple(
        sorted(
            test
            for test in before.keys() & after.keys()
            if (before[test] is Outcome.PASSED and after[test] in _BROKEN)
            or (before[test] in _BROKEN and after[test] is Outcome.PASSED)
        )
    )


def _outcomes(report: TestReport | None) -> dict[str, Outcome]:
    return {test.id: test.outcome for test in report.tests} if report else {}


def _differences(facts: Facts) -> tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]:
    """Return the tests fixed, lost and missing."""
    before, after = _outcomes(facts.base), _outcomes(facts.patched)
    old = _outcomes(facts.old_tests) if facts.old_tests else after
    fixed = [t for t, outcome in before.items() if outcome in _BROKEN and after.get(t) is Outcome.PASSED]
    fixed += [m for m in _anew(facts) if _passes_whole(m, after) and _passes_whole(m, old)]
    lost, missing = [], []
    for test, outcome in before.items():
        if outcome is not Outcome.PASSED:
            continue
        if after.get(test) in _LOST or test in facts.change.hidden or not _passes(old.get(test)):
            lost.append(test)
        elif test not in after:
            missing.append(test)
    return tuple(sorted(fixed)), tuple(sorted(lost)), tuple(sorted(missing))


def collected_anew(base: TestReport, *changed: TestReport | None) -> dict[str, tuple[str, ...]]:
    """Return the modules of tests that B cannot collect and every run with the change does, with their tests.

    Such a module is a failing test of B, as when its tests import what is yet to be written. None where
    anything else ended a run: then nobody knows what passed before. The first of `changed` is P.
    """
    reports = [report for report in changed if report is not None]
    if base.end is not RunEnd.COLLECTION or any(report.end is not RunEnd.COMPLETE for report in reports):
        return {}
    broken = (test.id for test in base.tests if test.outcome is Outcome.ERROR)
    outcomes = _outcomes(reports[0])
    found = {module: _tests_in(module, outcomes) for module in broken}
    return {module: tuple(tests) for module, tests in found.items() if tests}


def _anew(facts: Facts) -> dict[str, tuple[str, ...]]:
    return collected_anew(facts.base, facts.patched, facts.old_tests)


def _passes_in(test: str, outcomes: Mapping[str, Outcome]) -> bool:
    """Return whether a test, or every test of a module, passes."""
    return _passes(outcomes[test]) if test in outcomes else _passes_whole(test, outcomes)


def _passes_whole(module: str, outcomes: Mapping[str, Outcome]) -> bool:
    """Return whether a module has a test that passes, and none that fails."""
    found = _tests_in(module, outcomes).values()
    return module not in outcomes and Outcome.PASSED in found and _BROKEN.isdisjoint(found)


def _tests_in(module: str, outcomes: Mapping[str, Outcome]) -> dict[str, Outcome]:
    """Return the tests of a module, which is a file, or a dotted name of unittest's."""
    begins = (f"{module}::", f"{module}.")
    return {test: outcome for test, outcome in outcomes.items() if test.startswith(begins)}


def _passes(outcome: Outcome | None) -> bool:
    return outcome in (Outcome.PASSED, Outcome.XPASSED)


def _could_not_run(facts: Facts) -> Decision | None:
    for report in (facts.base, facts.patched, facts.old_tests, facts.new_tests):
        if report is not None and report.end is RunEnd.UNAVAILABLE:
            return Decision(Verdict.COULD_NOT_RUN, report.end.value, report.detail)
        if report is not None and report.end is RunEnd.RUNNER_MISSING:
            return Decision(Verdict.COULD_NOT_RUN, report.end.value, report.detail)
    if facts.base.end is not RunEnd.COMPLETE and not _anew(facts):
        detail = f"Without the patch: {facts.base.detail}"
        return Decision(Verdict.COULD_NOT_RUN, facts.base.end.value, detail)
    return None


def _not_run(facts: Facts) -> Decision | None:
    if facts.patched.end is not RunEnd.COMPLETE or _executed(facts.base) or _executed(facts.patched):
        return None
    if facts.base.tests or facts.patched.tests:
        return Decision(Verdict.NOT_RUN, "zeroTests", "No test was executed: all are skipped or deselected.")
    return Decision(Verdict.NOT_RUN, "noTests", "No tests were found.")


def _executed(report: TestReport) -> bool:
    return any(test.outcome not in _NOT_EXECUTED for test in report.tests)


def _flaky(facts: Facts) -> Decision | None:
    if not facts.flaky:
        return None
    detail = f"Passed and failed on the same text: {_names(facts.flaky)}."
    return Decision(Verdict.FLAKY, "bothOutcomes", detail)


def _regressed(facts: Facts, lost: Sequence[str]) -> Decision | None:
    for report, words in ((facts.patched, "With the patch"), (facts.old_tests, "With the base's tests")):
        if report is not None and report.end is not RunEnd.COMPLETE:
            meant = _MEANT if report is facts.old_tests and report.end is RunEnd.COLLECTION else ""
            return Decision(Verdict.REGRESSED, report.end.value, f"{words}: {report.detail}{meant}")
    for report, words in (
        (facts.patched, "With the patch"),
        (facts.old_tests, "With the base's tests"),
        # A fix hides in P what the patch's configuration makes of a failure.
        (facts.new_tests, "With the patch's tests and configuration"),
    ):
        replaced = _replaced(facts, report)
        if replaced:
            detail = f"{words} the project replaces code of the runner or of the tests: {_names(replaced)}."
            return Decision(Verdict.REGRESSED, "runnerReplaced", detail)
    if lost:
        after = _outcomes(facts.patched)
        meant = _MEANT if all(_passes(after.get(test)) for test in lost) else ""
        detail = f"Passed before and does not any more: {_names(lost)}.{meant}"
        return Decision(Verdict.REGRESSED, "lost", detail)
    return None


def _replaced(facts: Facts, report: TestReport | None) -> list[str]:
    """Return what of the runner a run replaces and B does not, as far as the patch answers for it."""
    found = set(report.replaced).difference(facts.base.replaced) if report is not None else set()
    outcomes = {name for name in found if name.startswith(_OUTCOME)}
    # Without a change to what tests run under, only that a test fails is new. N has P's configuration, and
    # else only product code that the patch takes away.
    own = set() if report is facts.new_tests else found - outcomes
    return sorted(own | (outcomes if facts.change.support else set()))


def _still_failing(facts: Facts) -> Decision | None:
    failing = [check for check in facts.checks if not _check_passes(check, facts)]
    if not failing:
        return None
    return Decision(Verdict.STILL_FAILING, "checks", f"Does not pass: {_names(failing)}.")


def _check_passes(check: str, facts: Facts) -> bool:
    """Return whether every test that a check names passes in P and, where it exists there, in O."""
    after = _named_by(check, _outcomes(facts.patched))
    old = _named_by(check, _outcomes(facts.old_tests))
    return bool(after) and all(o is Outcome.PASSED for o in after) and all(_passes(o) for o in old)


def _named_by(check: str, outcomes: Mapping[str, Outcome]) -> list[Outcome]:
    if check in outcomes:
        return [outcomes[check]]
    return [outcomes[t] for t in outcomes if t.startswith((f"{check}[", f"{check}::", f"{check}."))]


def _tests_only(facts: Facts) -> Decision | None:
    if facts.touches_product or not facts.touches_tests:
        return None
    detail = "Only tests or runner configuration are changed, and no test is lost."
    return Decision(Verdict.TESTS_ONLY, "", detail)


def _not_covered(facts: Facts, fixed: Sequence[str]) -> Decision | None:
    covered = [hunk for hunk in facts.product_hunks if hunk.coverage == "covered"]
    # What a new example executes it says of itself: nobody knows what it would have come to before.
    own = [hunk for hunk in covered if hunk.tests and facts.change.examples.new.issuperset(hunk.tests)]
    if len(covered) > len(own):
        return None
    written = facts.change.rewritten - facts.change.examples.new
    is_shown = fixed or any(_fails_itself(test, facts) for test in written)
    if is_shown and (own or any(hunk.coverage == "notCovered" for hunk in facts.product_hunks)):
        # What an import or another process executes is in no test's own context; that a test is mended by it,
        # or a new one needs it, shows more than a line that is executed.
        return None
    if all(hunk.coverage == "notApplicable" for hunk in facts.product_hunks):
        return Decision(
            Verdict.NOT_COVERED, "noCode", "No line of code is changed that a test could execute."
        )
    what = "but examples that the patch writes itself " if own else ""
    detail = f"No test that passes {what}executes a changed line."
    return Decision(Verdict.NOT_COVERED, "noTestExecutesChange", detail)


def _own_measure(facts: Facts, fixed: Sequence[str]) -> Decision | None:
    """Return that the change only lets more pass in a test that it seems to mend."""
    measured = {test: by for test, by in facts.change.measured.items() if test in fixed}
    if not measured:
        return None
    by = _names(sorted({*measured.values()}))
    detail = f"The change loosens {by}, within which these tests compare: {_names(sorted(measured))}."
    return Decision(Verdict.NOT_COVERED, "testsLoosened", detail)


def _own_assertion(facts: Facts) -> Decision | None:
    """Return that the change loosens an assertion of the product's own, by which tests check."""
    if not facts.change.asserted:
        return None
    by = _names(sorted({*facts.change.asserted.values()}))
    detail = f"The change loosens {by}, by which these tests check: {_names(sorted(facts.change.asserted))}."
    return Decision(Verdict.NOT_COVERED, "testsLoosened", detail)


def _not_confirmed(facts: Facts, fixed: Sequence[str]) -> Decision | None:
    """Return why all rules above it are passed and the change still is not verified."""
    old = _outcomes(facts.old_tests)
    unconfirmed = [test for test in fixed if test in old and not _passes(old[test])]
    if unconfirmed:
        detail = f"Passes only with the patch's own tests or configuration: {_names(unconfirmed)}."
        return Decision(Verdict.NOT_COVERED, "fixedByTestsOnly", detail)
    if facts.change.examples.rewritten:
        names = _names(sorted(facts.change.examples.rewritten))
        detail = f"Examples that are tests do not say any more what they said: {names}."
        return Decision(Verdict.NOT_COVERED, "testsLoosened", detail)
    alone = _outcomes(facts.new_tests)
    unneeded = [test for test in fixed if test not in facts.change.rewritten and _passes_in(test, alone)]
    if unneeded:
        detail = f"The patch's tests or configuration alone make it pass: {_names(unneeded)}."
        return Decision(Verdict.NOT_COVERED, "fixedByTestsOnly", detail)
    silenced = _silenced(facts)
    if silenced:
        detail = f"Failed before, and is silenced instead of mended: {_names(silenced)}."
        return Decision(Verdict.NOT_COVERED, "testsSilenced", detail)
    if facts.change.removed:
        detail = f"Tests are removed: {_names(sorted(facts.change.removed))}."
        return Decision(Verdict.NOT_COVERED, "testsRemoved", detail)
    if facts.change.hooks:
        detail = f"What decides any test's outcome is changed: {_names(sorted(facts.change.hooks))}."
        return Decision(Verdict.NOT_COVERED, "outcomeHooks", detail)
    if facts.change.aware:
        what = "asks whether it is tested, reaches into the run, or equals or swallows anything"
        detail = f"The change {what}: {_names(sorted(facts.change.aware))}."
        return Decision(Verdict.NOT_COVERED, "asksForTests", detail)
    looser = sorted(t for t in facts.change.loosened if not _needs_change(t, facts))
    if looser:
        detail = (
            "Tests are rewritten so that they may say less, and nothing shows that they need the change:"
            f" {_names(looser)}."
        )
        return Decision(Verdict.NOT_COVERED, "testsLoosened", detail)
    if facts.change.changed and not any(_fails_in_new(test, facts) for test in facts.change.changed):
        detail = "No added or changed test fails without the change, so none of them shows what it does."
        return Decision(Verdict.NOT_COVERED, "newTestsPassOnBase", detail)
    return None


def _silenced(facts: Facts) -> list[str]:
    """Return the tests that failed in B and can fail in P no more, without a sign of a mend."""
    after, old = _outcomes(facts.patched), _outcomes(facts.old_tests)
    broken = [test for test, outcome in _outcomes(facts.base).items() if outcome in _BROKEN]
    silenced = [test for test in broken if after.get(test) in _SILENT or test in facts.change.hidden]
    # Of what came in a test's place only as many as still fail can be what it was.
    left: dict[frozenset[str], list[str]] = {}
    for test in broken:
        if test in facts.change.heirs and test in old and not _passes(old[test]):
            left.setdefault(facts.change.heirs[test], []).append(test)
    for heirs, tests in left.items():
        if len(tests) > sum(after.get(heir) in _BROKEN for heir in heirs):
            silenced += tests
    return sorted(silenced)


def _needs_change(test: str, facts: Facts) -> bool:
    """Return whether a rewritten test does not pass in N, of itself or by what it uses.

    One that N skips, cannot set up, or whose file it cannot import, may have nothing to do with that.
    """
    outcome = facts.new_tests.outcome_of(test) if facts.new_tests is not None else Outcome.FAILED
    # In unittest an exception in a test's own body is an error, in pytest one in what is set up for it.
    has_failed = outcome in _BROKEN and (outcome is Outcome.FAILED or ".py::" not in test)
    return has_failed or (not _passes(outcome) and test in facts.change.leaning)


def _fails_in_new(test: str, facts: Facts) -> bool:
    """Return whether a test passes in P and fails in N, where a file that cannot be imported is a failure."""
    if facts.new_tests is None or facts.patched.outcome_of(test) is not Outcome.PASSED:
        return False
    outcome = facts.new_tests.outcome_of(test)
    if outcome is None:
        broken = {t.id for t in facts.new_tests.tests if t.outcome is Outcome.ERROR}
        parts = test.replace("::", ".").split(".")
        names = {".".join(parts[:n]) for n in range(1, len(parts))}
        # Without a `conftest.py` the runner does not even start.
        has_not_begun = facts.new_tests.end is RunEnd.COLLECTION and not facts.new_tests.tests
        return has_not_begun or test.split("::")[0] in broken or not names.isdisjoint(broken)
    return outcome in _BROKEN


def _fails_itself(test: str, facts: Facts) -> bool:
    """Return whether a test fails in N; where only its file is known to fail, one that uses what is new."""
    is_told = facts.new_tests is not None and facts.new_tests.outcome_of(test) is not None
    return _fails_in_new(test, facts) and (is_told or test in facts.change.leaning)


def _verified_detail(facts: Facts, fixed: Sequence[str]) -> str:
    passed = _tests(facts.patched.count(Outcome.PASSED), "passes", "pass")
    broken = {test.id for test in facts.patched.tests if test.outcome in _BROKEN}
    failing = f" {_tests(len(broken), 'still fails', 'still fail')}." if broken else ""
    if fixed:
        after = _outcomes(facts.patched)
        which = "of them failed before" if all(test in after for test in fixed) else "failed before"
        return f"{passed}, {len(fixed)} {which}: {_names(fixed)}.{failing}"
    return f"{passed}, none is lost, and tests execute the changed lines.{failing}"


def _tests(number: int, one: str, many: str) -> str:
    return f"1 test {one}" if number == 1 else f"{number} tests {many}"


def _names(tests: Sequence[str]) -> str:
    more = f" and {len(tests) - _NAMED} more" if len(tests) > _NAMED else ""
    return ", ".join(tests[:_NAMED]) + more
