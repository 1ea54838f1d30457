"""Changes to tests after which they could say less, and honest ones after which they say more."""

from __future__ import annotations

import pytest

from greenline.core.port import StagedFile, Tree
from greenline.verify.loosened import loosened


def tree(files: dict[str, str]) -> Tree:
    return {path: StagedFile(text.encode()) for path, text in files.items()}


def names(path: str, before: str, after: str, **more: str) -> set[str]:
    """Return the tests of one file that a change to it loosens."""
    beside = {f"{name}.py": text for name, text in more.items()}
    old, new = tree({path: before, **beside}), tree({path: after, **beside})
    return {name for _, name in loosened(old, new, [path], [path, *beside]).places}


HEAD = "import pytest\nfrom abs_ import absolute\n\n"
ROWS = "CASES = [\n    (0, 0),\n    (2, 2),\n]\n"
MORE = "CASES = [(0, 0), (-2, 2), (2, 2), (pytest.param(-3, 3, id='minus'))]\n"
BY_ROW = (
    "\n@pytest.mark.parametrize('x,want', CASES)\ndef test_abs(x, want):\n    assert absolute(x) == want\n"
)
LOOP = "\ndef test_loop():\n    for x, want in CASES:\n        assert absolute(x) == want\n"
ALL = "\ndef test_all():\n    assert all(absolute(x) == want for x, want in CASES)\n"
ITEMS = "\ndef test_items():\n    for x, want in CASES.items():\n        assert absolute(x) == want\n"
GROWS = [
    (ROWS + BY_ROW, MORE + BY_ROW),
    (ROWS + LOOP + ALL, MORE + LOOP + ALL),
    (ROWS + BY_ROW, ROWS + BY_ROW.replace("CASES)", "CASES + [(-7, 7)])")),
    (ROWS + BY_ROW, ROWS + BY_ROW.replace("CASES)", "[*CASES, (-7, 7)])")),
    (ROWS + BY_ROW, ROWS.replace("]", "] + [(-7, 7)]") + BY_ROW),
    (ROWS + BY_ROW, MORE + BY_ROW.replace("CASES)", "CASES, ids=['a', 'b', 'c', 'd'])")),
    (
        ROWS + BY_ROW.replace("CASES)", "CASES, ids=['a', 'b'])"),
        MORE + BY_ROW.replace("CASES)", "CASES, ids=['a', 'c', 'b', 'd'])"),
    ),
    (
        ROWS + BY_ROW.replace("CASES)", "argvalues=CASES)"),
        ROWS + BY_ROW.replace("CASES)", "argvalues=CASES + [(1, 1)])"),
    ),
    ("CASES = {0: 0, 2: 2}\n" + ITEMS, "CASES = {\n    0: 0,\n    2: 2,\n    -3: 3,\n}\n" + ITEMS),
    ("CASES = ((0, 0),)\n" + LOOP, "CASES = ((0, 0), (1, 1))\n" + LOOP),
    (LOOP.replace("CASES", "[(0, 0)]"), LOOP.replace("CASES", "[(0, 0), (1, 1)]")),
    (
        LOOP.replace("    for", "    CASES = [(0, 0)]\n    for"),
        LOOP.replace("    for", "    CASES = [(0, 0), (1, 1)]\n    for"),
    ),
    (
        "class TestA:\n    ROWS = [(0, 0)]\n\n    def test_it(self):\n"
        "        for x, y in self.ROWS:\n            assert absolute(x) == y\n",
        "class TestA:\n    ROWS = [(0, 0), (1, 1)]\n\n    def test_it(self):\n"
        "        for x, y in self.ROWS:\n            assert absolute(x) == y\n",
    ),
]  # fmt: skip
CATCHING = "\ndef test_all():\n    with pytest.raises(ValueError):\n"
CATCHING += "        for x in CASES:\n            assert absolute(x)\n"
LOOSENS = [
    (
        "def test_one():\n    x = absolute(-1)\n    assert x == 1\n",
        "def test_one():\n    x = absolute(-1)\n    assert (x := 1)\n    assert x == 1\n",
    ),
    (
        BY_ROW.replace("CASES", "[(0, 0)]"),
        BY_ROW.replace("CASES", "[(0, 0), (0, setattr(lib, 'absolute', abs))]"),
    ),
    (
        LOOP.replace("CASES", "[(0, 0)]"),
        LOOP.replace("CASES", "[((absolute := abs)(1), 1), (0, 0)]"),
    ),
    ("CASES = ['a', 'b']\n" + CATCHING, "CASES = ['c', 'a', 'b']\n" + CATCHING),
    (ROWS + BY_ROW, "CASES = [(0, 0), (2, 3)]\n" + BY_ROW),
    (ROWS + BY_ROW, "CASES = [(0, 0), (-2, 2)]\n" + BY_ROW),
    (ROWS + BY_ROW, "CASES = []\n" + BY_ROW),
    (ROWS + BY_ROW, MORE + "CASES = [(0, 0)]\n" + BY_ROW),
    (ROWS + BY_ROW, ROWS + BY_ROW.replace("CASES)", "CASES[:1] + [(-7, 7)])")),
    (ROWS + BY_ROW, ROWS + BY_ROW.replace("CASES)", "[(0, 0)])")),
    ("CASES = {0: 0, 2: 2}\n" + ITEMS, "CASES = {0: 0, 2: 2, 2.0: 3}\n" + ITEMS),
    (ROWS + LOOP.replace("        assert", "        if x < 0:\n            break\n        assert"),
     MORE + LOOP.replace("        assert", "        if x < 0:\n            break\n        assert")),
    (ROWS + ALL.replace("all(", "any("), MORE + ALL.replace("all(", "any(")),
    (ROWS + "\ndef test_one():\n    assert absolute(CASES[1][0]) == CASES[1][1]\n",
     MORE + "\ndef test_one():\n    assert absolute(CASES[1][0]) == CASES[1][1]\n"),
    (ROWS + LOOP, MORE + LOOP.replace("== want", "")),
    (ROWS + LOOP, "import calc\n" + ROWS.replace("]", "  setattr(calc, 'x', 1),\n]") + LOOP),
]  # fmt: skip


