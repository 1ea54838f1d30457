"""How long a candidate's tests may take follows from what they took on the base."""

from __future__ import annotations

import pytest

from greenline.core.evidence import Outcome, RunEnd, TestReport, TestResult
from greenline.repair.diagnosis import Diagnosis
from greenline.repair.engine import search_until
from greenline.repair.trial import timing


def _report(*tests: tuple[str, Outcome, float]) -> TestReport:
    return TestReport(RunEnd.COMPLETE, tuple(TestResult(*test) for test in tests))


def test_a_slow_test_has_more_time_than_a_quick_one() -> None:
    report = _report(("slow", Outcome.PASSED, 3.0), ("quick", Outcome.PASSED, 0.01))

    limits = timing(report, (), 4.0).limits

    assert limits["slow"] > 3.0 > 1.0 > limits["quick"]


def test_what_a_stopped_test_took_says_nothing_about_its_limit() -> None:
    report = _report(("endless", Outcome.FAILED, 4.0), ("good", Outcome.PASSED, 0.01))

    found = timing(report, ("endless",), 4.0)

    assert found.limits["endless"] == found.limits["good"] < 1.0


def test_tests_that_ended_are_asked_before_one_that_was_stopped() -> None:
    report = _report(
        ("endless", Outcome.FAILED, 4.0), ("later", Outcome.FAILED, 0.2), ("bad", Outcome.FAILED, 0.1)
    )

    assert timing(report, ("endless", "later", "bad"), 4.0).failing == ("bad", "later", "endless")


def test_failures_that_are_not_asked_for_are_known() -> None:
    report = _report(("wanted", Outcome.FAILED, 0.1), ("other", Outcome.ERROR, 0.1))

    assert timing(report, ("wanted",), 4.0).broken == ("other",)


def test_only_a_failing_test_that_was_stopped_may_be_slow() -> None:
    report = TestReport(
        RunEnd.COMPLETE,
        (
            TestResult("endless", Outcome.FAILED, 4.1, timed_out=True),
            TestResult("bad", Outcome.FAILED, 0.1),
            TestResult("slow", Outcome.PASSED, 6.0),
        ),
    )

    diagnosis = Diagnosis(report, ("endless", "bad"), {})

    assert diagnosis.stopped == ("endless",)
    assert diagnosis.longest_s == 6.0


def test_a_search_leaves_time_for_the_verification_and_has_some_in_any_case() -> None:
    quick = search_until(100.0, 102.0, 60.0, 5.0)
    waiting = search_until(100.0, 106.0, 60.0, 20.0)
    slow = search_until(100.0, 150.0, 60.0, 54.0)

    assert 130.0 < quick < 150.0
    assert 110.0 < waiting < 140.0
    assert slow >= 160.0


@pytest.mark.parametrize(
    ("wanted", "end", "words"),
    [
        (
            ("test_parser",),
            RunEnd.COMPLETE,
            "No test is named test_parser; there is nothing to repair. Of the",
        ),
        (("test_b",), RunEnd.COMPLETE, "test_b passes; there is nothing to repair. Of the others 1 fails."),
        (
            ("test_b",),
            RunEnd.TIMEOUT,
            "No test that was asked for had failed when the run ended (timeout): why",
        ),
    ],
)
def test_a_request_that_names_no_failing_test_is_told_why(
    wanted: tuple[str, ...], end: RunEnd, words: str
) -> None:
    tests = (TestResult("a.py::test_parse", Outcome.FAILED, 0.1), TestResult("test_b", Outcome.PASSED, 0.1))

    diagnosis = Diagnosis(TestReport(end, tests, detail="why"), (), {}, wanted)

    assert diagnosis.problem().startswith(words)
