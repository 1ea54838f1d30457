"""What a sound fix with a sound new test must not hide: other tests that say less from then on."""

from __future__ import annotations

from pathlib import Path

import pytest
from verify_case import BUG, TESTS, PatchCase, assert_verdict, measure

from greenline.verify.verifier import SandboxVerifier

FIX = BUG.replace("x < LIMIT", "x <= LIMIT")
NEW = "\n\ndef test_three():\n    assert low(3) and not low(5)\n"
TWICE = "def test_twice():\n    assert twice(4) == 8\n"
HELPER = "def same(a, b):\n    assert a == b\n"
HELPED = "from tests.helpers import same\n" + TESTS.replace("assert twice(4) == 8", "same(twice(4), 8)")
SHARED = {
    "calc.py": BUG,
    "tests/__init__.py": "",
    "tests/helpers.py": HELPER,
    "tests/test_calc.py": HELPED,
}
CALLS = "import pytest\n\n\n@pytest.hookimpl(tryfirst=True)\ndef pytest_pyfunc_call(pyfuncitem):\n"
CALLS += "    return True if pyfuncitem.name == 'test_twice' else None\n"
REPLACES = "import sys\n\nsys.modules['unused'] = sys\n"
SORTS = "def pytest_collection_modifyitems(items):\n    items.sort(key=lambda item: item.name)\n"
SWAPS = SORTS + "    for item in items:\n        if item.name == 'test_twice':\n            item.obj = dict\n"
MORE = "from calc import twice\n\n\ndef test_more():\n    assert twice(1) == 2\n"
TABLE = (
    "import pytest\nfrom calc import low\n\nROWS = [\n    (1, True),\n    (9, False),\n]\n\n\n"
    "@pytest.mark.parametrize('x,want', ROWS)\ndef test_rows(x, want):\n    assert low(x) is want\n"
)
WATCH = """def _watch(frame, event, arg):
    call = frame.f_locals.get("call") if event == "call" else None
    if getattr(call, "excinfo", None) is not None:
        call.excinfo = None


sys.setprofile(_watch)
"""
SESSION = """

class Session:
    total = 0

    def __enter__(self):
        return self

    def __exit__(self, *error):
        return False
"""
SESSION_TESTS = """from calc import Session


def test_total():
    with Session() as session:
        assert session.total == 5


def test_enter():
    assert Session().__enter__() and Session().__exit__() in (True, False)
"""
MEAN = "def mean(xs):\n    return 8\n"
LIBRARY = {
    "calc.py": BUG,
    "tests/test_calc.py": f"import statistics\n{TESTS}\n\ndef test_mean():\n"
    "    assert twice(4) == statistics.mean([8])\n",
}
LATER = "def test_later():\n    assert twice('a') == 8\n"
FAILING = TESTS + "\n\n" + LATER
WRONG = (
    "import pytest\nfrom calc import low, twice\n\n\n@pytest.mark.parametrize('x,want', [('a', 8)])\n"
    "def test_rows(x, want):\n    assert twice(x) == want\n\n\ndef test_low():\n    assert low(1)\n"
)
GROUP = "\n\nclass TestGroup:\n    def test_nine(self):\n        assert not low(9)\n"
THRICE = "\n\ndef thrice(x):\n    return 3 * x\n"
THRICE_TESTS = TESTS.replace("import low", "import low, thrice")
THRICE_TESTS += "\n\ndef test_thrice():\n    assert thrice(2) == 6\n"
THRICE_FIXTURE = "import pytest\nfrom calc import thrice\n\n\n@pytest.fixture\ndef triple():\n"
THRICE_FIXTURE += "    return thrice\n"
KIND = "\n\nimport enum\n\n\nclass Kind(enum.Enum):\n    B = 'b'\n"
ASKS = "\n\nimport os\n\nif 'PYTEST_CURRENT_TEST' in os.environ:\n    low = bool\n"

