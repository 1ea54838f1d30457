"""What a verification says beside its verdict: measured in real containers."""

from __future__ import annotations

from pathlib import Path

import pytest
from verify_case import BUG, TESTS, PatchCase, make_verifier, measure

from greenline.core.bite import Bite, ChangedLines
from greenline.core.evidence import Evidence, Verdict
from greenline.verify.further import Further

FILES = {"calc.py": BUG, "tests/test_calc.py": TESTS.replace("twice(4) == 8", "twice(2) == 4")}
"""A product of two says of `twice` what a sum does, so one mutant of it lives."""
TAXED = "LIMIT = 3\n\n\ndef taxed(x):\n    return x * RATE\n"
FIXED = BUG.replace("x < LIMIT", "x <= LIMIT").replace("x + x", "2 * x").replace("LIMIT = 3\n", TAXED)
PATCH = {
    "calc.py": f"from rates import RATE\n\n{FIXED}",
    "rates.py": "RATE = 3\n",
    "tests/test_tax.py": "import calc\n\n\ndef test_taxed():\n    assert calc.taxed(2) == 6\n\n\n"
    "def test_low_still():\n    assert calc.low(1)\n",
}
SLEEPS = BUG.replace(
    "    return x + x\n",
    "    if x > 100:\n        return x\n    time.sleep(1.2)\n    return x + x\n",
)


@pytest.fixture(scope="module")
def bitten(tmp_path_factory: pytest.TempPathFactory) -> Evidence:
    case = PatchCase("bite", FILES, PATCH, "verified")
    root = tmp_path_factory.mktemp("bite")
    evidence = measure(make_verifier(further=Further(bite_s=60.0)), root, case)
    assert evidence.verdict is Verdict.VERIFIED, evidence
    return evidence


def test_a_hunk_bites_where_a_test_fails_without_it(bitten: Evidence) -> None:
    bites = [(item.bite.state, item.bite.reason, item.bite.tests) for item in bitten.hunks if item.bite]

    low, taxed = ("tests/test_calc.py::test_low",), ("tests/test_tax.py::test_taxed",)
    assert bites == [
        ("bites", "", taxed),
        ("bites", "", taxed),
        ("bites", "", low),
        ("idle", "noTestFails", ()),
        ("bites", "", taxed),
    ]


def test_mutants_of_the_changed_lines_are_killed_or_named(bitten: Evidence) -> None:
    lived = [mutant.words() for item in bitten.hunks if item.bite for mutant in item.bite.survivors]

    assert bitten.bite is not None
    assert lived == ["calc.py:17: * → +"]
    assert bitten.bite.n_mutants - bitten.bite.n_killed == 1
    assert bitten.bite.n_mutants >= 10
    assert bitten.bite.words().startswith("4 of 5 hunks bite; ")
    assert (bitten.bite.n_hunks_left, bitten.bite.n_mutants_left, bitten.bite.reason) == (0, 0, "")


def test_a_new_test_that_passes_without_the_change_is_named(bitten: Evidence) -> None:
    said = "The new test tests/test_tax.py::test_low_still passes without the change"

    assert [warning for warning in bitten.warnings if warning.startswith(said)]
    assert not any("test_taxed" in warning for warning in bitten.warnings)


def test_unittest_is_asked_alike(tmp_path: Path) -> None:
    tests = (
        "import unittest\n\nfrom calc import low, twice\n\n\nclass Calc(unittest.TestCase):\n"
        "    def test_low(self):\n        self.assertTrue(low(3))\n\n"
        "    def test_twice(self):\n        self.assertEqual(twice(4), 8)\n"
    )
    patch = {"calc.py": BUG.replace("x < LIMIT", "x <= LIMIT").replace("LIMIT = 3", "LIMIT = 3 + 0")}
    case = PatchCase("unittest", {"calc.py": BUG, "tests/test_calc.py": tests}, patch, "verified")

    evidence = measure(make_verifier(further=Further(bite_s=60.0)), tmp_path, case)

    assert [item.bite.state for item in evidence.hunks if item.bite] == ["idle", "bites"]
    assert evidence.bite is not None
    assert evidence.bite.n_killed < evidence.bite.n_mutants


def test_another_language_is_asked_in_containers_and_has_no_mutants(tmp_path: Path) -> None:
    before = "exports.low = (x) => x < 3;\nexports.high = (x) => x > 3;\n"
    test = (
        "const test = require('node:test');\nconst assert = require('node:assert');\n"
        "const { low, high } = require('../calc.js');\n"
        "test('low', () => { assert.ok(low(3)); });\ntest('high', () => { assert.ok(!high(1)); });\n"
    )
    files = {
        "package.json": '{"name": "calc", "scripts": {"test": "node --test"}}\n',
        "calc.js": before.replace("\n", "\n\n\n\n", 1),
        "test/calc.test.js": test,
    }
    patch = {"calc.js": files["calc.js"].replace("x < 3", "x <= 3").replace("x > 3", "3 < x")}
    case = PatchCase("node", files, patch, "verified")

    evidence = measure(make_verifier(further=Further(bite_s=60.0)), tmp_path, case)

    assert evidence.bite == Bite(
        n_hunks=2,
        n_biting=1,
        reason="Mutants are made of Python only.",
        duration_s=evidence.bite.duration_s if evidence.bite else 0.0,
    )
    assert [item.bite.tests for item in evidence.hunks if item.bite] == [("test/calc.test.js::low",), ()]


def test_slower_tests_uncovered_lines_and_a_bite_without_time_change_no_verdict(tmp_path: Path) -> None:
    case = PatchCase("slow", FILES, {"calc.py": f"import time\n\n{SLEEPS}"}, "verified")

    evidence = measure(make_verifier(further=Further(bite_s=0.01, coverage_percent=80)), tmp_path, case)

    assert evidence.verdict is Verdict.VERIFIED, evidence
    assert evidence.changed_lines == ChangedLines(2, 3)
    assert "2 of 3 changed lines are executed by tests, fewer than 80 of a hundred." in evidence.warnings
    (slow,) = (warning for warning in evidence.warnings if "slower" in warning)
    assert slow.startswith("tests/test_calc.py::test_twice is slower: at least 1.2")
    assert evidence.bite is not None
    assert (evidence.bite.n_hunks, evidence.bite.n_hunks_left) == (0, 2)
    # Of a line that no test executes nobody needs to be asked.
    assert (evidence.bite.n_killed, evidence.bite.n_mutants) == (0, 2)
    assert "was over" in evidence.bite.reason
