"""The verdict table, rule by rule: what produces each verdict, and the near miss that must not."""

from __future__ import annotations

from typing import Any

import attrs
import pytest

from greenline.core.evidence import HunkEvidence, Outcome, RunEnd, TestReport, TestResult, Verdict
from greenline.verify.test_change import TestChange
from greenline.verify.verdict import Facts, decide, differing

COVERED = (HunkEvidence("h1", "covered", ("a",)),)
BARE = (HunkEvidence("h1", "notCovered"),)


def report(end: RunEnd = RunEnd.COMPLETE, **outcomes: str) -> TestReport:
    tests = tuple(TestResult(name, Outcome(outcome)) for name, outcome in outcomes.items())
    return TestReport(end, tests, detail="Why.")


FIX = Facts(
    base=report(a="failed", b="passed"), patched=report(a="passed", b="passed"), product_hunks=COVERED
)
WITH_TESTS = attrs.evolve(
    FIX,
    touches_tests=True,
    patched=report(a="passed", b="passed", new="passed"),
    old_tests=report(a="passed", b="passed"),
    new_tests=report(a="failed", b="passed", new="failed"),
    change=TestChange(changed=frozenset({"new"})),
)
TESTS_ONLY = attrs.evolve(WITH_TESTS, base=report(b="passed"), touches_product=False, product_hunks=())


SUPPORT = TestChange(changed=frozenset({"new"}), support=True)
REWRITTEN = attrs.evolve(
    report(a="failed", b="passed", new="failed"), replaced=("outcome of a failed test in conftest.py",)
)
OWN = TestChange(changed=frozenset({"a", "new"}), rewritten=frozenset({"a"}))


def case(facts: Facts, **changes: Any) -> Facts:
    return attrs.evolve(facts, **changes)


@pytest.mark.parametrize(
    ("facts", "verdict", "reason"),
    [
        (FIX, "verified", ""),
        (case(FIX, base=report(RunEnd.UNAVAILABLE)), "couldNotRun", "sandboxUnavailable"),
        (case(FIX, patched=report(RunEnd.UNAVAILABLE)), "couldNotRun", "sandboxUnavailable"),
        (case(FIX, base=report(RunEnd.RUNNER_MISSING)), "couldNotRun", "runnerMissing"),
        (case(FIX, base=report(RunEnd.COLLECTION, b="passed")), "couldNotRun", "collection"),
        (case(FIX, base=report(RunEnd.TIMEOUT), patched=report(RunEnd.DIED)), "couldNotRun", "timeout"),
        (case(FIX, base=report(), patched=report()), "notRun", "noTests"),
        (case(FIX, base=report(a="skipped"), patched=report(a="skipped")), "notRun", "zeroTests"),
        (case(FIX, patched=report(a="deselected", b="deselected")), "regressed", "lost"),
        (case(FIX, flaky=("a",)), "flaky", "bothOutcomes"),
        (case(FIX, flaky=("a",), patched=report(a="passed", b="failed")), "flaky", "bothOutcomes"),
        (case(FIX, patched=report(a="passed", b="failed")), "regressed", "lost"),
        (case(FIX, patched=report(a="passed", b="error")), "regressed", "lost"),
        (case(FIX, patched=report(a="passed", b="skipped")), "regressed", "lost"),
        (case(FIX, patched=report(a="passed", b="xfailed")), "regressed", "lost"),
        (case(FIX, patched=report(a="passed")), "regressed", "lost"),
        (case(FIX, patched=report(a="failed", b="passed")), "verified", ""),
        (case(FIX, patched=report(RunEnd.COLLECTION, b="passed")), "regressed", "collection"),
        (case(FIX, patched=report(RunEnd.TIMEOUT)), "regressed", "timeout"),
        (case(FIX, patched=report(RunEnd.DIED, a="passed", b="passed")), "regressed", "died"),
        (case(WITH_TESTS, old_tests=report(RunEnd.COLLECTION)), "regressed", "collection"),
        (case(WITH_TESTS, old_tests=report(a="passed", b="failed")), "regressed", "lost"),
        (case(FIX, checks=("b",)), "verified", ""),
        (case(FIX, checks=("a", "c")), "stillFailing", "checks"),
        (case(FIX, patched=report(a="failed", b="passed"), checks=("a",)), "stillFailing", "checks"),
        (case(WITH_TESTS, old_tests=report(a="failed", b="passed"), checks=("a",)), "stillFailing", "checks"),
        (TESTS_ONLY, "testsOnly", ""),
        (case(TESTS_ONLY, patched=report(b="skipped")), "regressed", "lost"),
        (case(TESTS_ONLY, touches_product=True, product_hunks=BARE), "notCovered", "noTestExecutesChange"),
        (case(FIX, product_hunks=BARE), "verified", ""),
        (case(FIX, product_hunks=BARE, base=report(a="passed", b="passed")), "notCovered",
         "noTestExecutesChange"),
        (case(FIX, product_hunks=BARE + COVERED), "verified", ""),
        (case(FIX, product_hunks=(HunkEvidence("h", "notApplicable"),)), "notCovered", "noCode"),
        (WITH_TESTS, "verified", ""),
        (case(WITH_TESTS, new_tests=report(a="failed", b="passed", new="passed")), "notCovered",
         "newTestsPassOnBase"),
        (case(WITH_TESTS, old_tests=report(a="failed", b="passed")), "notCovered", "fixedByTestsOnly"),
        (case(WITH_TESTS, new_tests=report(a="passed", b="passed", new="failed")), "notCovered",
         "fixedByTestsOnly"),
        (case(WITH_TESTS, new_tests=report(a="passed", b="passed", new="failed"), change=OWN), "verified",
         ""),
        (case(WITH_TESTS, new_tests=REWRITTEN, change=SUPPORT), "regressed", "runnerReplaced"),
        (case(WITH_TESTS, new_tests=REWRITTEN), "verified", ""),
        (case(WITH_TESTS, base=attrs.evolve(REWRITTEN, tests=WITH_TESTS.base.tests), new_tests=REWRITTEN,
              change=SUPPORT), "verified", ""),
        (case(WITH_TESTS, change=TestChange(removed=frozenset({"b"})), patched=report(a="passed")),
         "notCovered", "testsRemoved"),
        (case(WITH_TESTS, change=TestChange(hidden=frozenset({"b"})), patched=report(a="passed")),
         "regressed", "lost"),
    ],
)  # fmt: skip
def test_first_matching_rule_is_the_verdict(facts: Facts, verdict: str, reason: str) -> None:
    decision = decide(facts)

    assert (str(decision.verdict), decision.reason) == (verdict, reason)
    assert decision.detail