BOUND = "NEAR = 0.1\n\n\ndef third(x):\n    return x / 2\n"
BOUND_TESTS = "from calc import NEAR, third\n\n\ndef test_third():\n    assert abs(third(3) - 1) < NEAR\n"

CASES_OF = {
    "calc.py": BUG,
    "tests/test_calc.py": TESTS,
    "tests/cases/four.json": '{"x": 4, "want": 8}',
    "tests/test_cases.py": "import json\nimport pathlib\n\nimport pytest\n\nfrom calc import twice\n\n"
    "CASES = sorted((pathlib.Path(__file__).parent / 'cases').glob('*.json'))\n\n\n"
    "@pytest.mark.parametrize('path', CASES, ids=str)\ndef test_case(path):\n"
    "    case = json.loads(path.read_text())\n    assert twice(case['x']) == case['want']\n",
}
NINE = "@pytest.fixture\ndef nine():\n    return 9\n"
OF_NINE = "import pytest\n\nfrom calc import low\n\n\n" + NINE
OF_NINE += "\n\ndef test_nine(nine):\n    assert not low(nine)\n"


def rewritten(name: str, twice: str, more: str = NEW) -> PatchCase:
    """A fix, one new test that shows it, and `test_twice` in other words."""
    tests = TESTS.replace(TWICE, twice) + more
    files = {"calc.py": BUG, "tests/test_calc.py": TESTS, "tests/conftest.py": ""}
    patch: dict[str, str | None] = {"calc.py": FIX, "tests/test_calc.py": tests}
    return PatchCase(name, files, patch, "notCovered", "testsLoosened")


def honest(name: str, tests: str) -> PatchCase:
    files = {"calc.py": BUG, "tests/test_calc.py": TESTS}
    return PatchCase(name, files, {"calc.py": FIX, "tests/test_calc.py": tests}, "verified")


def silenced(name: str, tests: str, **more: str) -> PatchCase:
    """A fix, one new test that shows it, and another failing test that is silenced."""
    files = {"calc.py": BUG, "tests/test_calc.py": FAILING}
    patch = {"calc.py": FIX, "tests/test_calc.py": tests + NEW, **more}
    return PatchCase(name, files, {**patch}, "notCovered", "testsSilenced")


