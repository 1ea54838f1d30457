"""The pure parts of verification: path rule, detection, trees, code lines, hunks, and the report's lines."""

from __future__ import annotations

import json
from typing import Any

import pytest

from greenline.core.edit import EditSet, FileChange
from greenline.core.error import OutsideWorkspace
from greenline.core.evidence import Outcome, RunEnd, TestReport, TestResult
from greenline.core.port import SandboxResult, StagedFile, Tree
from greenline.verify.changed_line import code_lines, covered_by
from greenline.verify.hunk_coverage import hunks_of, measure
from greenline.verify.path_rule import PathRule
from greenline.verify.python_project import detect
from greenline.verify.report import parse
from greenline.verify.test_change import compare
from greenline.verify.tree import apply

HELLO = {"kind": "hello", "runner": "pytest 8"}
END = {"kind": "collectionEnd", "exit": 0}
FINAL: tuple[dict[str, Any], ...] = ({"kind": "end", "exit": 0}, {"kind": "final"})


def tree(**files: str) -> Tree:
    return {name.replace("__", "/") + ".py": StagedFile(text.encode()) for name, text in files.items()}


def test_record(name: str, outcome: str = "passed") -> dict[str, Any]:
    return {"kind": "test", "id": name, "outcome": outcome, "duration": 0.1}


test_record.__test__ = False  # type: ignore[attr-defined]


def result(*records: dict[str, Any], timed_out: bool = False, output: str = "") -> SandboxResult:
    text = "\n".join(json.dumps(record) for record in records)
    return SandboxResult(0, timed_out, output.encode(), text.encode(), 1.0)


def collected(*ids: str) -> dict[str, Any]:
    return {"kind": "collected", "ids": list(ids)}


@pytest.mark.parametrize(
    ("path", "product"),
    [
        ("src/calc.py", True),
        ("tests/data/x.json", False),
        ("pkg/test_a.py", False),
        ("pkg/a_test.py", False),
        ("pkg/testing.py", True),
        ("pkg/latest.py", True),
        ("conftest.py", False),
        ("tox.ini", False),
        ("helper-1.0.dist-info/entry_points.txt", False),
        ("src/Helper.egg-info/PKG-INFO", False),
        ("src/distinfo/entry_points.txt", True),
        ("src/__snapshots__/calc.js.snap", False),
        ("lib/__snapshots__/test_calc.ambr", False),
        ("golden/report.txt", False),
        ("app/Goldens/report.json", False),
        ("golden/ratio.py", True),
        ("snapshots/day.json", False),
        ("snapshots/orders.sql", True),
        ("fixtures/page.html", False),
        ("fixtures/lamp.py", True),
        ("unit_tests/helpers.py", False),
        ("IntegrationTests/base.ts", False),
        ("Tests/helpers.py", False),
        ("pkg/test_helpers/make.py", False),
        ("lab_tests/models.py", True),
        ("ab_test/split.py", True),
        ("attests/sign.py", True),
        ("latest/page.html", True),
        ("spec/helper.js", True),
        ("cypress/login.cy.ts", False),
        ("crypto/e2e/session.py", True),
        ("expected.json", True),
        ("sitecustomize.py", False),
        ("pyproject.toml", True),
        ("checks/check_a.py", True),
    ],
)
def test_path_rule(path: str, product: bool) -> None:
    assert PathRule().is_product(path) is product


def test_mixed_configuration_counts_by_the_table_that_changes() -> None:
    base = {"pyproject.toml": StagedFile(b'[project]\nname = "a"\n[tool.pytest.ini_options]\naddopts = ""\n')}
    product = {"pyproject.toml": StagedFile(base["pyproject.toml"].content.replace(b'"a"', b'"b"'))}
    runner = {"pyproject.toml": StagedFile(base["pyproject.toml"].content.replace(b'""', b'"-k x"'))}

    assert PathRule.of(base, product).is_product("pyproject.toml")
    assert PathRule.of(base, runner).is_configuration("pyproject.toml")


@pytest.mark.parametrize(
    ("path", "beside", "product"),
    [
        ("spec/helper.js", "spec/calc.spec.js", False),
        ("e2e/pages/login.py", "e2e/test_login.py", False),
        ("e2e/session.py", "tests/test_session.py", True),
        ("src/e2e/session.py", "src/e2e/test_session.py", True),
        ("spec/loader.py", "spec/__init__.py", True),
        ("shop/fixtures/first.json", "shop/models.py", True),
        ("shop/fixtures/first.json", "manage.py", True),
        ("shop/tests/fixtures/first.json", "manage.py", False),
        ("shop/fixtures/first.json", "shop/cart.py", False),
    ],
)
def test_a_name_that_product_code_has_as_well_needs_more(path: str, beside: str, product: bool) -> None:
    tree = {name: StagedFile() for name in (path, beside, "spec/test_loader.py")}

    assert PathRule.of(tree, tree).is_product(path) is product


