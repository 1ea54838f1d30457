"""Ochiai ranks the lines that failing tests execute and passing ones do not."""

from __future__ import annotations

import pytest

from greenline.core.evidence import Outcome, RunEnd, TestReport, TestResult
from greenline.repair.localise import failing_tests, ochiai

REPORT = TestReport(
    RunEnd.COMPLETE,
    (
        TestResult("bad", Outcome.FAILED),
        TestResult("good", Outcome.PASSED),
        TestResult("other", Outcome.PASSED),
        TestResult("left out", Outcome.SKIPPED),
    ),
    {
        "bad": {"m.py": (1, 2, 3), "tests/test_m.py": (9,)},
        "good": {"m.py": (1, 2)},
        "other": {"m.py": (1, 7)},
        "left out": {"m.py": (3,)},
    },
)


def test_lines_of_failing_tests_alone_come_first() -> None:
    scores = ochiai(REPORT, failing_tests(REPORT), lambda path: not path.startswith("tests/"))

    assert scores == {
        ("m.py", 3): 1.0,
        ("m.py", 2): pytest.approx(2**-0.5),
        ("m.py", 1): pytest.approx(3**-0.5),
    }


def test_without_failing_tests_nothing_is_suspicious() -> None:
    assert ochiai(REPORT, (), lambda _: True) == {}
