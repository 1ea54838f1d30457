"""How long a candidate's tests may take follows from what they took on the base."""

from __future__ import annotations

import attrs
import pytest

from greenline.core.evidence import Outcome, RunEnd, TestReport, TestResult
from greenline.mutation.source import Candidate
from greenline.repair.diagnosis import Diagnosis, is_wanted
from greenline.repair.engine import _part, search_until
from greenline.repair.fix import Fix
from greenline.repair.search import Found
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
            "No test and no file of tests is named test_parser; there is nothing to repair. Of the",
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


PYTEST, UNITTEST = "tests/test_page.py::PageTest::test_items[1-a]", "tests.test_page.PageTest.test_items"


@pytest.mark.parametrize("test", [PYTEST, UNITTEST])
@pytest.mark.parametrize(
    ("word", "is_it"),
    [
        (PYTEST.split("[")[0], True),
        (f"./{PYTEST.split('[')[0]}", True),
        (UNITTEST, True),
        ("PageTest.test_items", True),
        ("test_page.py::PageTest", True),
        ("tests/test_page.py", True),
        ("test_items", True),
        ("test_item", False),
        ("page.PageTest", False),
        ("tests/test_page.py::PageTest::test_items[2-b]", False),
        ("tests/test_pages.py", False),
    ],
)
def test_a_test_is_known_by_the_id_of_any_runner(test: str, word: str, is_it: bool) -> None:
    assert is_wanted(test, (word,)) is is_it


def test_what_an_edit_mends_is_named_where_nothing_mends_all() -> None:
    edit = Fix((Candidate("m.py", 0, 1, b"x", "kind", 1, 0.5),), 0.5)
    results = (
        TestResult("endless", Outcome.FAILED, 4.1, timed_out=True),
        *(TestResult(name, Outcome.FAILED, 0.1) for name in "ab"),
    )
    diagnosis = Diagnosis(TestReport(RunEnd.COMPLETE, results), ("endless", "a", "b"), {})
    some = Found((), 9, 9, partial=((edit, frozenset("ab")),))

    words = " An edit makes 2 of the 3 failing tests pass: name a, b to have that alone looked for."
    assert _part(some, diagnosis) == words
    whole = attrs.evolve(some, partial=((edit, frozenset(diagnosis.failing)),))
    assert "An edit" not in _part(whole, diagnosis)
    assert _part(Found((), 9, 9), diagnosis).startswith(" endless was stopped and slows every try")
    assert _part(Found((), 9, 9), attrs.evolve(diagnosis, failing=("a",))) == ""


def test_a_file_that_cannot_be_read_is_named() -> None:
    message = 'tests/test_bus.py:1: in <module>\n    from bus import Bus\nE     File "/p/bus.py", line 3\n'
    message += "E       def (\nE           ^\nE   SyntaxError: invalid syntax\n"
    report = TestReport(RunEnd.COMPLETE, (TestResult("tests/test_bus.py", Outcome.ERROR, message=message),))

    problem = Diagnosis(report, ("tests/test_bus.py",), {}).problem()

    assert problem == "/p/bus.py, line 3, cannot be read: SyntaxError: invalid syntax. Mend that first."