@pytest.mark.parametrize(
    ("naming", "plugin"),
    [
        ({"conftest.py": "pytest_plugins = ['app.kit']"}, "app/kit.py"),
        ({"tests/conftest.py": "pytest_plugins = 'other,app.kit'"}, "app/kit.py"),
        ({"conftest.py": "pytest_plugins: list[str] = []\npytest_plugins += ['app.deep']"},
         "app/deep/__init__.py"),
        ({"conftest.py": "pytest_plugins = [p[:-3] for p in glob('app/k*.py')]"}, "app/kit.py"),
        ({"tests/conftest.py": "pytest_plugins = ['more']", "tests/more.py": "pytest_plugins = 'app.kit'"},
         "app/kit.py"),
        ({"conftest.py": "from app.kit import hook as pytest_pyfunc_call"}, "app/kit.py"),
        ({"app/conftest.py": "from .kit import pytest_configure"}, "app/kit.py"),
        ({"conftest.py": "from app.kit import *"}, "app/kit.py"),
        ({"conftest.py": "pytest_plugins = ['lib.kit']"}, "python/lib/kit.py"),
        ({"pytest.ini": "[pytest]\naddopts = -q -p app.kit"}, "app/kit.py"),
        ({"pytest.ini": "[pytest]\naddopts = -papp.kit\n"}, "app/kit.py"),
        ({"pyproject.toml": "[tool.pytest.ini_options]\naddopts = ['-p', 'kit']\npythonpath = ['app']"},
         "app/kit.py"),
        ({"conftest.py": "from app.core import *\nfrom app.kit import fixture\nimport app.deep"}, ""),
        ({"conftest.py": "X = ['app.kit']\npytest_plugins = [ "}, ""),
        ({"pytest.ini": "[pytest]\naddopts = -p no:app.kit"}, ""),
    ],
)  # fmt: skip
def test_a_module_that_is_a_plugin_is_configuration(naming: dict[str, str], plugin: str) -> None:
    files = {"app/__init__.py": "", "app/kit.py": "import pytest", "app/core.py": "X = 1"}
    files |= {"app/deep/__init__.py": "", "python/lib/kit.py": "", "kit/other.py": ""}
    tree = {path: StagedFile(text.encode()) for path, text in {**files, **naming}.items()}
    without = {path: file for path, file in tree.items() if path not in naming}

    for rule in (PathRule.of(tree, without), PathRule.of(without, tree)):
        assert {path for path in files if rule.is_configuration(path)} == ({plugin} if plugin else set())


def test_python_files_extend_the_rule() -> None:
    base = {"pytest.ini": StagedFile(b"[pytest]\npython_files = check_*.py\n")}

    assert PathRule.of(base, base).is_test("checks/check_a.py")


@pytest.mark.parametrize(
    ("files", "runner"),
    [
        ({"tests__test_a": "import unittest\nclass A(unittest.TestCase): ...\n"}, "unittest"),
        ({"tests__test_a": "from unittest import TestCase\nclass TestA(TestCase): ...\n"}, "unittest"),
        ({"tests__test_a": "def test_x(): ...\n"}, "pytest"),
        ({"tests__test_a": "class TestA:\n    def test_x(self): ...\n"}, "pytest"),
        ({"conftest": "", "tests__test_a": "from unittest import TestCase\n"}, "pytest"),
        ({"a": ""}, "pytest"),
    ],
)
def test_detection(files: dict[str, str], runner: str) -> None:
    assert detect(tree(**files)) == runner


def test_apply_makes_creates_and_deletes() -> None:
    base = {"a.py": StagedFile(b"1", 0o755), "b.py": StagedFile(b"2")}
    changes = (
        FileChange("/r/a.py", b"1", b"3"),
        FileChange("/r/b.py", b"2", None),
        FileChange("/r/n/c.py", None, b"4"),
    )

    patched = apply("/r", base, EditSet(changes))

    assert patched == {"a.py": StagedFile(b"3", 0o755), "n/c.py": StagedFile(b"4")}


@pytest.mark.parametrize("path", ["/other/a.py", "/r/../a.py", "/r"])
def test_apply_stays_below_the_root(path: str) -> None:
    with pytest.raises(OutsideWorkspace):
        apply("/r", {}, EditSet((FileChange(path, None, b""),)))


