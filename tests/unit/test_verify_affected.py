"""Which tests a change affects, which of them fit into a run, and what is kept of a suite."""

from __future__ import annotations

import zlib
from pathlib import Path

import attrs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from greenline.core.cancel import Cancellation
from greenline.core.edit import EditSet, FileChange
from greenline.core.evidence import Evidence, Outcome, RunEnd, TestReport, TestResult, Verdict
from greenline.core.port import Limits, StagedFile, Tree
from greenline.core.selection import Selection
from greenline.sandbox.docker_sandbox import DockerSandbox, SandboxSettings
from greenline.verify.affected import Affected, Ground, Reason, affected, in_order
from greenline.verify.choice import MAX_BYTES, choose
from greenline.verify.course import Course, ends, told
from greenline.verify.hunk_coverage import hunks_of
from greenline.verify.import_graph import importers, importing
from greenline.verify.known_suite import KnownSuite, KnownTest
from greenline.verify.path_rule import PathRule
from greenline.verify.project import Project
from greenline.verify.runs import Suite
from greenline.verify.suite_memory import KEPT_S, SuiteMemory
from greenline.verify.tree import apply

CALC = "LIMIT = 3\n\n\ndef low(x):\n    return x <= LIMIT\n\n\ndef twice(x):\n    return x + x\n"
FILES = {
    "calc.py": CALC,
    "shop.py": "import calc\n\n\ndef price(x):\n    return calc.twice(x)\n",
    "word.py": "def upper(text):\n    return text.upper()\n",
    "tests/__init__.py": "",
    "tests/test_calc.py": "import calc\n\n\ndef test_low():\n    assert calc.low(1)\n"
    "\n\ndef test_twice():\n    assert calc.twice(2) == 4\n",
    "tests/test_shop.py": "from shop import price\n\n\ndef test_price():\n    assert price(1) == 2\n",
    "tests/test_word.py": "from word import upper\n\n\ndef test_upper():\n    assert upper('a') == 'A'\n",
}
LOW, TWICE = "tests/test_calc.py::test_low", "tests/test_calc.py::test_twice"
PRICE, UPPER = "tests/test_shop.py::test_price", "tests/test_word.py::test_upper"
COVERAGE: dict[str, dict[str, tuple[int, ...]]] = {
    LOW: {"calc.py": (5,)},
    TWICE: {"calc.py": (9,)},
    PRICE: {"calc.py": (9,), "shop.py": (5,)},
    UPPER: {"word.py": (2,)},
}
NOTHING = KnownSuite()


def staged(files: dict[str, str]) -> Tree:
    return {path: StagedFile(text.encode()) for path, text in files.items()}


def report(
    *tests: str, end: RunEnd = RunEnd.COMPLETE, seconds: float = 1.0, whole_s: float = 9.0
) -> TestReport:
    results = tuple(TestResult(test, Outcome.PASSED, seconds, test.split("::")[0]) for test in tests)
    return TestReport(end, results, {test: COVERAGE.get(test, {}) for test in tests}, duration_s=whole_s)


def measured() -> KnownSuite:
    return NOTHING.after_whole(report(LOW, TWICE, PRICE, UPPER), staged(FILES), (), 0.0)


def ground(
    patch: dict[str, str | None], kind: str = "python", files: dict[str, str] = FILES, **more: str
) -> Ground:
    base = staged(files)
    changes = tuple(
        FileChange(
            f"/p/{path}",
            base[path].content if path in base else None,
            None if text is None else text.encode(),
        )
        for path, text in sorted(patch.items())
    )
    patched = apply("/p", base, EditSet(changes))
    rule = PathRule.of(base, patched)
    hunks = hunks_of(EditSet(changes))
    return Ground("/p", base, patched, rule, hunks, tuple(sorted(patch)), kind, **more)


def ranked(known: KnownSuite, patch: dict[str, str | None]) -> list[tuple[str, str]]:
    return [(item.test, item.reason.value) for item in affected(ground(patch), known)]