@pytest.mark.parametrize(("before", "after"), GROWS)
def test_a_table_that_gains_rows_says_more(before: str, after: str) -> None:
    assert not names("test_abs.py", HEAD + before, HEAD + after)


@pytest.mark.parametrize(("before", "after"), LOOSENS)
def test_a_table_whose_rows_change_or_are_no_cases_is_loosened(before: str, after: str) -> None:
    assert names("test_abs.py", HEAD + before, HEAD + after)


@pytest.mark.parametrize("module", ["tests", "."])
def test_a_table_of_a_package_that_its_modules_read_in_another_way_is_loosened(module: str) -> None:
    reader = f"from {module} import CASES\n\n\ndef test_last():\n    assert absolute(CASES[-1]) == 2\n"
    package, path = "tests/__init__.py", "tests/test_a.py"
    old = tree({package: "CASES = [-1, -2]\n", path: reader})
    new = tree({package: "CASES = [-1, -2, 2]\n", path: reader})

    assert loosened(old, new, [package], [path]).places == {(path, "test_last")}


WALKS = """import json
from pathlib import Path

import pytest

CASES = sorted((Path(__file__).parent / "cases").glob("*.json"))


@pytest.mark.parametrize("path", CASES)
def test_case(path):
    assert json.loads(path.read_text())["want"]


def test_other():
    assert other()
"""


def cases(test: str, more: dict[str, str], path: str = "tests/test_a.py") -> set[str]:
    """Return the tests that a patch to files of cases loosens."""
    old = {path: test, "tests/cases/one.json": '{"want": 1}', "tests/cases/two.json": '{"want": 2}'}
    files = [name for name in more if more[name] != old.get(name)]
    return {n for _, n in loosened(tree(old), tree({**old, **more}), files, [path]).places}


def test_a_case_in_a_folder_that_tests_walk_is_loosened_where_it_says_less() -> None:
    emptied = {"tests/cases/two.json": "{}"}
    listed = WALKS.replace(
        'sorted((Path(__file__).parent / "cases").glob("*.json"))', 'os.listdir("tests/cases")'
    )
    script = "for (const file of fs.readdirSync('tests/cases')) {\n  test(file, () => {});\n}\n"

    assert cases(WALKS, emptied) == {"test_case"}
    assert cases(listed, emptied) == {"test_case"}
    assert cases(script, emptied, "tests/a.test.js") == {""}
    assert not cases(WALKS, {"tests/cases/two.json": '{"want": 2, "note": "more"}'})
    assert not cases(WALKS, {"tests/cases/three.json": '{"want": 3}'})
    assert not cases(WALKS.replace("*.json", "*.toml"), emptied)
    assert not cases(WALKS.replace('"cases"', '"others"'), emptied)


