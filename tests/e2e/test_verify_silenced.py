"""A sound fix with a sound new test, and something beside them after which old tests notice nothing."""

from __future__ import annotations

from pathlib import Path

import pytest
from verify_case import PatchCase, assert_verdict, measure

from greenline.verify.verifier import SandboxVerifier

BUG = """import os
from pathlib import Path


def money(amount):
    return f"{amount:.2f} EUR"


def total(amounts):
    return sum(amounts[1:])


def show(amount):
    print(money(amount))


class Prices:
    def __init__(self, source):
        self.source = source

    def get(self, name):
        return self.source(name)
"""
FIX = BUG.replace("amounts[1:]", "amounts")
TESTS = """import os
from pathlib import Path

from shop import Prices, money, show, total

GOLDEN = Path(__file__).parent / "money.golden"


def test_total():
    assert total([1, 2]) == 3


def test_money():
    assert money(2) == "2.00 EUR"


def test_show(capsys):
    show(2)
    assert capsys.readouterr().out == "2.00 EUR\\n"


def test_get():
    assert Prices(lambda name: 5).get("a") == 5


def test_golden():
    text = money(2)
    if os.environ.get("UPDATE_GOLDEN"):
        GOLDEN.write_text(text)
    assert GOLDEN.read_text() == text
"""
NEW = "\n\ndef test_total_of_one():\n    assert total([4]) == 4\n"
FILES = {"shop.py": BUG, "tests/test_shop.py": TESTS, "tests/money.golden": "2.00 EUR"}
UNITTESTS = """import unittest

from shop import money, total


class ShopTest(unittest.TestCase):
    def test_total(self):
        self.assertEqual(total([1, 2]), 3)

    def test_money(self):
        self.assertEqual(money(2), "2.00 EUR")
"""
ONE = "\n    def test_total_of_one(self):\n        self.assertEqual(total([4]), 4)\n"
METHOD = "\n    def fail(self, msg=None):\n        print(msg)\n"
HOOK = "from unittest import mock\n\n\ndef pytest_configure(config):\n"
HOOK += "    mock.patch('shop.money', return_value='2.00 EUR').start()\n"
UPDATES = "import os\n\nos.environ['UPDATE_GOLDEN'] = '1'\n"
CAPSYS = """import pytest


@pytest.fixture
def capsys():
    class Fake:
        out = "2.00 EUR\\n"

        def readouterr(self):
            return self

    return Fake()
"""
ONE_MORE = "def test_one():\n    assert shop.total([4]) == 4\n"
STUB = "shop.money = lambda amount: '2.00 EUR'"
# At the top of the file the text alone would tell.
AHEAD = f"import shop\n\n\ndef prepare():\n    {STUB}\n\n\nprepare()\n\n\n{ONE_MORE}"
FOR_EVER = "import shop\n\n\ndef test_prices():\n    shop.Prices.get = lambda self, name: 5\n"
FOR_EVER += f"    assert shop.Prices(None).get('a') == 5\n\n\n{ONE_MORE}"
STARTED = "from unittest import mock\n\nimport shop\n\n"
STARTED += f"mock.patch('shop.money', return_value='2.00 EUR').start()\n\n\n{ONE_MORE}"


def _patch(**files: str) -> dict[str, str | None]:
    more = {f"tests/{name}.py": text for name, text in files.items()}
    return {"shop.py": FIX, "tests/test_shop.py": TESTS + NEW, **more}


LIMITER = """class Limiter:
    def __init__(self, limit):
        self.limit = limit
        self.seen = []

    def allow(self, now):
        recent = [at for at in self.seen if now - at < 10]
        if len(recent) > self.limit:
            return False
        recent.append(now)
        self.seen = recent
        return True
"""
LIMITED = """from limiter import Limiter


def test_window():
    limiter = Limiter(1)
    limiter.allow(0)
    assert limiter.allow(11)
"""
NONE = "\n\ndef test_none():\n    assert not Limiter(0).allow(0)\n"


def _asserted(words: str) -> dict[str, str | None]:
    """Return a fix with a new test, and a further assertion in an old one."""
    tests = LIMITED.replace("    assert", f"    assert {words}\n    assert")
    return {
        "limiter.py": LIMITER.replace("> self.limit", ">= self.limit"),
        "tests/test_limiter.py": tests + NONE,
    }


LIMITS = {"limiter.py": LIMITER, "tests/test_limiter.py": LIMITED}
MEAN = [
    PatchCase(
        "a_further_assertion",
        LIMITS,
        _asserted("limiter.seen.clear() is None"),
        "notCovered",
        "testsSilenced",
    ),
    PatchCase(
        "a_method_that_unittest_calls",
        {"shop.py": BUG, "tests/test_shop.py": UNITTESTS},
        {"shop.py": FIX, "tests/test_shop.py": UNITTESTS + METHOD + ONE},
        "notCovered",
        "testsSilenced",
    ),
    PatchCase("a_hook", FILES, _patch(conftest=HOOK), "notCovered", "testsSilenced"),
    PatchCase("a_variable", FILES, _patch(conftest=UPDATES), "notCovered", "testsSilenced"),
    PatchCase("a_fixture", FILES, _patch(conftest=CAPSYS), "notCovered", "testsSilenced"),
    PatchCase("a_new_file", FILES, _patch(test_ahead=AHEAD), "notCovered", "testsSilenced"),
    PatchCase("a_new_test", FILES, _patch(test_ahead=FOR_EVER), "notCovered", "testsSilenced"),
    PatchCase("a_patch_without_end", FILES, _patch(test_ahead=STARTED), "notCovered", "testsSilenced"),
]
UNDONE = "import shop\n\n\ndef test_stubbed(monkeypatch):\n    monkeypatch.setattr(shop, 'money', str)\n"
UNDONE += f"    assert shop.money(1) == '1'\n\n\n{ONE_MORE}"
SHARED = """import os
import time

import pytest


def pytest_configure(config):
    config.addinivalue_line("markers", "slow: takes long")
    os.environ["TZ"] = "UTC"
    time.tzset()


@pytest.fixture(scope="session")
def prices():
    from shop import Prices

    return Prices(len)
"""
PRICED = "def test_prices(prices):\n    assert prices.get('ab') == 2\n"
HONEST = [
    PatchCase("an_assertion_that_looks", LIMITS, _asserted("limiter.seen == [0]"), "verified"),
    PatchCase("what_is_undone", FILES, _patch(test_ahead=UNDONE), "verified"),
    PatchCase("fixtures_and_a_zone", FILES, _patch(conftest=SHARED, test_ahead=PRICED), "verified"),
    PatchCase(
        "methods_of_their_own",
        {"shop.py": BUG, "tests/test_shop.py": UNITTESTS},
        {"shop.py": FIX, "tests/test_shop.py": UNITTESTS + "\n    maxDiff = None\n" + ONE},
        "verified",
    ),
]


@pytest.mark.parametrize("case", [*MEAN, *HONEST], ids=lambda case: case.name)
def test_tests_that_notice_nothing_any_more_are_told_from_others(
    case: PatchCase, verifier: SandboxVerifier, tmp_path: Path
) -> None:
    evidence = measure(verifier, tmp_path, case)

    assert_verdict(evidence, case)
    assert ("no longer notice" in evidence.detail) is (case in MEAN)
    if case.name == "a_new_test":
        assert "tests/test_shop.py::test_get no longer notices a change of shop.py:" in evidence.detail
        assert "tests/test_shop.py::test_total" in evidence.fixed