def test_new_test_whose_file_cannot_be_imported_on_the_base_counts_as_failing() -> None:
    new = "tests/test_n.py::test_n"
    facts = case(
        WITH_TESTS,
        patched=TestReport(RunEnd.COMPLETE, tuple(TestResult(i, Outcome.PASSED) for i in ("a", "b", new))),
        new_tests=TestReport(RunEnd.COLLECTION, (TestResult("tests/test_n.py", Outcome.ERROR),)),
        change=TestChange(changed=frozenset({new})),
    )

    assert decide(facts).verdict is Verdict.VERIFIED


def whole(end: RunEnd = RunEnd.COMPLETE, **outcomes: str) -> TestReport:
    """Return a report whose names are modules (`t_x`), or tests of them (`t_x__a`)."""
    tests = tuple(
        TestResult(f"{name.replace('__', '.py::')}{'' if '__' in name else '.py'}", Outcome(outcome))
        for name, outcome in outcomes.items()
    )
    return TestReport(end, tests, detail="Why.")


NEW = case(
    FIX,
    base=whole(RunEnd.COLLECTION, t_x="error", t_y__b="passed"),
    patched=whole(t_x__a="passed", t_y__b="passed"),
)
CONFIGURED = case(NEW, touches_tests=True, old_tests=NEW.patched, new_tests=NEW.base)