def test_what_executes_the_changed_lines_comes_before_what_executes_the_file() -> None:
    patch = {"calc.py": CALC.replace("x + x", "2 * x")}

    assert ranked(measured(), patch) == [(TWICE, "lines"), (PRICE, "lines"), (LOW, "file")]


def test_what_is_inserted_concerns_the_tests_of_the_lines_around_it() -> None:
    patch = {"calc.py": CALC.replace("    return x <=", "    x = abs(x)\n    return x <=")}

    assert ranked(measured(), patch)[0] == (LOW, "lines")


def test_a_value_that_only_import_executes_concerns_who_reads_it_and_who_uses_the_file() -> None:
    patch = {"calc.py": CALC.replace("LIMIT = 3", "LIMIT = 4")}

    assert ranked(measured(), patch) == [(LOW, "lines"), (TWICE, "file"), (PRICE, "file")]


def test_what_only_imports_execute_concerns_who_imports_it() -> None:
    files = {**FILES, "limit.py": "LIMIT = 3\n", "word.py": "import limit\n" + FILES["word.py"]}
    known = NOTHING.after_whole(report(LOW, TWICE, PRICE, UPPER), staged(files), (), 0.0)
    found = affected(ground({"limit.py": "LIMIT = 4\n"}, files=files), known)

    assert [(item.test, item.reason, item.distance) for item in found] == [(UPPER, Reason.IMPORT, 2)]


def test_where_nothing_was_measured_imports_and_names_say_it() -> None:
    files = {**FILES, "tests/test_late.py": "def test_late():\n    __import__('word')\n"}
    found = affected(ground({"calc.py": CALC + "\n"}, files=files), NOTHING)

    assert [(item.test, item.reason, item.distance) for item in found] == [
        ("tests/test_calc.py", Reason.IMPORT, 1),
        ("tests/test_shop.py", Reason.IMPORT, 2),
    ]
    word = {**files, "tests/test_word.py": "def test_any():\n    assert __import__('word')\n"}
    (named,) = affected(ground({"word.py": "\n" + FILES["word.py"]}, files=word), NOTHING)
    assert (named.test, named.reason) == ("tests/test_word.py", Reason.NAME)


def test_of_older_contents_the_files_count_and_the_lines_do_not() -> None:
    moved = {**FILES, "calc.py": "import os\n" + CALC}
    found = affected(ground({"calc.py": moved["calc.py"].replace("x + x", "2 * x")}, files=moved), measured())

    assert {(item.test, item.reason) for item in found} == {(t, Reason.FILE) for t in (LOW, TWICE, PRICE)}


def test_changed_and_new_files_of_tests_come_first_and_stand_for_tests_that_nobody_knows() -> None:
    new = "from word import upper\n\n\ndef test_new():\n    assert upper('b') == 'B'\n"
    changed = FILES["tests/test_shop.py"] + "\n\ndef test_more():\n    assert price(2) == 4\n"
    found = ranked(measured(), {"tests/test_new.py": new, "tests/test_shop.py": changed})

    assert found == [("tests/test_shop.py", "changed"), (PRICE, "changed"), ("tests/test_new.py", "changed")]
    gone = ranked(measured(), {"tests/test_shop.py": None})
    assert gone == [(PRICE, "changed")]


@pytest.mark.parametrize("path", ["tests/conftest.py", "tests/data/rows.json", "tests/helper.py"])
def test_support_concerns_the_tests_around_it(path: str) -> None:
    assert {reason for _, reason in ranked(measured(), {path: "x = 1\n"})} == {"support"}
    assert len(ranked(measured(), {path: "x = 1\n"})) == 4


def test_checks_are_asked_before_all_others() -> None:
    asked = attrs.evolve(
        ground({"word.py": "def upper(text):\n    return text\n"}), checks=("tests/test_calc.py", "x")
    )

    found = [(item.test, item.reason) for item in affected(asked, measured())]

    assert found == [(LOW, "check"), (TWICE, "check"), ("x", "check"), (UPPER, "lines")]


