"""Tests and helpers that are written in another way and say as much, and near misses that say less."""

from __future__ import annotations

import pytest

from greenline.core.port import StagedFile, Tree
from greenline.verify.loosened import loosened
from greenline.verify.test_function import functions

PATH = "tests/test_a.py"
HEAD = "import pytest\n\nfrom text import money\n\n\n"
RAISES = "class TestA(TestCase):\n    def test_it(self):\n        with self.assertRaises(ValueError):\n"
RAISES += "            money(-1)\n"
PYTEST = HEAD + "def test_it():\n    with pytest.raises(ValueError):\n        money(-1)\n"
MATCHED = PYTEST.replace("ValueError)", "ValueError, match='a')")
HELPER = HEAD + "def write(path, stock):\n    target = path / 'stock.json'\n    target.write_text(stock)\n"
HELPER += "    return target\n\n\ndef test_it(tmp_path):\n    assert write(tmp_path, 'a')\n"
NAMED = HELPER.replace("/ 'stock.json'", "/ name")
ONE = HEAD + "def test_it():\n    assert money(2) == '2.00'\n"
ROWS = HEAD + "@pytest.mark.parametrize('amount, want', [(2, '2.00'), (0.5, '0.50')])\n"
ROWS += "def test_it(amount, want):\n    assert money(amount) == want\n"
FIXTURE = "@pytest.fixture\ndef bolt():\n    return money(2)\n"
USES = "\n\ndef test_it(bolt):\n    assert bolt == '2.00'\n"


def tree(files: dict[str, str]) -> Tree:
    return {path: StagedFile(text.encode()) for path, text in files.items()}


def names(before: str, after: str, **more: str) -> set[str]:
    """Return the tests that a patch loosens; `more` are modules beside the tests that it adds."""
    new = {f"tests/{name}.py": text for name, text in more.items()}
    found = loosened(tree({PATH: before}), tree({PATH: after, **new}), [PATH, *new], [PATH])
    return {name for _, name in found.places}


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (RAISES, RAISES.replace("assertRaises(ValueError", "assertRaisesRegex(ValueError, 'less than'")),
        (PYTEST, PYTEST.replace("ValueError)", "ValueError, match='less than')")),
        (HELPER, NAMED.replace("stock):", "stock, name='stock.json'):")),
        (HELPER, NAMED.replace("stock):", "stock, *, name='stock.json'):")),
        (RAISES, RAISES.replace("TestCase):\n", 'TestCase):\n    """What is refused."""\n\n')),
        (ONE, ROWS),
        (ONE, ROWS.replace("(2, '2.00')", "pytest.param(2, '2.00', id='two')")),
        (ONE.replace("2)", "2, 'EUR')"), ROWS.replace("amount)", "amount, 'EUR')")),
    ],
)  # fmt: skip
def test_other_words_that_say_as_much_loosen_nothing(before: str, after: str) -> None:
    assert not names(before, after)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (MATCHED, PYTEST),
        (MATCHED, MATCHED.replace("match='a'", "match='b'")),
        (RAISES, RAISES.replace("assertRaises(ValueError", "assertRaisesRegex(Exception, 'less than'")),
        (RAISES.replace("assertRaises(ValueError", "assertRaisesRegex(ValueError, 'less'"), RAISES),
        (HELPER, NAMED.replace("stock):", "stock, name='other.json'):")),
        (HELPER, HELPER.replace("stock):", "stock, x=None):").replace("return target", "return x or target")),
        (HELPER, HELPER.replace("path, stock):", "stock, path='a'):")),
        (ONE, ROWS.replace("(2, '2.00'), ", "")),
        (ONE, ROWS.replace("== want", "or want")),
        (ONE, ROWS.replace("(2, '2.00')", "pytest.param(2, '2.00', marks=pytest.mark.skip)")),
        (ONE, ROWS.replace("    assert", "    want = money(amount)\n    assert")),
        (ONE, ROWS.replace("])\n", "], indirect=True)\n")),
        (ONE, ROWS.replace("def test_it", "@pytest.mark.skip\ndef test_it")),
    ],
)  # fmt: skip
def test_other_words_that_say_less_are_loosened(before: str, after: str) -> None:
    assert names(before, after) == {"TestA.test_it" if "TestA" in before else "test_it"}


