"""What the agent makes of evidence: checks, the worst of several roots, and what to do next."""

from __future__ import annotations

import attrs
import pytest

from greenline.agent.proof import checks_of
from greenline.agent.reflector import Attempt, better, explain, reflect
from greenline.agent.root_evidence import named, worst
from greenline.core.bite import Bite, ChangedLines, HunkBite, Mutant
from greenline.core.edit import EditSet, FileChange
from greenline.core.evidence import Evidence, HunkEvidence, Outcome, RunEnd, TestReport, TestResult, Verdict
from greenline.core.selection import Selection
from greenline.core.task import Plan, PlanEntry, StopReason


def evidence(verdict: Verdict, **more: object) -> Evidence:
    return Evidence(verdict, "", f"it is {verdict.value}", **more)  # type: ignore[arg-type]


def attempt(verdict: Verdict, text: bytes = b"x") -> Attempt:
    return Attempt(EditSet((FileChange("/w/a.py", None, text),)), (), evidence(verdict), "")


@pytest.mark.parametrize(
    ("check", "is_test"),
    [
        ("tests/test_a.py::test_b", True),
        ("tests/test_a.py::TestB::test_c[1 x]", True),
        ("tests.test_a.TestB.test_c", True),
        ("std::vector is no longer copied", False),
        ("The page shows the total", False),
        ("reads well", False),
    ],
)
def test_only_test_ids_are_checks_for_the_verifier(check: str, is_test: bool) -> None:
    plan = Plan(1, (PlanEntry(1, "x", checks=(check, check)),))

    assert checks_of(plan) == ((check,) if is_test else ())


def test_worst_root_decides_and_every_root_is_shown() -> None:
    good = evidence(Verdict.VERIFIED, hunks=(HunkEvidence("h1", "covered"),), duration_s=1.0)
    bad = evidence(Verdict.REGRESSED, hunks=(HunkEvidence("h2", "covered"),), duration_s=2.0)

    whole = worst((good, bad))

    assert whole.verdict is Verdict.REGRESSED
    assert [hunk.hunk_id for hunk in whole.hunks] == ["h1", "h2"]
    assert whole.warnings == ("verified: it is verified",)
    assert whole.duration_s == 3.0


def test_tests_of_several_roots_are_named_with_their_root() -> None:
    def of(outcome: Outcome) -> TestReport:
        test = TestResult("t.py::test_a", outcome, file="t.py", message="assert 1")
        return TestReport(RunEnd.COMPLETE, (test,), {"t.py::test_a": {"a.py": (1,)}}, "pytest 8")

    good = evidence(Verdict.VERIFIED, patched=of(Outcome.PASSED), fixed=("t.py::test_a",))
    bad = evidence(
        Verdict.REGRESSED,
        patched=of(Outcome.FAILED),
        lost=("t.py::test_a",),
        hunks=(HunkEvidence("h", "covered", ("t.py::test_a",)),),
    )

    whole = worst((named(good, "api"), named(bad, "web")))

    text = explain(whole)
    assert "Verdict: regressed. web: it is regressed" in text
    assert "Passed before and not now: web/t.py::test_a" in text
    assert "failed: web/t.py::test_a" in text
    assert "api/t.py::test_a" not in text
    assert whole.fixed == ("api/t.py::test_a",)
    assert whole.patched is not None
    assert whole.patched.outcome_of("api/t.py::test_a") is Outcome.PASSED
    assert whole.patched.coverage["web/t.py::test_a"] == {"web/a.py": (1,)}
    assert whole.patched.runner == "pytest 8"
    assert whole.hunks[0].tests == ("web/t.py::test_a",)


def test_run_that_broke_off_in_one_root_is_no_complete_run() -> None:
    complete, died = TestReport(RunEnd.COMPLETE), TestReport(RunEnd.DIED, output="boom", detail="It broke.")

    whole = worst(
        (
            named(evidence(Verdict.VERIFIED, patched=complete), "api"),
            named(evidence(Verdict.REGRESSED, patched=died), "web"),
        )
    )

    assert whole.patched is not None
    assert (whole.patched.end, whole.patched.detail) == (RunEnd.DIED, "web: It broke.")
    assert "boom" in explain(whole)


