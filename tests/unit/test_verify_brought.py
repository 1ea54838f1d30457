"""Which rewritten tests use what a patch's product code brings."""

from __future__ import annotations

import ast

import pytest

from greenline.core.port import StagedFile, Tree
from greenline.verify import python_suite
from greenline.verify.brought import leaning

SHOP = "def half(x):\n    return x / 2\n"
THIRD = SHOP + "\n\ndef third(x, digits=2):\n    part = x / 3\n    return round(part, digits)\n"
TEST = "from shop import half\n\n\ndef test_half():\n    assert half(4) == 2\n"
WEAK = "from shop import half, third\n\n\ndef test_half():\n    assert half(4)\n"


def tree(files: dict[str, str]) -> Tree:
    return {path: StagedFile(text.encode()) for path, text in files.items()}


def leans(before: dict[str, str], after: dict[str, str], path: str, name: str) -> bool:
    base, patched = tree(before), tree({**before, **after})
    changed = {p for p in {*base, *patched} if base.get(p) != patched.get(p)}
    tests = {p for p in changed if "test" in p}
    return bool(leaning(base, patched, tests, changed - tests, [(path, name)]))


def python(product: str, test: str, **beside: str) -> bool:
    before = {"shop.py": SHOP, "test_shop.py": TEST, "tests/conftest.py": "", "tests/helper.py": ""}
    more = {f"tests/{name}.py": text for name, text in beside.items()}
    return leans(before, {"shop.py": product, "test_shop.py": test, **more}, "test_shop.py", "test_half")


AUTOUSE = (
    "import pytest\nfrom shop import third\n\n\n@pytest.fixture(autouse=True)\ndef ready():\n    third(3)\n"
)
FIXTURE = "import pytest\nfrom shop import third\n\n\n@pytest.fixture\ndef ready():\n    return third(3)\n"


@pytest.mark.parametrize(
    ("test", "beside"),
    [
        (WEAK.replace("half(4)", "third(4)"), {}),
        (TEST.replace("half(4)", "half(4, digits=1)"), {}),
        (WEAK.replace("half(4)", "same(half(4))") + "\n\ndef same(x):\n    return third(x)\n", {}),
        (TEST.replace("test_half()", "test_half(ready)").replace("== 2", "== ready"), {"conftest": FIXTURE}),
        (TEST.replace("from shop import half", "from shop import third as half"), {}),
        (TEST, {"conftest": AUTOUSE}),
    ],
)
def test_a_test_that_uses_a_new_name_leans_on_it(test: str, beside: dict[str, str]) -> None:
    assert python(THIRD, test, **beside)


@pytest.mark.parametrize(
    ("product", "test", "beside"),
    [
        (THIRD, WEAK, {}),
        (THIRD, WEAK + "\n\ndef test_third():\n    assert third(3) == 1\n", {}),
        (THIRD, WEAK, {"conftest": AUTOUSE}),
        (THIRD, WEAK, {"conftest": FIXTURE}),
        (SHOP + "# third\n", WEAK.replace("half(4)", "third(4)"), {}),
        (SHOP + '"""half"""\n', WEAK, {}),
    ],
)
def test_a_test_that_uses_no_more_than_before_does_not(
    product: str, test: str, beside: dict[str, str]
) -> None:
    assert not python(product, test, **beside)


def test_a_test_that_takes_a_name_from_where_it_is_now_leans_on_that() -> None:
    before = {"shop/__init__.py": "", "shop/calc.py": SHOP, "test_shop.py": TEST.replace("shop", "shop.calc")}

    moved = {"shop/money.py": SHOP, "test_shop.py": TEST.replace("shop", "shop.money")}
    exported = {"shop/__init__.py": "from shop.calc import half\n", "test_shop.py": TEST}
    elsewhere = {"shop/calc.py": THIRD, "test_shop.py": TEST.replace("shop", "tests.fake")}

    assert leans(before, moved, "test_shop.py", "test_half")
    assert leans(before, exported, "test_shop.py", "test_half")
    assert not leans(before, elsewhere, "test_shop.py", "test_half")


JS = "const { pad } = require('../pad.js');\ntest('pad', () => { assert.equal(pad('a', 3), 'a  '); });\n"
GO = "package a\n\nfunc TestSum(t *testing.T) {\n\tif Sum(1, 2) != 3 {\n\t\tt.Fail()\n\t}\n}\n"


@pytest.mark.parametrize(
    ("product", "brings", "path", "test", "name", "weak", "new"),
    [
        ("pad.js", "exports.wide = 3;\n", "test/pad.test.js", JS, "pad",
         ("equal(pad('a', 3), 'a  ')", "ok(pad('a', 3))"), ("pad('a', 3)", "pad('a', wide)")),
        ("a.go", "const Limit = 3\n", "a_test.go", GO, "TestSum", ("!= 3", "< 0"), ("!= 3", "!= Limit")),
    ],
)  # fmt: skip
def test_words_of_other_languages_are_compared(
    product: str, brings: str, path: str, test: str, name: str, weak: tuple[str, str], new: tuple[str, str]
) -> None:
    before = {product: "// old\n", path: test}

    assert not leans(before, {product: "// old\n" + brings, path: test.replace(*weak)}, path, name)
    assert leans(before, {product: "// old\n" + brings, path: test.replace(*new)}, path, name)


def test_each_changed_file_is_read_once_however_many_there_are(monkeypatch: pytest.MonkeyPatch) -> None:
    names = [f"test_{number}.py" for number in range(20)]
    before = {"shop.py": SHOP, **dict.fromkeys(names, TEST)}
    after = {"shop.py": THIRD, **dict.fromkeys(names, WEAK.replace("half(4)", "third(4)"))}
    parsed: list[object] = []
    parse = python_suite.parse_python

    def counted(text: str | bytes) -> ast.Module:
        parsed.append(text)
        return parse(text)

    monkeypatch.setattr(python_suite, "parse_python", counted)
    found = leaning(tree(before), tree(after), names, ["shop.py"], [(name, "test_half") for name in names])

    assert len(found) == len(names)
    assert len(parsed) == 2 * len(names)