SOURCE = b'''"""Doc."""
A = 1


def f(x=1):
    """Doc."""
    # why
    y = [
        1,
    ]
    if x:
        return y
    else:
        return A
'''


def test_code_lines_leave_out_what_is_no_code() -> None:
    assert sorted(code_lines("a.py", SOURCE)) == [2, 5, 8, 9, 10, 11, 12, 14]


@pytest.mark.parametrize(
    ("line", "covered"), [(2, False), (5, True), (9, True), (11, True), (12, True), (14, False)]
)
def test_a_line_counts_where_its_statement_runs_in_a_test(line: int, covered: bool) -> None:
    coverage = {"t": {"f.py": (8, 11, 12)}}

    assert covered_by([line], code_lines("a.py", SOURCE), "f.py", coverage) == (("t",) if covered else ())


VALUES = """LIMIT = 1
LOW, HIGH = 2, 3
local = 4
unread = 5
obj.LIMIT = 6


class Box:
    size = 7
    LIMIT = 8

    def fits(self, n, local=9):
        return n < self.size


def f(n):
    if n > LIMIT:
        return HIGH
    local = n
    return local
"""


@pytest.mark.parametrize(
    ("line", "witnesses"),
    [(1, {17}), (2, {18}), (3, set()), (4, set()), (5, set()), (9, {13}), (10, set()), (12, {13})],
)
def test_a_value_counts_where_a_function_that_reads_it_runs(line: int, witnesses: set[int]) -> None:
    assert code_lines("a.py", VALUES.encode())[line] == witnesses


def test_what_only_a_failing_test_executes_is_not_covered() -> None:
    before, after = "def f():\n    return 1\n", "def f():\n    return 2\n"
    edits = EditSet((FileChange("/r/f.py", before.encode(), after.encode()),))
    reports = [
        TestReport(RunEnd.COMPLETE, (TestResult("t", outcome),), {"t": {"f.py": (2,)}})
        for outcome in (Outcome.PASSED, Outcome.FAILED)
    ]

    def covered(b: TestReport, p: TestReport) -> str:
        [found] = measure("/r", hunks_of(edits), tree(f=before), tree(f=after), b, p)
        return found.coverage

    passes, fails = reports
    assert covered(fails, passes) == "covered"
    assert covered(passes, fails) == "notCovered"


def test_deleted_lines_count_on_the_base_side() -> None:
    before = "def f():\n    a = 1\n    b = 2\n    return a\n\n\ndef g():\n    return 3\n"
    after = before.replace("    b = 2\n", "").replace("return 3", "return 4")
    edits = EditSet((FileChange("/r/f.py", before.encode(), after.encode()),))
    base, patched = tree(f=before), tree(f=after)
    b = TestReport(RunEnd.COMPLETE, coverage={"t": {"f.py": (2, 3, 4)}})
    passed = tuple(TestResult(name, Outcome.PASSED) for name in "tu")
    p = TestReport(RunEnd.COMPLETE, passed, {"t": {"f.py": (2, 3)}, "u": {"f.py": (7,)}})

    first, second = measure("/r", hunks_of(edits), base, patched, b, p)

    assert (first.coverage, first.tests) == ("covered", ("t",))
    assert (second.coverage, second.tests) == ("covered", ("u",))


def test_report_with_its_end_is_complete() -> None:
    report = parse(result(HELLO, collected("a"), END, test_record("a"), *FINAL))

    assert report.end is RunEnd.COMPLETE
    assert report.outcome_of("a") is Outcome.PASSED
    assert report.runner == "pytest 8"


@pytest.mark.parametrize(
    ("records", "end"),
    [
        ((HELLO, collected("a"), END, test_record("a")), RunEnd.DIED),
        ((HELLO, collected("a", "b"), END, test_record("a"), *FINAL), RunEnd.DIED),
        ((HELLO, collected("a"), END, test_record("a"), {"kind": "intruder"}, *FINAL), RunEnd.DIED),
        ((HELLO, {"kind": "end", "exit": 4}, {"kind": "final"}), RunEnd.COLLECTION),
        ((HELLO, {"kind": "collectError", "id": "t.py", "message": "no"}, END, *FINAL), RunEnd.COLLECTION),
        (({"kind": "missing", "what": "pytest"}, {"kind": "final"}), RunEnd.RUNNER_MISSING),
        ((HELLO, END, {"kind": "end", "exit": 5}, {"kind": "final"}), RunEnd.COMPLETE),
    ],
)
def test_report_ends(records: tuple[dict[str, Any], ...], end: RunEnd) -> None:
    assert parse(result(*records)).end is end