@pytest.mark.parametrize(
    ("facts", "verdict", "reason"),
    [
        (NEW, "verified", ""),
        (case(NEW, patched=whole(t_x__a="passed", t_y__b="failed")), "regressed", "lost"),
        (case(NEW, patched=whole(RunEnd.COLLECTION, t_x__a="passed", t_y="error")), "couldNotRun",
         "collection"),
        (case(NEW, patched=whole(t_y__b="passed")), "couldNotRun", "collection"),
        (case(NEW, patched=whole(t_x__a="failed", t_y__b="passed"), product_hunks=BARE), "notCovered",
         "noTestExecutesChange"),
        (case(NEW, checks=("t_x.py",)), "verified", ""),
        (case(NEW, checks=("t_x.py::a", "t_x.py::c")), "stillFailing", "checks"),
        (CONFIGURED, "verified", ""),
        (case(CONFIGURED, old_tests=NEW.base), "couldNotRun", "collection"),
        (case(CONFIGURED, new_tests=NEW.patched), "notCovered", "fixedByTestsOnly"),
    ],
)  # fmt: skip
def test_module_that_only_the_base_cannot_collect_is_a_failing_test(
    facts: Facts, verdict: str, reason: str
) -> None:
    decision = decide(facts)

    assert (str(decision.verdict), decision.reason) == (verdict, reason)
    if verdict == "verified":
        assert decision.fixed == ("t_x.py",)


def test_renamed_test_is_missing_and_not_lost() -> None:
    facts = case(
        WITH_TESTS, patched=report(a="passed", new="passed"), old_tests=report(a="passed", b="passed")
    )

    decision = decide(facts)

    assert decision.verdict is Verdict.VERIFIED
    assert decision.missing == ("b",)
    assert decision.lost == ()


OTHER = case(
    WITH_TESTS,
    base=report(a="failed", b="passed", c="failed"),
    patched=report(a="passed", b="passed", c="failed", new="passed"),
    old_tests=report(a="passed", b="passed", c="failed"),
    new_tests=report(a="failed", b="passed", c="failed", new="failed"),
)
GONE = case(OTHER, patched=WITH_TESTS.patched)
ROWS = TestChange(changed=frozenset({"new"}), heirs={"c": frozenset({"c2"})})


@pytest.mark.parametrize(
    "facts",
    [
        case(OTHER, patched=report(a="passed", b="passed", c="skipped", new="passed")),
        case(OTHER, patched=report(a="passed", b="passed", c="xfailed", new="passed")),
        case(OTHER, patched=report(a="passed", b="passed", c="xpassed", new="passed")),
        case(OTHER, patched=report(a="passed", b="passed", c="deselected", new="passed")),
        case(GONE, change=TestChange(changed=frozenset({"new"}), hidden=frozenset({"c"}))),
        case(GONE, patched=report(a="passed", b="passed", c2="passed", new="passed"), change=ROWS),
        case(FIX, base=OTHER.base, patched=FIX.patched, change=TestChange(hidden=frozenset({"c"}))),
    ],
)
def test_a_failing_test_that_is_silenced_beside_a_fix_is_named(facts: Facts) -> None:
    decision = decide(facts)

    assert (str(decision.verdict), decision.reason) == ("notCovered", "testsSilenced")
    assert decision.detail == "Failed before, and is silenced instead of mended: c."


@pytest.mark.parametrize(
    "facts",
    [
        OTHER,
        case(GONE, patched=report(a="passed", b="passed", c2="failed", new="passed"), change=ROWS),
        case(
            GONE,
            patched=report(a="passed", b="passed", c2="passed", new="passed"),
            old_tests=report(a="passed", b="passed", c="passed"),
            change=ROWS,
        ),
    ],
)
def test_a_failing_test_that_still_fails_or_is_mended_under_another_name_is_not_silenced(
    facts: Facts,
) -> None:
    assert decide(facts).verdict is Verdict.VERIFIED


def test_a_failing_test_may_be_marked_where_nothing_else_is_changed() -> None:
    facts = case(
        TESTS_ONLY, base=report(b="passed", c="failed"), patched=report(b="passed", c="xfailed"),
        old_tests=report(b="passed", c="failed"), new_tests=report(b="passed", c="xfailed"),
    )  # fmt: skip

    assert decide(facts).verdict is Verdict.TESTS_ONLY


def test_a_test_that_passes_by_a_looser_bound_is_not_mended() -> None:
    change = TestChange(measured={"a": "TOLERANCE", "never_broken": "LIMIT"})

    decision = decide(case(FIX, change=change))

    assert (str(decision.verdict), decision.reason) == ("notCovered", "testsLoosened")
    assert decision.detail == "The change loosens TOLERANCE, within which these tests compare: a."
    assert decide(case(FIX, change=TestChange(measured={"b": "TOLERANCE"}))).verdict is Verdict.VERIFIED