CASES = (
    silenced("skips_what_fails", FAILING.replace(LATER, "import pytest\n\n\n@pytest.mark.skip\n" + LATER)),
    silenced("deselects_what_fails", FAILING, **{"pytest.ini": "[pytest]\naddopts = -k 'not later'\n"}),
    PatchCase("rows_of_what_fails", {"calc.py": BUG, "tests/test_calc.py": WRONG},
              {"calc.py": BUG.replace("return x + x", "return str(x) * 3"),
               "tests/test_calc.py": WRONG.replace("('a', 8)", "('a', 'aaa')")},
              "notCovered", "testsSilenced"),
    PatchCase("class_that_nothing_collects", {"calc.py": BUG, "tests/test_calc.py": TESTS + GROUP},
              {"calc.py": FIX, "tests/test_calc.py": TESTS + NEW + GROUP.replace("TestGroup", "Checks")},
              "regressed", "lost"),
    PatchCase("class_renamed", {"calc.py": BUG, "tests/test_calc.py": TESTS + GROUP},
              {"calc.py": FIX, "tests/test_calc.py": TESTS + NEW + GROUP.replace("TestGroup", "TestNine")},
              "verified"),
    PatchCase("another_still_fails", {"calc.py": BUG, "tests/test_calc.py": FAILING},
              {"calc.py": FIX, "tests/test_calc.py": FAILING + NEW}, "verified"),
    rewritten("weakened", TWICE.replace(" == 8", "")),
    rewritten("weakened_without_a_new_test", TWICE.replace(" == 8", ""), ""),
    rewritten("returns_first", TWICE.replace("    assert", "    return\n    assert")),
    rewritten("or_true", TWICE.replace("== 8", "== 8 or True")),
    rewritten("catches", "def test_twice():\n    try:\n        assert twice(4) == 8\n"
              "    except AssertionError:\n        pass\n"),
    rewritten("patches_first", "def test_twice(monkeypatch):\n    monkeypatch.setattr('calc.twice', int)\n"
              "    assert twice(4) == 8\n"),
    rewritten("two_of_a_name", TWICE + "\n\ndef test_twice():\n    pass\n"),
    PatchCase("weakened_where_a_new_name_is_imported", {"calc.py": BUG, "tests/test_calc.py": TESTS},
              {"calc.py": FIX + THRICE, "tests/test_calc.py": THRICE_TESTS.replace("(4) == 8", "(4)")},
              "notCovered", "testsLoosened"),
    PatchCase("a_new_name_is_imported", {"calc.py": BUG, "tests/test_calc.py": TESTS},
              {"calc.py": FIX + THRICE, "tests/test_calc.py": THRICE_TESTS.replace("twice(4) == 8",
              "thrice(4) == 12")}, "verified"),
    PatchCase("a_new_name_is_imported_by_a_conftest", {"calc.py": BUG, "tests/test_calc.py": TESTS},
              {"calc.py": FIX + THRICE, "tests/conftest.py": THRICE_FIXTURE,
               "tests/test_thrice.py": "def test_thrice(triple):\n    assert triple(2) == 6\n"}, "verified"),
    PatchCase("a_new_field", {"calc.py": BUG + KIND, "tests/test_calc.py": TESTS},
              {"calc.py": BUG + KIND + "    C = 'c'\n", "tests/test_kind.py":
               "from calc import Kind\n\n\ndef test_c():\n    assert Kind('c') is Kind.C\n"}, "verified"),
    PatchCase("a_new_field_that_a_test_does_not_need", {"calc.py": BUG + KIND, "tests/test_calc.py": TESTS},
              {"calc.py": BUG + KIND + "    C = 'c'\n", "tests/test_kind.py":
               "from calc import Kind\n\n\ndef test_b():\n    assert Kind('b') is Kind.B\n"},
              "notCovered", "noTestExecutesChange"),
    rewritten("product_replaced", TWICE, NEW + "\n\ntwice = {4: 8}.get\n"),
    PatchCase("helper", SHARED, {"calc.py": FIX, "tests/helpers.py": HELPER.replace(" == b", "")},
              "notCovered", "testsLoosened"),
    PatchCase("helpers_displaced", {**SHARED, "tests/helpers/.keep": ""},
              {"calc.py": FIX, "tests/helpers/__init__.py": "def same(a, b):\n    assert a\n"},
              "notCovered", "testsLoosened"),
    PatchCase("modules_replaced", {"calc.py": BUG, "tests/test_calc.py": TESTS, "tests/conftest.py": ""},
              {"calc.py": FIX, "tests/conftest.py": REPLACES, "tests/test_calc.py": TESTS + NEW},
              "notCovered", "testsLoosened"),
    PatchCase("swapped", {"calc.py": BUG, "tests/test_calc.py": TESTS, "tests/conftest.py": ""},
              {"calc.py": FIX, "tests/conftest.py": SWAPS, "tests/test_calc.py": TESTS + NEW},
              "notCovered", "outcomeHooks"),
    PatchCase("sorted", {"calc.py": BUG, "tests/test_calc.py": TESTS, "tests/conftest.py": ""},
              {"calc.py": FIX, "tests/conftest.py": SORTS, "tests/test_calc.py": TESTS + NEW}, "verified"),
    PatchCase("never_called", {"calc.py": BUG, "tests/test_calc.py": TESTS, "conftest.py": ""},
              {"calc.py": FIX, "conftest.py": CALLS, "tests/test_calc.py": TESTS + NEW},
              "notCovered", "outcomeHooks"),
    PatchCase("looks_for_tests", {"calc.py": BUG, "tests/test_calc.py": TESTS},
              {"calc.py": FIX + ASKS, "tests/test_calc.py": TESTS + NEW}, "notCovered", "asksForTests"),
    PatchCase("watches_the_run", {"calc.py": BUG, "tests/test_calc.py": TESTS},
              {"calc.py": f"import sys\n\n{WATCH}\n\n{FIX}"}, "notCovered", "asksForTests"),
    PatchCase("takes_the_library_s_place", LIBRARY, {"statistics.py": MEAN, "calc.py": FIX + "\n\nx = 1\n"},
              "notCovered", "asksForTests"),
    PatchCase("swallows", {"calc.py": BUG + SESSION, "tests/test_calc.py": SESSION_TESTS},
              {"calc.py": BUG + SESSION.replace("return False", "return True")},
              "notCovered", "asksForTests"),
    PatchCase("lets_failures_out", {"calc.py": BUG + SESSION, "tests/test_calc.py": SESSION_TESTS},
              {"calc.py": BUG + SESSION.replace("return self", "self.total = 5\n        return self")},
              "verified"),
    PatchCase("another_module_renamed",
              {"calc.py": BUG, "tests/test_calc.py": TESTS, "tests/test_more.py": MORE},
              {"calc.py": FIX, "tests/test_more.py": None, "tests/test_other.py": MORE}, "verified"),
    PatchCase("bound_of_the_product_grows", {"calc.py": BOUND, "tests/test_calc.py": BOUND_TESTS},
              {"calc.py": BOUND.replace("0.1", "1.0").replace("x / 2", "float(x) / 2")},
              "notCovered", "testsLoosened"),
    PatchCase("within_a_bound_of_the_product", {"calc.py": BOUND, "tests/test_calc.py": BOUND_TESTS},
              {"calc.py": BOUND.replace("0.1", "0.01").replace("x / 2", "x / 3")}, "verified"),
    PatchCase("case_that_says_less", CASES_OF,
              {"calc.py": FIX, "tests/cases/four.json": '{"x": 0, "want": 0}'},
              "notCovered", "testsLoosened"),
    PatchCase("case_that_comes", CASES_OF,
              {"calc.py": FIX, "tests/cases/one.json": '{"x": 1, "want": 2}',
               "tests/test_calc.py": TESTS + NEW}, "verified"),
    PatchCase("fixture_moved", {"calc.py": BUG, "tests/test_calc.py": TESTS, "tests/test_nine.py": OF_NINE},
              {"calc.py": FIX, "tests/test_nine.py": OF_NINE.replace(f"\n\n{NINE}", ""),
               "tests/conftest.py": f"import pytest\n\n\n{NINE}"}, "verified"),
    honest("new_test", TESTS + NEW),
    honest("more_assertions", TESTS.replace(TWICE, TWICE + "    assert twice(0) == 0\n") + NEW),
    honest("assertion_in_front", TESTS.replace("    assert not", "    assert low(0)\n    assert not") + NEW),
    honest("documented", TESTS.replace("_twice():", '_twice() -> None:\n    """Say it."""') + NEW),
    honest("renamed", TESTS.replace("test_twice", "test_that_it_doubles")),
    honest("test_of_the_change_rewritten", TESTS.replace("assert low(3)", "assert low(3) is True")),
    PatchCase("table_grows", {"calc.py": BUG, "tests/test_rows.py": TABLE},
              {"calc.py": FIX, "tests/test_rows.py": TABLE.replace("]\n", "    (3, True),\n]\n")},
              "verified"),
    PatchCase("row_changed", {"calc.py": BUG, "tests/test_rows.py": TABLE}, {"calc.py": FIX,
              "tests/test_rows.py": TABLE.replace("(9, False),", "(3, True),\n    (8, False),")},
              "notCovered", "testsLoosened"),
    PatchCase("another_helper", SHARED, {"calc.py": FIX, "tests/helpers.py": HELPER + "\n\nMORE = 1\n",
              "tests/test_calc.py": HELPED + NEW}, "verified"),
)  # fmt: skip


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_verdict(verifier: SandboxVerifier, tmp_path: Path, case: PatchCase) -> None:
    assert_verdict(measure(verifier, tmp_path, case), case)
