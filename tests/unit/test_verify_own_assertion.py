"""Assertions that a package ships are words of the tests that check by them."""

from __future__ import annotations

import pytest

from greenline.core.evidence import Outcome, RunEnd, TestReport, TestResult
from greenline.core.port import StagedFile, Tree
from greenline.verify.own_assertion import own_assertions

SHIPPED = "src/tariff/testing.py"
TEST = "tests/test_a.py"
EXACT = "def assert_price(actual, expected):\n    assert actual == expected\n"
CLOSE = EXACT.replace("actual == expected", "abs(actual - expected) < 1000")
RAISED = (
    "def assert_price(actual, expected):\n    if actual != expected:\n        raise AssertionError(actual)\n"
)
USES = "from tariff.testing import assert_price\n\n\ndef test_it():\n    assert_price(price(1), 2)\n"
OTHER = "\n\ndef test_other():\n    assert price(1)\n"


def found(before: str, after: str, tests: dict[str, str]) -> dict[str, str]:
    old, new = (
        {path: StagedFile(text.encode()) for path, text in {SHIPPED: text, **tests}.items()}
        for text in (before, after)
    )
    ids = [f"{TEST}::test_it", f"{TEST}::test_other"]
    report = TestReport(
        RunEnd.COMPLETE, tests=tuple(TestResult(test, Outcome.PASSED, file=TEST) for test in ids)
    )
    trees: list[Tree] = [old, new]
    return dict(own_assertions(*trees, [SHIPPED], report))


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (EXACT, CLOSE),
        (RAISED, RAISED.replace("actual != expected", "abs(actual - expected) > 1000")),
        (RAISED, EXACT.replace("    assert actual == expected", "    pass")),
        (EXACT.replace("actual == expected", "actual == expected\n    assert actual >= 0"), EXACT),
        (EXACT.replace("actual == expected", "actual == expected and actual >= 0"), EXACT),
        (EXACT, EXACT.replace("actual == expected", "actual == expected or True")),
        (EXACT, EXACT.replace("actual == expected", "not actual == expected")),
        (RAISED, RAISED.replace("actual != expected", "actual != expected and actual < 0")),
    ],
)
def test_a_test_says_less_where_the_assertion_that_it_calls_does(before: str, after: str) -> None:
    by = {f"{TEST}::test_it": f"{SHIPPED}: assert_price"}

    assert found(before, after, {TEST: USES + OTHER}) == by


def test_a_long_chain_of_helpers_is_followed_at_once() -> None:
    chain = "".join(f"def h{n}(a):\n    h{n - 1}(a)\n\n\n" for n in range(1, 2000))
    helper = f"from tariff.testing import assert_price\n\n\ndef h0(a):\n    assert_price(a, 1)\n\n\n{chain}"
    test = USES.replace("tariff.testing import assert_price", "helpers import h1999")
    test = test.replace("assert_price(price(1), 2)", "h1999(1)")

    assert [*found(EXACT, CLOSE, {"tests/helpers.py": helper, TEST: test + OTHER})] == [f"{TEST}::test_it"]


def test_it_is_followed_over_helpers() -> None:
    helper = "from tariff.testing import assert_price\n\n\ndef check(a, b):\n    assert_price(a, b)\n"
    test = USES.replace("tariff.testing", "helpers").replace("assert_price", "check")

    assert [*found(EXACT, CLOSE, {"tests/helpers.py": helper, TEST: test + OTHER})] == [f"{TEST}::test_it"]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (EXACT, EXACT.replace("    assert", "    assert actual >= 0\n    assert")),
        (EXACT, EXACT.replace("    assert", '    """Compare."""\n    assert')),
        (EXACT, EXACT + "\n\ndef assert_other(a):\n    assert a\n"),
        (EXACT, EXACT.replace("actual == expected", "type(actual) is int and actual == expected")),
        (RAISED, RAISED.replace("actual != expected", "actual != expected or actual < 0")),
        (EXACT.replace("assert_price", "expected_loss"), CLOSE.replace("assert_price", "expected_loss")),
        # What is named as no assertion may check its arguments.
        (EXACT.replace("assert_price", "price_of"), CLOSE.replace("assert_price", "price_of")),
    ],
)
def test_what_asks_for_as_much_is_none(before: str, after: str) -> None:
    assert not found(before, after, {TEST: USES + OTHER})
