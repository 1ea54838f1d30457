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
LOOSENS = [
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
