"""A constant of the product within which failing tests compare is their measure; one they assert is not."""

from __future__ import annotations

import pytest

from greenline.core.evidence import Outcome, RunEnd, TestReport, TestResult
from greenline.core.port import StagedFile, Tree
from greenline.verify.measure import measured_by_product

TEST = "tests/test_root.py"
TAKEN = "from num import TOLERANCE\nfrom num.root import sqrt\n\n\n"


def tree(files: dict[str, str]) -> Tree:
    return {path: StagedFile(text.encode()) for path, text in files.items()}


def found(product: tuple[str, str], test: str, message: str = "") -> set[str]:
    """Return the constants by which a test that fails is looser."""
    name = "num/__init__.py"
    old, new = (tree({name: text, TEST: test}) for text in product)
    result = TestResult(f"{TEST}::test_it", Outcome.FAILED, file=TEST, message=message)
    before = TestReport(RunEnd.COMPLETE, tests=(result,))
    return {*measured_by_product(old, new, [name], before).values()}


def within(body: str, head: str = TAKEN) -> str:
    return f"{head}def test_it():\n    {body}\n"


UP = ("TOLERANCE = 1e-6\n", "TOLERANCE = 10.0\n")
DOWN = (UP[1], UP[0])


@pytest.mark.parametrize(
    "test",
    [
        within("assert abs(sqrt(9) - 3) < TOLERANCE"),
        within("got = sqrt(9)\n    assert -TOLERANCE <= got - 3 <= 2 * TOLERANCE"),
        within("assert TOLERANCE > abs(sqrt(9) - 3)"),
        within("assert sqrt(9) == pytest.approx(3, rel=TOLERANCE)"),
        within("assert sqrt(9) == pytest.approx(3, TOLERANCE)"),
        within("assert math.isclose(sqrt(9), 3, abs_tol=TOLERANCE)"),
        within("np.testing.assert_allclose(sqrt(9), 3, rtol=num.TOLERANCE)", "import num\n"),
        within("self.assertAlmostEqual(sqrt(9), 3, delta=TOLERANCE)"),
        within("self.assertLess(abs(sqrt(9) - 3), TOLERANCE)"),
        within("self.assertGreaterEqual(TOLERANCE, sqrt(9))"),
        within("assert abs(sqrt(9) - 3) < TOL", "from num import TOLERANCE as TOL\n"),
        within("assert abs(sqrt(9) - 3) < TOL", "import num\nTOL = num.TOLERANCE * 2\n"),
        within("tol = num.TOLERANCE\n    assert abs(sqrt(9) - 3) < tol", "import num\n"),
    ],
)
def test_a_bound_of_the_product_that_grows_is_the_test_s_own_measure(test: str) -> None:
    assert found(UP, test) == {"TOLERANCE"}
    assert not found(DOWN, test)


@pytest.mark.parametrize(
    "test",
    [
        within("assert TOLERANCE == 10.0"),
        within("assert TOLERANCE > 1"),
        within("assert 1 < TOLERANCE < 20"),
        within("assert abs(TOLERANCE - 10) < 1e-9"),
        within("assert scale(3) == TOLERANCE"),
        within("assert abs(scale(3) - TOLERANCE) < 1e-9"),
        within("assert scale() == pytest.approx(TOLERANCE, rel=1e-9)"),
        within("assert abs(sqrt(9, tol=TOLERANCE) - 3) < 1e-3"),
        within("assert steps(9, delta=TOLERANCE) == 3"),
        within("assert abs(sqrt(9) - 3) < TOLERANCE", "TOLERANCE = 1e-3\n"),
        within("assert MINIMUM < TOLERANCE", "from num import MINIMUM, TOLERANCE\n"),
    ],
)
def test_a_constant_that_a_test_is_about_is_no_measure(test: str) -> None:
    assert not found(UP, test)
    assert not found(DOWN, test)


def test_digits_and_what_cannot_be_told_count_too() -> None:
    digits = within("self.assertAlmostEqual(sqrt(9), 3, PLACES)", "from num import PLACES\n")
    made = within("assert abs(sqrt(9) - 3) < Settings.bound", "from num import Settings\n")

    table = within("assert abs(sqrt(9) - 3) < LIMITS['near']", "from num import LIMITS\n")
    limits = "LIMITS = {'near': 1e-6, 'far': 1}\n"
    assert found((limits, limits.replace("1e-6", "10")), table) == {"LIMITS['near']"}
    assert not found((limits, limits.replace("'far': 1", "'far': 9")), table)
    assert found(("PLACES = 7\n", "PLACES = 0\n"), digits) == {"PLACES"}
    assert not found(("PLACES = 3\n", "PLACES = 7\n"), digits)
    assert found(
        ("class Settings:\n    bound: float = tiny()\n", "class Settings:\n    bound: float = big()\n"), made
    ) == {"bound"}


def test_only_the_comparison_that_failed_is_asked_where_the_report_says_which() -> None:
    test = within("assert size(page()) == 20\n    assert size(page()) <= TOLERANCE")

    assert not found(UP, test, f"E  assert 10 == 20\n\n{TEST}:6: AssertionError")
    assert found(UP, test, f"E  assert 11 <= 10\n\n{TEST}:7: AssertionError") == {"TOLERANCE"}
    assert found(UP, test, f'  File "/work/tree/{TEST}", line 7, in test_it\n') == {"TOLERANCE"}


def test_a_helper_s_comparison_counts_where_it_failed() -> None:
    helper = "def near(a, b):\n    assert abs(a - b) < TOLERANCE\n\n\n"
    message = f"{TEST}:10: in test_it\n    near(sqrt(9), 3)\n{TEST}:6: in near\nE  assert 1.5 < 1e-06"

    assert found(UP, within("near(sqrt(9), 3)", TAKEN + helper), message) == {"TOLERANCE"}


@pytest.mark.parametrize(
    ("test", "message"),
    [
        # It failed in the product, before anything was compared.
        (
            within("assert size(page()) <= TOLERANCE"),
            f"{TEST}:6: in test_it\n    size(page())\nnum/__init__.py:3: IndexError",
        ),
        # Another module's, and a field of what the test has made.
        (within("assert sqrt(9) <= TOLERANCE", "from other import TOLERANCE\n"), ""),
        (within("b = Box(TOLERANCE=5)\n    assert len(wrap(b)) <= b.TOLERANCE", "from num import Box\n"), ""),
        (within("assert sqrt(9) <= sys.TOLERANCE", "import sys\n"), ""),
    ],
)
def test_another_bound_and_another_failure_are_no_measure(test: str, message: str) -> None:
    assert not found(UP, test, message)


def test_names_that_are_given_from_themselves_end() -> None:
    steps = "\n    ".join(["total = total + item.net + item.tax"] * 40)
    tests = "".join(f"def test_{n}():\n    {steps}\n    assert price({n}) <= total\n\n\n" for n in range(40))

    assert not found(UP, TAKEN + tests)
