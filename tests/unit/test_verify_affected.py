"""Which tests a change affects, and which of them fit into a run."""

from __future__ import annotations

import attrs
import pytest
from hypothesis import given
from hypothesis import strategies as st
from suite_case import CALC, FILES, LOW, NOTHING, PRICE, TWICE, UPPER, ground, measured, report, staged

from greenline.verify.affected import Affected, Reason, affected, in_order
from greenline.verify.choice import MAX_BYTES, choose
from greenline.verify.import_graph import importers, importing
from greenline.verify.known_suite import KnownSuite, KnownTest


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


def test_classes_of_java_are_followed_by_imports_and_within_their_package() -> None:
    tree = staged(
        {
            "src/main/java/calc/Calc.java": "package calc;\nclass Calc {}\n",
            "src/main/java/shop/Shop.java": "package shop;\nimport calc.Calc;\nclass Shop {}\n",
            "src/main/java/shop/Other.java": "package shop;\nclass Other {}\n",
            "src/test/java/shop/ShopTest.java": "package shop;\nclass ShopTest { Shop shop; }\n",
            "src/test/java/ui/UiTest.java": "package ui;\nimport static calc.Calc.low;\nclass UiTest {}\n",
            "src/test/java/ui/AllTest.java": "package ui;\nimport shop.*;\nclass AllTest { Other o; }\n",
        }
    )

    found = importers(importing(tree), ["src/main/java/calc/Calc.java"])

    assert {path.rpartition("/")[2]: distance for path, distance in found.items()} == {
        "Calc.java": 0,
        "Shop.java": 1,
        "UiTest.java": 1,
        "ShopTest.java": 2,
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