def test_cases_that_a_conftest_hands_on_are_followed() -> None:
    generates = (
        "import pathlib\n\n\ndef pytest_generate_tests(metafunc):\n"
        "    found = pathlib.Path('tests/cases').iterdir()\n    metafunc.parametrize('case', list(found))\n"
    )
    test = "def test_case(case):\n    assert case\n\n\ndef test_other():\n    assert True\n"
    old = {"tests/conftest.py": generates, "tests/test_a.py": test, "tests/cases/two.json": "[1]"}

    found = loosened(
        tree(old),
        tree({**old, "tests/cases/two.json": "[]"}),
        ["tests/cases/two.json"],
        ["tests/test_a.py"],
    )

    assert found.places == {("tests/test_a.py", "test_case")}


def test_a_table_that_others_read_in_another_way_is_loosened() -> None:
    reader = "from cases import CASES\n\n\ndef test_last():\n    assert CASES[-1] == (2, 2)\n"
    walker = HEAD + "from cases import CASES\n" + BY_ROW

    assert names("cases.py", ROWS, MORE, test_abs=walker, test_last=reader) == {"test_abs", "test_last"}
    assert not names("cases.py", ROWS, MORE, test_abs=walker)


GO = """package a

import "testing"

func TestAbs(t *testing.T) {
	// Each is a case.
	for _, c := range []struct{ in, want int }{{0, 0}, {2, 2}} {
		if Abs(c.in) != c.want {
			t.Error(c)
		}
	}
	rows := map[string]int{"a": 1}
	for in, want := range rows {
		if Len(in) != want {
			t.Error(in)
		}
	}
	if Sum([]int{1, 2}) != 3 {
		t.Error("three")
	}
}
"""
GO_GROWS = [
    ("{2, 2}}", "{2, 2}, {-2, 2}}"),
    ("{{0, 0}, {2, 2}} {", "{\n\t\t{0, 0},\n\t\t{2, 2},\n\t\t{-2, 2},\n\t} {"),
    ("{{0, 0}, {2, 2}} {", "{\n\t\t{0, 0},\n\t\t{2, 2},\n\t} {"),
    ('{"a": 1}', '{\n\t\t"a":  1,\n\t\t"bb": 2,\n\t}'),
]
GO_LOOSENS = [
    ("{2, 2}}", "{2, 3}}"),
    ("{0, 0}, {2, 2}}", "{2,2}}"),
    ("{1, 2}", "{1,2,0}"),
    ("{2, 2}}", "{2,2},{1,func() int { return 1 }()}}"),
    ("!= c.want", "!=c.want&&false"),
    ("range rows {", "range rows {\n\t\t_ = rows[in]; return"),
]
SCRIPT = """import { abs } from '../abs';

test('abs', () => {
  for (const [x, want] of [[0, 0], [2, 2]]) {
    assert.equal(abs(x), want);
  }
  const cases = [{ x: 1, want: 1 }];
  cases.forEach(({ x, want }) => assert.equal(abs(x), want));
  assert.deepEqual(list([1, 2]), [1, 2]);
});
"""
SCRIPT_GROWS = [
    ("[[0, 0], [2, 2]]", "[[0, 0], [2, 2], [-2, 2]]"),
    ("[[0, 0], [2, 2]]", "[\n    [0, 0],\n    [-2, 2],\n    [2, 2],\n  ]"),
    ("[{ x: 1, want: 1 }]", "[\n    { x: 1, want: 1 },\n    { x: -1, want: 1 },\n  ]"),
]
SCRIPT_LOOSENS = [
    ("[[0, 0], [2, 2]]", "[[0, 0], [2,3]]"),
    ("list([1, 2]), [1, 2]", "list([1,2,3]), [1,2,3]"),
    ("[{ x: 1, want: 1 }]", "[{x: -1,want: 1}]"),
]


@pytest.mark.parametrize(("before", "after"), GO_GROWS)
def test_a_table_in_go_grows_in_any_layout(before: str, after: str) -> None:
    assert not names("a_test.go", GO, GO.replace(before, after))


@pytest.mark.parametrize(("before", "after"), GO_LOOSENS)
def test_what_is_no_more_row_in_go_is_loosened(before: str, after: str) -> None:
    assert names("a_test.go", GO, GO.replace(before, after)) == {"TestAbs"}


