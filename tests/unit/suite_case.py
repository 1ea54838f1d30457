"""A small project whose suite is known: what its tests are, what they execute, and changes of it."""

from __future__ import annotations

from greenline.core.edit import EditSet, FileChange
from greenline.core.evidence import Outcome, RunEnd, TestReport, TestResult
from greenline.core.port import StagedFile, Tree
from greenline.verify.affected import Ground
from greenline.verify.hunk_coverage import hunks_of
from greenline.verify.known_suite import KnownSuite
from greenline.verify.path_rule import PathRule
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