def test_imports_are_followed_through_packages_relative_names_and_texts() -> None:
    tree = staged(
        {
            "src/pkg/__init__.py": "",
            "src/pkg/core.py": "",
            "src/pkg/api.py": "from . import core\n",
            "src/pkg/cli.py": "from .api import run\n",
            "src/broken.py": "def (",
            "tests/test_cli.py": "from pkg.cli import main\n",
            "tests/test_patch.py": "def test(mocker):\n    mocker.patch('pkg.core.low')\n",
            "tests/test_other.py": "import json\n",
        }
    )

    assert importers(importing(tree), ["src/pkg/core.py"]) == {
        "src/pkg/core.py": 0,
        "src/pkg/api.py": 1,
        "tests/test_patch.py": 1,
        "src/pkg/cli.py": 2,
        "tests/test_cli.py": 3,
    }


def test_scripts_are_followed_by_relative_paths_and_packages_of_go_by_their_folder() -> None:
    tree = staged(
        {
            "lib/sum.ts": "",
            "lib/index.js": "export * from './sum.js';\n",
            "test/a.test.js": "const { sum } = require('../lib');\n",
            "test/b.test.js": "import fs from 'fs';\n",
            "calc/calc.go": "package calc\n",
            "calc/calc_test.go": "package calc\n",
            "word/word_test.go": "package word\n",
        }
    )

    assert set(importers(importing(tree), ["lib/sum.ts"])) == {"lib/sum.ts", "lib/index.js", "test/a.test.js"}
    assert set(importers(importing(tree), ["calc/calc.go"])) == {"calc/calc.go", "calc/calc_test.go"}


def test_what_fits_is_chosen_in_the_order_of_the_ranking_and_told_in_the_suites_own() -> None:
    patch = {"calc.py": CALC.replace("x + x", "2 * x")}
    asked = ground(patch)
    found = affected(asked, measured())

    choice = choose(asked, measured(), found, 2.5)

    assert choice.names == (TWICE, PRICE)
    assert [item.test for item in choice.left] == [LOW]
    assert (choice.n_tests, choice.n_chosen, choice.expected_s) == (4, 2, 2.0)
    assert choose(asked, measured(), found, 9).names == (LOW, TWICE, PRICE)


def test_unittest_is_told_modules_in_place_of_files() -> None:
    asked = ground({"tests/test_shop.py": "import shop\n"}, runner="unittest")

    names = choose(asked, NOTHING, affected(asked, NOTHING), 9).names

    assert set(names) == {"tests.test_shop", "test_shop"}


@given(
    st.lists(st.floats(0, 20), max_size=30),
    st.floats(0.1, 60),
)
def test_a_choice_never_exceeds_its_budget_and_loses_no_test(durations: list[float], budget_s: float) -> None:
    tests = {f"tests/test_a.py::test_{n}": KnownTest("tests/test_a.py", s) for n, s in enumerate(durations)}
    found = [Affected(test, Reason.LINES) for test in tests]

    choice = choose(ground({"calc.py": CALC + "\n"}), KnownSuite(tests), found, budget_s)

    assert sum(durations[int(item.test.rpartition("_")[2])] for item in choice.chosen) <= budget_s
    assert {item.test for item in (*choice.chosen, *choice.left)} == set(tests)
    assert not {item.test for item in choice.chosen} & {item.test for item in choice.left}
    assert choice.names == in_order(choice.names, KnownSuite(tests))


def test_names_are_never_too_many_for_a_command_line() -> None:
    tests = {f"tests/test_a.py::test_{n:0200}": KnownTest("tests/test_a.py", 0.0) for n in range(1000)}
    found = [Affected(test, Reason.LINES) for test in tests]

    choice = choose(ground({"calc.py": CALC + "\n"}), KnownSuite(tests), found, 9.0)

    assert sum(len(name) + 1 for name in choice.names) <= MAX_BYTES
    assert len(choice.chosen) + len(choice.left) == 1000