@pytest.mark.parametrize(("before", "after"), SCRIPT_GROWS)
def test_a_table_in_a_script_grows_in_any_layout(before: str, after: str) -> None:
    assert not names("a.test.ts", SCRIPT, SCRIPT.replace(before, after))


@pytest.mark.parametrize(("before", "after"), SCRIPT_LOOSENS)
def test_what_is_no_more_row_in_a_script_is_loosened(before: str, after: str) -> None:
    assert names("a.test.ts", SCRIPT, SCRIPT.replace(before, after)) == {"abs"}


BASE = {
    "tests/helpers.py": "def check(a, b):\n    assert a == b\n",
    "tests/conftest.py": "import pytest\n",
    "tests/test_a.py": "from helpers import check\nimport json\n\n\ndef test_a():\n    check(1, 1)\n\n\n"
    "def test_json():\n    assert json.loads('1') == 1\n\n\ndef test_one():\n    assert 1\n\n\n"
    "class TestK:\n    def test_k(self):\n        assert 1\n",
}


def beside(name: str, text: str) -> tuple[set[str], set[str]]:
    """Return the loosened tests and the hooks of a change of one file to `BASE`."""
    path = f"tests/{name}.py"
    found = loosened(tree(BASE), tree({**BASE, path: text}), [path], ["tests/test_a.py"])
    return {name for _, name in found.places}, {hook.partition(": ")[2] for hook in found.hooks}


def test_a_module_that_takes_another_s_place_loosens_what_imports_it() -> None:
    assert beside("helpers/__init__", "def check(a, b): pass\n")[0] == {"test_a"}
    assert beside("json", "def loads(text): return 1\n")[0] == {"test_json"}
    assert beside("more", "def loads(text): return 1\n")[0] == set()
    assert beside("__init__", "")[0] == set()


@pytest.mark.parametrize(
    "text",
    [
        "import sys\nsys.modules['helpers'] = Fake()\n",
        "import sys\nsys.modules.update(helpers=Fake())\n",
        "import helpers\nvars(helpers)['check'] = print\n",
        "def setup_module():\n    helpers.check = print\n",
    ],
)
def test_what_is_put_in_a_module_s_place_concerns_every_test(text: str) -> None:
    found, _ = beside("conftest", BASE["tests/conftest.py"] + text)

    assert found == {"test_a", "test_json", "test_one", "TestK.test_k"}


@pytest.mark.parametrize(
    "end", ["globals()['test_' + 'one'] = print\n", "def setUpModule():\n    json.x = 1\n"]
)
def test_what_a_file_does_to_its_own_tests_concerns_them(end: str) -> None:
    assert "test_one" in beside("test_a", f"{BASE['tests/test_a.py']}\n\n{end}")[0]


@pytest.mark.parametrize(
    ("old", "new", "is_loosened"),
    [
        ("class TestK:", "class TestK(metaclass=M):", True),
        ("class TestK:", "class TestK(Base):", True),
        ("class TestK:", "class TestK:\n    def setup_method(self):\n        json.x = 1\n", True),
        ("class TestK:", "class TestK:\n    LIMIT = 3\n\n    def _make(self):\n        return 1\n", False),
        ("class TestK:", "class TestK:\n    def test_more(self):\n        assert 2\n", False),
        ("class TestK:", "def setup_module():\n    make()\n\n\nclass TestK:", False),
    ],
)
def test_what_a_class_of_tests_gets(old: str, new: str, is_loosened: bool) -> None:
    found, _ = beside("test_a", BASE["tests/test_a.py"].replace(old, new))

    assert ("TestK.test_k" in found) is is_loosened


@pytest.mark.parametrize(
    ("hook", "is_told"),
    [
        ("def pytest_runtest_setup(item):\n    item.obj = print\n", True),
        ("def pytest_collection_modifyitems(items):\n    items[0].add_marker(pytest.mark.xfail)\n", True),
        ("def swap(x):\n    x.runtest = print\n\ndef pytest_itemcollected(item):\n    swap(item)\n", True),
        ("def pytest_collection_modifyitems(items):\n    items.sort(key=str)\n", False),
        ("def pytest_runtest_setup(item):\n    log.info(item.name)\n", False),
    ],
)
def test_hooks_that_swap_what_a_test_runs(hook: str, is_told: bool) -> None:
    assert bool(beside("conftest", BASE["tests/conftest.py"] + hook)[1]) is is_told