def test_a_fixture_that_a_conftest_has_word_for_word_is_the_same() -> None:
    shared = HEAD + FIXTURE

    assert not names(HEAD + FIXTURE + USES, HEAD + USES, conftest=shared)
    assert names(HEAD + FIXTURE + USES, HEAD + USES, conftest=shared.replace("(2)", "(3)")) == {"test_it"}
    assert names(HEAD + FIXTURE + USES, HEAD + USES, conftest=shared.replace("text import", "fake import"))
    assert names(HEAD + FIXTURE + USES, HEAD + USES, helpers=shared)


def test_a_fixture_that_a_nearer_conftest_gives_otherwise_is_another() -> None:
    old = {PATH: HEAD + FIXTURE + USES, "tests/conftest.py": HEAD + FIXTURE.replace("(2)", "(3)")}
    new = {**old, PATH: HEAD + USES, "conftest.py": HEAD + FIXTURE}

    assert loosened(tree(old), tree(new), [PATH, "conftest.py"], [PATH]).places == {(PATH, "test_it")}


def test_a_test_with_a_very_long_expression_is_compared() -> None:
    long = " + ".join(["money(1)"] * 400)

    assert names(PYTEST.replace("money(-1)", long), MATCHED.replace("money(-1)", long).replace("'a'", "'b'"))
    assert names(HELPER, NAMED.replace("stock):", "stock, name='a'):").replace("stock)\n", f"{long})\n"))


def test_only_the_first_rows_are_looked_at() -> None:
    rows = ", ".join(["(0.5, '0.50')"] * 40)

    assert names(ONE, ROWS.replace("(2, '2.00'), (0.5, '0.50')", f"{rows}, (2, '2.00')"))


BASE = "class Shared(TestCase):\n    def check(self, a):\n        self.assertTrue(a)\n"
SHARING = "from base import Shared\n\n\nclass TestA(Shared):\n    def test_it(self):\n        self.check(1)\n"
SHARING += "        self.other_check(1)\n"


@pytest.mark.parametrize(
    ("added", "is_looser"),
    [
        ("    def assert_logged(self, a):\n        self.check(a)\n", False),
        ("    def fail(self, msg=None):\n        pass\n", True),
        ("    def other_check(self, a):\n        pass\n", True),
        ("    def _callTestMethod(self, method):\n        pass\n", True),
        ("    def setUp(self):\n        pass\n", True),
        ("    def check(self, a):\n        pass\n", True),
    ],
)
def test_a_shared_test_case_may_gain_methods(added: str, is_looser: bool) -> None:
    old, new = (tree({"tests/base.py": text, PATH: SHARING}) for text in (BASE, BASE + added))

    assert bool(loosened(old, new, ["tests/base.py"], [PATH]).places) is is_looser


def test_a_stand_in_may_not_gain_methods() -> None:
    fake = "class Fake(Store):\n    def put(self, a):\n        pass\n"
    uses = "from base import Fake\n\n\ndef test_it():\n    assert Fake().get(1)\n"
    old, new = (
        tree({"tests/base.py": text, PATH: uses})
        for text in (fake, fake + "    def get(self, a):\n        return a\n")
    )

    assert loosened(old, new, ["tests/base.py"], [PATH]).places


def test_labels_are_no_part_of_a_test() -> None:
    labelled = ROWS.replace(")])", ")], ids=['two', 'half'])")
    computed = ROWS.replace(")])", ")], ids=name_of)")
    before, after, other = (functions(tree({PATH: text}), PATH) for text in (ROWS, labelled, computed))

    assert before == after
    assert before != other


MARKED = {
    "pyproject.toml": "[tool.pytest.ini_options]\nmarkers = ['slow: long', 'skip', 'usefixtures: more']\n"
}


@pytest.mark.parametrize(
    ("mark", "is_looser"), [("slow", False), ("fast", True), ("skip", True), ("usefixtures", True)]
)
def test_a_mark_that_is_registered_only_names_a_test(mark: str, is_looser: bool) -> None:
    after = ONE.replace("def test_it", f"@pytest.mark.{mark}\ndef test_it")
    old, new = tree({PATH: ONE}), tree({**MARKED, PATH: after})

    assert bool(loosened(old, new, [PATH, *MARKED], [PATH]).places) is is_looser