@given(st.sets(st.integers(1, 60)), st.frozensets(st.integers(1, 60)))
def test_lines_are_kept_as_ranges_and_lose_nothing(executed: set[int], wanted: frozenset[int]) -> None:
    ran = attrs.evolve(report(LOW), coverage={LOW: {"calc.py": tuple(sorted(executed))}})

    file = NOTHING.after_whole(ran, staged(FILES), (), 0.0).files["calc.py"]

    assert file.is_executing(LOW, wanted) is bool(executed & wanted)


def test_a_run_that_was_stopped_tells_what_ended_and_what_was_running() -> None:
    collected = (LOW, TWICE, PRICE, UPPER)
    stopped = report(LOW, end=RunEnd.TIMEOUT, whole_s=6.0)

    known = NOTHING.after_whole(stopped, staged(FILES), collected, 7.0)

    durations = [test.duration_s for test in known.tests.values()]
    assert (list(known.tests), durations) == ([*collected], [1.0, 5.0, None, None])
    assert known.is_longer(6.0) and known.is_longer(3.0) and not known.is_longer(6.5)
    some = known.after_some(report(PRICE, seconds=0.5), staged(FILES), ())
    assert (some.tests[PRICE].duration_s, some.is_longer(6.0)) == (0.5, True)
    assert set(some.files) == {"calc.py", "shop.py"}
    assert not some.after_whole(report(*collected), staged(FILES), (), 8.0).is_longer(9.0)


@pytest.mark.parametrize("end", [RunEnd.COLLECTION, RunEnd.DIED, RunEnd.UNAVAILABLE])
def test_a_run_that_broke_off_tells_nothing(end: RunEnd) -> None:
    known = measured()

    assert known.after_whole(report(LOW, end=end), staged(FILES), (LOW,), 1.0) is known
    assert known.after_some(report(LOW, end=end), staged(FILES), (LOW,)) is known


PROJECT = Project("python", "pytest", "", ())


def test_what_is_known_of_a_suite_is_kept_for_each_project(tmp_path: Path) -> None:
    memory = SuiteMemory(lambda _: tmp_path)
    memory.put("/p", PROJECT, measured())

    assert memory.get("/p", PROJECT) == measured()
    assert memory.get("/p", attrs.evolve(PROJECT, folder="api")) == NOTHING


def test_that_a_suite_is_too_long_is_believed_for_a_week(tmp_path: Path) -> None:
    long = NOTHING.after_whole(report(LOW, end=RunEnd.TIMEOUT), staged(FILES), (LOW, TWICE), 10.0)
    SuiteMemory(lambda _: tmp_path).put("/p", PROJECT, long)

    def at(seconds: float) -> KnownSuite:
        return SuiteMemory(lambda _: tmp_path, now=lambda: seconds).get("/p", PROJECT)

    assert at(10.0 + KEPT_S).is_longer(9.0)
    assert not at(11.0 + KEPT_S).is_longer(9.0)
    assert at(11.0 + KEPT_S).tests == long.tests


@pytest.mark.parametrize(
    "data", [b"", b"junk", zlib.compress(b"[]"), zlib.compress(b'{"format": 1, "tests": [3]}')]
)
def test_a_damaged_file_says_nothing(data: bytes, tmp_path: Path) -> None:
    memory = SuiteMemory(lambda _: tmp_path)
    memory.put("/p", PROJECT, measured())
    (path,) = (tmp_path / "suites").iterdir()
    path.write_bytes(data)

    assert memory.get("/p", PROJECT) == NOTHING


def test_what_is_too_large_loses_who_executes_what_first(tmp_path: Path) -> None:
    memory = SuiteMemory(lambda _: tmp_path)
    memory.put("/p", PROJECT, measured())
    (path,) = (tmp_path / "suites").iterdir()
    attrs.evolve(memory, quota_bytes=path.stat().st_size - 1).put("/p", PROJECT, measured())
    kept = memory.get("/p", PROJECT)

    assert (kept.tests, kept.files) == (measured().tests, {})


LONG = NOTHING.after_whole(report(LOW, end=RunEnd.TIMEOUT), staged(FILES), (LOW, TWICE, PRICE, UPPER), 0.0)
NOWHERE = DockerSandbox(SandboxSettings(docker_host="unix:///nowhere/docker.sock"))