def test_a_main_of_go_s_tests_decides_what_they_come_to() -> None:
    main = 'package a\n\nimport "testing"\n\nfunc TestMain(m *testing.M) {\n\tm.Run()\n}\n'
    new = {"a_test.go": GO, "main_test.go": main}

    assert loosened(tree({"a_test.go": GO}), tree(new), ["main_test.go"], ["a_test.go"]).hooks
    assert not loosened(tree(new), tree({**new, "a_test.go": "x"}), ["a_test.go"], ["a_test.go"]).hooks


DATA = "import pathlib\n\nCASES = pathlib.Path('data') / 'cases.json'\n\n\ndef test_data():\n"
DATA += "    assert read(CASES)\n\n\ndef test_other():\n    assert 1\n"


@pytest.mark.parametrize(
    ("after", "expected"),
    [
        ("[[1, 2],\n [9, 9], [3, 4]]", set()),
        ("[[1, 2]]", {"test_data"}),
        ("[[1, 2], [3, 5]]", {"test_data"}),
        ("", {"test_data"}),
    ],
)
def test_data_that_has_less_loosens_what_names_it(after: str, expected: set[str]) -> None:
    old = {"tests/test_a.py": DATA, "tests/data/cases.json": "[[1, 2], [3, 4]]"}
    new = {**old, "tests/data/cases.json": after}

    found = loosened(tree(old), tree(new), ["tests/data/cases.json"], ["tests/test_a.py"])

    assert {name for _, name in found.places} == expected


def test_another_message_says_as_much() -> None:
    before = "def test_a():\n    assert f(1) == 2\n"

    assert not names("test_a.py", before, before.replace("== 2", "== 2, 'no'"))
    assert names("test_a.py", before, before.replace("== 2", "== 2, skip()"))


def test_a_new_test_module_that_replaces_the_library_concerns_every_test() -> None:
    assert beside("test_b", "import json\njson.loads = print\n")[0]
    assert not beside("test_b", "import json\n\n\ndef test_b():\n    json.loads('1')\n")[0]
    assert not beside("conftest", "import pytest\n\ndef pytest_configure(config):\n    config.x = 1\n")[0]
    assert beside("conftest", "import helpers\n\ndef pytest_configure(config):\n    helpers.check = 1\n")[0]


ZONES = {
    "tariff/__init__.py": "",
    "tariff/zones.py": "ZONES = {}\n",
    "tests/test_a.py": "def test_it():\n    assert 1\n",
}


@pytest.mark.parametrize(
    ("text", "is_looser"),
    [
        ("import tariff.zones\n\ntariff.zones.ZONES = {}\n", True),
        ("from tariff import zones\n\nzones.ZONES['NL'] = 1\n", True),
        ("from tariff import zones\n\nif True:\n    setattr(zones, 'ZONES', {})\n", True),
        ("import tariff.zones\n\ntariff.zones.ZONES.update({})\n", True),
        ("from tariff.zones import ZONES\n\nZONES.clear()\n", True),
        (
            "import pytest\nfrom tariff import zones\n\n\n@pytest.fixture(scope='session', autouse=True)\n"
            "def other():\n    zones.ZONES.update({})\n    yield\n",
            True,
        ),
        (
            "import pytest\nfrom tariff import zones\n\n\n@pytest.fixture(scope='session', autouse=True)\n"
            "def other():\n    zones.ZONES.update({})\n    yield\n    zones.ZONES.clear()\n",
            False,
        ),
        ("from tariff.zones import app\n\napp.config['TESTING'] = True\n", False),
        ("from tests import data\n\ndata.EXTRA = 1\n", False),
        ("if 0:\n    pass\n" + "elif 0:\n    pass\n" * 1500, False),
        ("from tariff import zones\n\nMINE = zones.ZONES\n", False),
        ("from tariff import zones\n\nMINE = []\nMINE.append(zones.ZONES)\n", False),
        ("from tariff import zones\n\n\ndef test_b():\n    zones.ZONES = {}\n", False),
        ("import os\n\nos.environ['A'] = 'b'\n", False),
    ],
)
def test_what_a_new_file_sets_in_the_product_is_set_for_all(text: str, is_looser: bool) -> None:
    old = tree(ZONES)
    new = {**old, "tests/test_b.py": StagedFile(f"{text}\n\ndef test_mine():\n    assert 1\n".encode())}

    found = loosened(old, new, ["tests/test_b.py"], ["tests/test_a.py", "tests/test_b.py"])

    assert (("tests/test_a.py", "test_it") in found.places) is is_looser