def test_a_helper_may_say_more_of_a_failure() -> None:
    helper = "def check(a, b):\n    assert a == b\n"
    uses = "from base import check\n\n\ndef test_it():\n    check(money(1), 1)\n"
    old, new = (
        tree({"tests/base.py": text, PATH: uses})
        for text in (helper, helper.replace("a == b", "a == b, f'{a} is not {b}'"))
    )

    assert not loosened(old, new, ["tests/base.py"], [PATH]).places


RUNS = "import subprocess\n\n\ndef start(*words):\n    return subprocess.run(words, text=True)\n"
READS = "def read(path):\n    def inner():\n        return path.read_text()\n\n    return inner()\n"


@pytest.mark.parametrize(
    ("helper", "after", "is_looser"),
    [
        (RUNS, RUNS.replace("text=True", "text=True, timeout=30"), False),
        (RUNS, RUNS.replace("*words", "*words, timeout=30").replace("True", "True, timeout=timeout"), False),
        (RUNS, RUNS.replace("text=True", "text=True, encoding='UTF-8'"), False),
        (READS, READS.replace("read_text()", "read_text(encoding='utf-8')"), False),
        (RUNS, RUNS.replace("text=True", "text=True, timeout=0.01"), True),
        (RUNS, RUNS.replace("text=True", "text=True, check=True"), True),
        (READS, READS.replace("read_text()", "read_text(encoding='latin-1')"), True),
        (READS, READS.replace("read_text()", "read_text(errors='ignore')"), True),
    ],
)
def test_a_helper_may_wait_and_name_the_usual_encoding(helper: str, after: str, is_looser: bool) -> None:
    uses = "from base import read, start\n\n\ndef test_it():\n    assert start('a') == read('b')\n"
    old, new = (tree({"tests/base.py": text, PATH: uses}) for text in (helper, after))

    assert bool(loosened(old, new, ["tests/base.py"], [PATH]).places) is is_looser


def test_a_conftest_concerns_its_folder_alone() -> None:
    here, there = "tests/test_a.py", "tests/report/test_b.py"
    files = {here: "def test_it(box):\n    assert box\n", there: "def test_it(box):\n    assert box\n"}
    fixture = "import pytest\n\n\n@pytest.fixture(autouse=True)\ndef box():\n    return 1\n"
    old, new = tree(files), tree({**files, "tests/report/conftest.py": fixture})

    places = loosened(old, new, ["tests/report/conftest.py"], [here, there]).places

    assert {path for path, _ in places} == {there}


@pytest.mark.parametrize(
    ("steps", "is_looser"),
    [
        ("monkeypatch.delenv('A', raising=False)", False),
        (
            "'''Nothing is asked.'''\n    for name in ('A',):\n        monkeypatch.delenv(name)\n    yield",
            False,
        ),
        ("monkeypatch.chdir(tmp_path)", False),
        ("shop.money.cache_clear()\n    yield\n    shop.money.cache_clear()", False),
        ("monkeypatch.chdir('/')", True),
        ("shop.money.cache.clear()", True),
        ("monkeypatch.setenv('A', '1')", True),
        ("monkeypatch.delenv('A')\n    monkeypatch.setattr(shop, 'money', str)", True),
        ("monkeypatch.delenv(shop.close())", True),
        ("for name in shop.names():\n        monkeypatch.delenv(name)", True),
    ],
)
def test_a_fixture_for_all_tests_may_give_each_a_place_of_its_own(steps: str, is_looser: bool) -> None:
    base = {"tests/conftest.py": "import pytest\nimport shop\n", PATH: "def test_it():\n    assert 1\n"}
    fixture = f"\n\n@pytest.fixture(autouse=True)\ndef clean(monkeypatch, tmp_path):\n    {steps}\n"
    new = {**base, "tests/conftest.py": base["tests/conftest.py"] + fixture}

    places = loosened(tree(base), tree(new), ["tests/conftest.py"], [PATH]).places

    assert bool(places) is is_looser