def course(asked: Ground, known: KnownSuite, *projects: Project, wall_s: float = 5.0) -> Course:
    limits = Limits(wall_s=wall_s)
    suite = Suite(NOWHERE, "/p", projects or (PROJECT,), "", limits, Cancellation())
    return Course(suite, asked, None, 0.0, known)


SMALL = ground({"word.py": "def upper(text):\n    return text\n"})


def test_the_affected_tests_stand_for_a_suite_that_is_known_to_be_too_long() -> None:
    asked = course(SMALL, measured(), wall_s=8.0)
    choice = asked.instead(0.6)

    assert (asked.is_too_long, asked.obstacle) == (True, "")
    assert choice is not None
    assert choice.names == (UPPER,)
    assert asked.suite_of(choice).selected == (UPPER,)
    assert asked.suite_of(None).selected == ()
    assert not course(SMALL, measured(), wall_s=9.5).is_too_long


def test_a_change_of_the_configuration_or_of_several_projects_is_no_reason_to_run_fewer_tests() -> None:
    configured = course(ground({"pytest.ini": "[pytest]\n", "word.py": ""}), measured())
    several = course(SMALL, measured(), PROJECT, attrs.evolve(PROJECT, kind="node", folder="web"))

    for asked, words in ((configured, "configuration"), (several, "several projects")):
        assert words in asked.obstacle
        assert (asked.instead(0.6), asked.first(0.0)) == (None, None)


@pytest.mark.parametrize(
    ("patch", "checks"),
    [
        # Nothing that is known has to do with the change.
        ({"notes.txt": "more\n"}, ()),
        # All tests are affected and would fit, so that the suite itself must be what does not end.
        ({"calc.py": CALC + "\n", "word.py": "def upper(text):\n    return text\n"}, ()),
        # The tests that the change itself touches do not fit.
        ({"tests/test_calc.py": "import calc\n"}, ()),
        # Nor does what the plan is to be judged by.
        ({"word.py": ""}, (TWICE,)),
    ],
)
def test_tests_that_would_prove_too_little_stand_for_no_suite(
    patch: dict[str, str | None], checks: tuple[str, ...]
) -> None:
    slow = attrs.evolve(LONG, files=measured().files)
    if "tests/test_calc.py" in patch or checks:
        slow = attrs.evolve(slow, tests={**slow.tests, TWICE: KnownTest("tests/test_calc.py", 60.0)})
    else:
        slow = attrs.evolve(slow, tests=measured().tests)

    assert course(attrs.evolve(ground(patch), checks=checks), slow, wall_s=9.0).instead(0.6) is None


def test_the_affected_tests_run_first_only_where_they_are_few_and_the_suite_is_long() -> None:
    known = attrs.evolve(measured(), whole_s=30.0)
    first = course(SMALL, known, wall_s=60.0).first(20.0)

    assert first is not None and first.names == (UPPER,)
    assert course(SMALL, known, wall_s=60.0).first(40.0) is None
    assert course(SMALL, attrs.evolve(known, whole_s=4.0), wall_s=60.0).first(1.0) is None
    assert course(SMALL, attrs.evolve(known, whole_s=None), wall_s=60.0).first(1.0) is None


def test_what_is_said_of_a_choice_counts_only_what_ran() -> None:
    choice = course(SMALL, measured(), wall_s=8.0).instead(0.6)
    assert choice is not None
    evidence = Evidence(Verdict.VERIFIED, "", "Good.", patched=report(UPPER))

    said = told(evidence, choice, "suiteTooLong", 8.0)

    assert said.selection == Selection("affected", "suiteTooLong", 1, 4, 0, {"lines": 1}, 8.0)
    assert said.detail == "Good. Only 1 of 4 tests ran."
    none = told(attrs.evolve(evidence, patched=None), choice, "failedFirst", 8.0)
    assert none.selection is not None
    assert (none.selection.n_selected, none.is_vouched_for) == (0, False)
    assert ends(attrs.evolve(evidence, verdict=Verdict.STILL_FAILING)) and not ends(evidence)