def test_report_of_a_killed_run_is_a_timeout() -> None:
    assert parse(result(HELLO, collected("a"), END, timed_out=True)).end is RunEnd.TIMEOUT


def test_rows_whose_names_hold_the_time_are_told_by_their_place() -> None:
    found, told = ("t[16:41:25]", "t[2]", "t[16:41:26]"), ("t[16:41:31]", "t[2]", "t[16:41:32]")
    records = [test_record(test) for test in told]

    report = parse(result(HELLO, collected(*found), END, *records, *FINAL))
    forged = parse(result(HELLO, collected(*found), END, *records, test_record("t[3]"), *FINAL))

    assert report.end is RunEnd.COMPLETE
    assert [test.id for test in report.tests] == [
        "t[row 1 of changing names]", "t[2]", "t[row 2 of changing names]"
    ]  # fmt: skip
    assert {test.outcome for test in report.tests} == {Outcome.PASSED}
    assert forged.end is RunEnd.DIED


@pytest.mark.parametrize(
    ("identifier", "message", "detail"),
    [
        (
            "t.py",
            ">   import a\nE   ModuleNotFoundError: No module named 'a'\n",
            "Error: No module named 'a')",
        ),
        (
            "t.js",
            "TypeError: low is not a function\n    at t.js:3:1\n",
            "(TypeError: low is not a function).",
        ),
        ("t.js", "", "Could not be collected: t.js."),
        ("(collection)", "exit code 7", "could not start: Error: Cannot find module 'x'"),
    ],
)
def test_what_cannot_be_collected_is_told_with_the_reason(identifier: str, message: str, detail: str) -> None:
    error = {"kind": "collectError", "id": identifier, "message": message}
    output = "  Error: Cannot find module 'x'\n    at y\n"

    report = parse(result(HELLO, error, END, *FINAL, output=output))

    assert report.end is RunEnd.COLLECTION
    assert detail in report.detail


def test_uncollected_and_repeated_results_do_not_pass() -> None:
    records = (test_record("a"), test_record("a"), test_record("ghost"))

    report = parse(result(HELLO, collected("a"), END, *records, *FINAL))

    assert {t.id: t.outcome for t in report.tests} == {"a": Outcome.ERROR, "ghost": Outcome.ERROR}


def passed(*ids: str) -> TestReport:
    return TestReport(RunEnd.COMPLETE, tuple(TestResult(i, Outcome.PASSED) for i in ids))


def test_change_tells_renamed_from_removed_and_hidden() -> None:
    one, two, three = (
        "def test_one():\n    assert 1\n",
        "def test_two():\n    assert 2\n",
        "def test_three(): 3\n",
    )
    base = tree(test_a=one + two + three)
    patched = tree(test_a=one.replace("test_one", "test_uno") + three)
    ids = [f"test_a.py::test_{name}" for name in ("one", "two", "three", "uno")]

    change = compare(base, patched, PathRule(), passed(*ids[:3]), passed(ids[3]))

    assert change.removed == {ids[1]}
    assert change.hidden == {ids[2]}
    # Another name changes nothing of what a test says.
    assert change.changed == frozenset()


@pytest.mark.parametrize(
    ("path", "text", "rewritten", "support"),
    [
        ("test_a.py", "def test_a():\n    assert 2\n", True, False),
        ("test_a.py", "X = 1\ndef test_a():\n    assert 1\n", False, False),
        ("conftest.py", "X = 1\n", False, True),
        ("pytest.ini", "[pytest]\n", False, True),
        ("tests/test_b.py", "def test_b():\n    assert 2\n", False, False),
    ],
)
def test_change_tells_a_test_s_own_function_from_what_it_runs_under(
    path: str, text: str, rewritten: bool, support: bool
) -> None:
    base = {"test_a.py": StagedFile(b"def test_a():\n    assert 1\n")}
    report = TestReport(RunEnd.COMPLETE, (TestResult("test_a.py::test_a", Outcome.PASSED),))

    change = compare(base, {**base, path: StagedFile(text.encode())}, PathRule(), report, report)

    assert (bool(change.rewritten), change.support) == (rewritten, support)


def test_a_new_import_does_not_change_the_tests_beside_it() -> None:
    base = tree(test_a="def test_one():\n    assert 1\n")
    patched = tree(test_a="import os\n\n\ndef test_one():\n    assert 1\n\n\ndef test_new():\n    os\n")
    ids = ("test_a.py::test_one", "test_a.py::test_new")

    change = compare(base, patched, PathRule(), passed(ids[0]), passed(*ids))

    assert change.changed == {ids[1]}