IMPORTED = case(
    WITH_TESTS,
    base=report(b="passed"),
    patched=report(b="passed", new="passed"),
    old_tests=report(b="passed"),
    new_tests=report(b="passed", new="failed"),
    change=TestChange(changed=frozenset({"new"}), rewritten=frozenset({"new"})),
    product_hunks=BARE,
)
UNREAD = case(IMPORTED, new_tests=TestReport(RunEnd.COLLECTION, detail="ImportError while loading conftest."))


@pytest.mark.parametrize(
    ("facts", "verdict", "reason"),
    [
        (IMPORTED, "verified", ""),
        (case(IMPORTED, new_tests=report(b="passed", new="passed")), "notCovered", "noTestExecutesChange"),
        (case(IMPORTED, change=TestChange(changed=frozenset({"new"}))), "notCovered", "noTestExecutesChange"),
        (UNREAD, "notCovered", "noTestExecutesChange"),
        (case(UNREAD, product_hunks=COVERED), "verified", ""),
        (case(UNREAD, change=attrs.evolve(IMPORTED.change, leaning=frozenset({"new"}))), "verified", ""),
    ],
)
def test_a_new_test_that_fails_without_the_change_shows_what_only_an_import_executes(
    facts: Facts, verdict: str, reason: str
) -> None:
    decision = decide(facts)

    assert (str(decision.verdict), decision.reason) == (verdict, reason)


IN_FILE = ("t.py::a", "t.py::b", "t.py::new")


def looser(n: str, leaning: tuple[str, ...] = (), test: str = "t.py::b") -> Facts:
    """Return facts of a test that is rewritten to say less and ends as `n` in N, or has no end there."""
    tests = tuple(TestResult(name, Outcome.PASSED) for name in (*IN_FILE, test))
    passed = TestReport(RunEnd.COMPLETE, tests)
    ended = (TestResult(test, Outcome(n)),) if n else ()
    change = TestChange(
        changed=frozenset({"t.py::new"}), loosened=frozenset({test}), leaning=frozenset(leaning)
    )
    alone = TestReport(RunEnd.COLLECTION, (TestResult("t.py", Outcome.ERROR), *ended))
    return case(WITH_TESTS, base=passed, patched=passed, old_tests=passed, new_tests=alone, change=change)


@pytest.mark.parametrize(
    "facts", [looser("passed"), looser(""), looser("error"), looser("skipped"), looser("", ("t.py::a",))]
)
def test_a_test_that_says_less_and_does_not_fail_itself_without_the_change_is_loosened(facts: Facts) -> None:
    decision = decide(facts)

    assert (str(decision.verdict), decision.reason) == ("notCovered", "testsLoosened")
    assert "t.py::b" in decision.detail


@pytest.mark.parametrize(
    "facts",
    [
        looser("failed"),
        looser("", ("t.py::b",)),
        looser("error", ("t.py::b",)),
        looser("error", test="t.Case.b"),
    ],
)
def test_a_rewritten_test_that_needs_the_change_is_not_loosened(facts: Facts) -> None:
    assert decide(facts).verdict is Verdict.VERIFIED


def test_only_tests_that_change_sides_differ() -> None:
    base = report(a="failed", b="passed", c="skipped", d="failed")
    patched = report(a="passed", b="error", c="passed", d="failed")

    assert differing(base, patched) == ("a", "b")


@pytest.mark.parametrize(
    ("facts", "detail"),
    [
        (FIX, "2 tests pass, 1 of them failed before: a."),
        (
            case(FIX, base=report(a="failed", b="failed"), patched=report(a="passed", b="failed")),
            "1 test passes, 1 of them failed before: a. 1 test still fails.",
        ),
        (
            case(FIX, base=report(b="passed"), patched=report(a="passed", b="passed")),
            "2 tests pass, none is lost, and tests execute the changed lines.",
        ),
    ],
)
def test_the_detail_of_verified_names_what_still_fails(facts: Facts, detail: str) -> None:
    decision = decide(facts)

    assert decision.verdict is Verdict.VERIFIED
    assert decision.detail == detail
