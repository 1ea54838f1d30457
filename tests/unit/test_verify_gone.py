"""Tests that the patched side does not report any more: what became of each."""

from __future__ import annotations

import ast

import pytest

from greenline.core.evidence import Outcome, RunEnd, TestReport, TestResult
from greenline.core.port import StagedFile, Tree
from greenline.verify import test_function
from greenline.verify.gone import Gone, gone
from greenline.verify.test_function import functions

ONE = "def test_one():\n    assert 1\n"
TWO = "def test_two():\n    assert 2\n"
CLASS = "class TestAll:\n    def test_in(self):\n        assert 3\n"
A, B = "test_a.py", "test_b.py"


def tree(files: dict[str, str]) -> Tree:
    return {path: StagedFile(text.encode()) for path, text in files.items()}


def report(*ids: str) -> TestReport:
    """Return a report of tests; `!` before one says that it failed, `-` that it was skipped."""
    outcomes = {"!": Outcome.FAILED, "-": Outcome.SKIPPED, "?": Outcome.ERROR}
    return TestReport(
        RunEnd.COMPLETE,
        tuple(TestResult(i.lstrip("!-?"), outcomes.get(i[0], Outcome.PASSED)) for i in ids),
    )


def became(before: dict[str, str], after: dict[str, str], old: TestReport, new: TestReport) -> Gone:
    base, patched = tree(before), tree(after)
    paths = {path for path in {*base, *patched} if base.get(path) != patched.get(path)}
    return gone(base, patched, {path for path in paths if path.endswith(".py") and "test" in path}, old, new)


@pytest.mark.parametrize(
    ("after", "new"),
    [
        ({A: TWO + CLASS.replace("TestAll", "Checks")}, ()),
        ({A: TWO, "checks_test_free.py": CLASS}, ()),
        ({A: TWO + CLASS, "pytest.ini": "[pytest]\n"}, ()),
        ({A: TWO + CLASS + "del TestAll\n"}, ()),
        ({A: TWO, B: CLASS}, (f"-{B}::TestAll::test_in",)),
        ({A: TWO, B: CLASS}, (f"!{B}::TestAll::test_in",)),
    ],
)
def test_a_passing_test_whose_text_passes_nowhere_is_hidden(
    after: dict[str, str], new: tuple[str, ...]
) -> None:
    old = f"{A}::TestAll::test_in"

    found = became({A: TWO + CLASS}, after, report(f"{A}::test_two", old), report(f"{A}::test_two", *new))

    assert (found.hidden, found.removed) == ({old}, set())


@pytest.mark.parametrize(
    ("after", "new"),
    [
        ({A: TWO + CLASS.replace("TestAll", "TestMore")}, f"{A}::TestMore::test_in"),
        ({A: TWO, B: CLASS}, f"{B}::TestAll::test_in"),
        (
            {A: TWO, "tests/shared.py": CLASS.replace("TestAll", "Mixin"),
             B: "class TestB(Mixin):\n    pass\n"},
            f"{B}::TestB::test_in",
        ),
    ],
)  # fmt: skip
def test_a_test_that_is_collected_elsewhere_and_passes_there_is_moved(
    after: dict[str, str], new: str
) -> None:
    old = f"{A}::TestAll::test_in"

    found = became({A: TWO + CLASS}, after, report(f"{A}::test_two", old), report(f"{A}::test_two", new))

    assert (found.hidden, found.removed, found.heirs) == (set(), set(), {old: frozenset({new})})


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (ONE, "class TestAll:\n    def test_one(self):\n        assert 1\n"),
        ("class TestAll:\n    def test_one(self):\n        assert 1\n", ONE),
        (
            "def test_one(a):\n    assert a\n",
            "class TestAll:\n    class TestIn:\n        def test_one(self, a):\n            assert a\n",
        ),
    ],
)
def test_a_test_that_is_put_into_a_class_or_out_of_one_is_moved(before: str, after: str) -> None:
    old, new = ((*functions(tree({A: text}), A),)[0] for text in (before, after))
    ids = [f"{A}::{name.replace('.', '::')}" for name in (old, new)]

    found = became({A: before}, {A: after}, report(ids[0]), report(ids[1]))

    assert found == Gone(heirs={ids[0]: frozenset({ids[1]})})