@pytest.mark.parametrize(
    "verdict", [Verdict.VERIFIED, Verdict.TESTS_ONLY, Verdict.NOT_RUN, Verdict.COULD_NOT_RUN]
)
def test_nothing_is_left_to_do_after_some_verdicts(verdict: Verdict) -> None:
    assert reflect(attempt(verdict), None) is StopReason.DONE


def test_the_same_edits_again_are_no_progress() -> None:
    first = attempt(Verdict.REGRESSED)

    assert isinstance(reflect(first, None), str)
    assert reflect(attempt(Verdict.REGRESSED), first) is StopReason.NO_PROGRESS
    assert isinstance(reflect(attempt(Verdict.REGRESSED, b"y"), first), str)


def test_better_verdict_is_kept_and_the_newer_of_equals() -> None:
    covered, regressed, again = (
        attempt(Verdict.NOT_COVERED),
        attempt(Verdict.REGRESSED),
        attempt(Verdict.NOT_COVERED, b"y"),
    )

    assert better(covered, regressed) is covered
    assert better(covered, again) is again
    assert better(None, regressed) is regressed


def test_lost_tests_are_explained_first() -> None:
    tests = (
        TestResult("t::old", Outcome.FAILED, message="failed before"),
        TestResult("t::lost", Outcome.ERROR, message="broken by us"),
        TestResult("t::fine", Outcome.PASSED),
    )
    report = TestReport(RunEnd.COMPLETE, tests)

    text = explain(evidence(Verdict.REGRESSED, patched=report, lost=("t::lost",)))

    assert text.index("broken by us") < text.index("failed before")
    assert "t::fine" not in text


def test_run_that_could_not_collect_shows_its_output() -> None:
    report = TestReport(
        RunEnd.COLLECTION, (), output="SyntaxError: line 3", detail="a.py cannot be imported."
    )

    text = explain(evidence(Verdict.REGRESSED, patched=report))

    assert "a.py cannot be imported." in text
    assert "SyntaxError: line 3" in text


def test_report_says_what_failed_before_the_change_too() -> None:
    old = TestResult("t.py::test_old", Outcome.FAILED, message="assert 0")
    new = TestResult("t.py::test_new", Outcome.FAILED, message="assert 1")
    found = Evidence(
        Verdict.STILL_FAILING,
        "",
        "",
        base=TestReport(RunEnd.COMPLETE, (old,)),
        patched=TestReport(RunEnd.COMPLETE, (old, new)),
    )

    lines = explain(found).splitlines()

    assert "failed: t.py::test_old (it failed before your change too)" in lines
    assert "failed: t.py::test_new" in lines


def test_the_bite_of_several_roots_is_named_and_summed() -> None:
    hunk = HunkBite(
        "bites", tests=("t.py::t",), n_mutants=2, n_killed=1, survivors=(Mutant("a.py", 1, "1", "2"),)
    )
    one = evidence(
        Verdict.VERIFIED,
        hunks=(HunkEvidence("h1", "covered", ("t.py::t",), hunk),),
        changed_lines=ChangedLines(1, 2),
        bite=Bite(1, 1, 0, 2, 1),
    )
    other = evidence(Verdict.VERIFIED, changed_lines=ChangedLines(3, 3), bite=Bite(1, 0, 0, 1, 1))

    whole = worst((named(one, "api"), named(other, "web")))

    assert whole.bite == Bite(2, 1, 0, 3, 2)
    assert whole.changed_lines == ChangedLines(4, 5)
    bite = whole.hunks[0].bite
    assert bite is not None
    assert (bite.tests, bite.survivors[0].path) == (("api/t.py::t",), "api/a.py")


def test_roots_of_which_one_was_not_run_whole_are_not_run_whole() -> None:
    part = Selection("affected", "suiteTooLong", 2, 40, 3, {"lines": 2}, 300.0)
    tests = (TestResult("t.py::a", Outcome.PASSED), TestResult("t.py::b", Outcome.PASSED))
    whole = evidence(Verdict.VERIFIED, patched=TestReport(RunEnd.COMPLETE, tests))
    other = evidence(Verdict.VERIFIED, selection=part)

    both = worst((named(whole, "api"), named(other, "web")))

    assert both.selection == attrs.evolve(part, n_selected=4, n_tests=42)
    assert (both.is_vouched_for, worst((whole, whole)).is_vouched_for) == (False, True)
    assert "Only 4 of 42 tests ran" in both.selection.words()
    assert "3 more" in both.selection.words()