def test_a_test_that_asks_its_instance_is_no_function_of_the_module() -> None:
    text = "class TestAll:\n    number = 1\n\n    def test_one(self):\n        assert self.number\n"

    assert functions(tree({A: text}), A)["TestAll.test_one"].count("self") == 2


def test_a_failing_test_that_still_fails_under_another_name_is_moved() -> None:
    found = became({A: ONE}, {B: ONE}, report(f"!{A}::test_one"), report(f"!{B}::test_one"))

    assert found == Gone(heirs={f"{A}::test_one": frozenset({f"{B}::test_one"})})


def test_one_new_test_is_the_new_name_of_one_old_one() -> None:
    twin = ONE.replace("test_one", "test_twin")
    after = {A: ONE.replace("test_one", "test_uno")}

    found = became(
        {A: ONE + twin}, after, report(f"{A}::test_one", f"{A}::test_twin"), report(f"{A}::test_uno")
    )

    assert found.removed == {f"{A}::test_twin"}


def test_all_rows_of_a_test_take_its_new_name() -> None:
    rows = ["[1]", "[2]"]
    text = "@mark.parametrize('x', [1, 2])\ndef test_x(x):\n    assert x\n"

    found = became(
        {A: text},
        {A: text.replace("test_x", "test_y")},
        report(*(f"{A}::test_x{row}" for row in rows)),
        report(*(f"{A}::test_y{row}" for row in rows)),
    )

    assert (found.hidden, found.removed) == (set(), set())
    assert found.heirs.keys() == {f"{A}::test_x{row}" for row in rows}


@pytest.mark.parametrize(
    ("new", "hidden", "removed"),
    [
        (("[3]", "[4]"), False, False),
        (("[3]",), False, True),
        ((), True, False),
    ],
)
def test_rows_are_told_by_their_number(new: tuple[str, ...], hidden: bool, removed: bool) -> None:
    text = "@mark.parametrize('x', [1, 2])\ndef test_x(x):\n    assert x\n"

    found = became(
        {A: text},
        {A: text.replace("[1, 2]", "ROWS")},
        report(f"!{A}::test_x[1]", f"!{A}::test_x[2]"),
        report(*(f"!{A}::test_x{row}" for row in new)),
    )

    assert (bool(found.hidden), bool(found.removed)) == (hidden, removed)


def test_a_failing_row_that_product_code_takes_away_is_hidden() -> None:
    text = "from product import ROWS\n\n@mark.parametrize('x', ROWS)\ndef test_x(x):\n    assert x\n"
    rows = report(f"!{A}::test_x[1]", f"{A}::test_x[2]")

    cut = became({A: text}, {A: text}, rows, report(f"{A}::test_x[2]"))
    other = became({A: text}, {A: text}, rows, report(f"{A}::test_x[2]", f"{A}::test_x[3]"))

    assert cut.hidden == {f"{A}::test_x[1]"}
    assert other == Gone(heirs={f"{A}::test_x[1]": frozenset({f"{A}::test_x[3]"})})


def test_a_failing_test_whose_name_is_made_from_what_failed_has_another_one() -> None:
    path = "a.test.js"
    text = "for (const n of [1]) test(`says ${say(n)}`, () => { ok(n); });\n"

    found = became({path: text}, {path: text}, report(f"!{path}::says 1.0"), report(f"{path}::says 1"))

    assert found == Gone()


def test_a_module_that_is_collected_now_is_not_gone_and_one_without_tests_never_was() -> None:
    files = {A: ONE, B: TWO, "conftest.py": "import new\n"}
    old = report(f"?{A}", f"?{B}", "?conftest.py")

    assert became(files, files, old, report(f"{A}::test_one")).hidden == {B}


def test_a_file_that_misses_many_tests_is_read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    names = [f"test_{number}" for number in range(50)]
    files = {A: "".join(f"def {name}():\n    assert 1\n" for name in names)}
    parsed: list[object] = []
    parse = test_function.parse_python

    def counted(text: str | bytes) -> ast.Module:
        parsed.append(text)
        return parse(text)

    monkeypatch.setattr(test_function, "parse_python", counted)

    found = became(files, files, report(*(f"{A}::{name}" for name in names)), report(f"?{A}"))

    assert len(found.hidden) == len(names)
    assert len(parsed) == 1
