"""Code lines and tests in JavaScript, TypeScript and Go, from text alone."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from greenline.core.port import StagedFile
from greenline.verify.changed_line import code_lines
from greenline.verify.path_rule import PathRule
from greenline.verify.source_line import bare
from greenline.verify.test_body import bodies

SCRIPT = """import { a } from './a.js';
// a comment
/* another
   one */
const LIMIT = 3; // three

export function low(x) {
  const text = `a ${x > LIMIT ? "}" : '{'} // no comment`;
  return x < LIMIT && /['"`]/.test(text) && a(text);
}

interface Options {
  limit: number;
}

const make = (x) => {
  return LIMIT;
};
"""


def test_lines_that_hold_words_are_code() -> None:
    assert sorted(code_lines("a.ts", SCRIPT.encode())) == [1, 5, 7, 8, 9, 16, 17]


def test_a_value_at_the_margin_runs_where_its_name_is_read() -> None:
    found = code_lines("a.ts", SCRIPT.encode())

    assert found[5] == {5, 8, 9, 17}
    assert found[1] == {1, 9}
    assert found[9] == {9}
    # A function shows by its own lines whether it ran.
    assert found[16] == {16}


def test_values_of_go_run_where_their_names_are_read() -> None:
    text = "package a\n\nconst (\n\tlow = 1\n\thigh = 2\n)\n\nvar x, y = 1, 2\n\n"
    text += "func F() int {\n\treturn low + x\n}\n"

    found = code_lines("a.go", text.encode())

    assert sorted(found) == [3, 4, 5, 8, 10, 11]
    assert found[4] == {4, 11}
    assert found[5] == {5}
    assert found[8] == {8, 11}


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("a = 'b // c'; // d", "a = '      ';     "),
        ("a = `b ${c} d`", "a = `  ${c}  `"),
        ("a = /[/'\"]/; b", "a = /     /; b"),
        ("a = b / c / 'd'", "a = b / c / ' '"),
        ("a /* b\nc */ d", "a     \n     d"),
        (r"a = 'b\'c' + d", r"a = '    ' + d"),
    ],
)
def test_texts_and_comments_are_made_blank(text: str, plain: str) -> None:
    assert bare(text) == plain


@given(st.text(alphabet="ab'\"`/*${}\\\n[]();= "))
def test_blanking_keeps_every_line_and_letter_in_place(text: str) -> None:
    for is_go in (False, True):
        plain = bare(text, is_go=is_go)

        assert len(plain) == len(text)
        assert [n for n, letter in enumerate(plain) if letter == "\n"] == [
            n for n, letter in enumerate(text) if letter == "\n"
        ]
        assert all(new in (old, " ") for old, new in zip(text, plain, strict=True))


TESTS = """import { it } from 'vitest';

const shared = 1;

describe('more (or less)', () => {
  it('one', () => {
    check(')');
  });
  it.skip('two', () => {});
  it.each([1])('adds %i', () => {});
});

test('one', function () { check(2); });
"""


def test_tests_are_told_apart_from_the_rest() -> None:
    found = bodies("a.test.ts", TESTS)

    assert sorted(found) == ["", "more (or less).one", "more (or less).two", "one"]
    assert "shared = 1" in found[""] and "adds %i" in found[""]


@pytest.mark.parametrize(
    ("old", "new", "changed"),
    [
        ("check(2)", "check(3)", {"one"}),
        ("check(')')", "check('}')", {"more (or less).one"}),
        ("it.skip('two'", "it('two'", {"more (or less).two"}),
        ("shared = 1", "shared = 2", {""}),
        ("it.each([1])", "it.each([2])", {""}),
        ("'vitest'", "'other'", set()),
    ],
)
def test_a_change_is_a_change_of_one_part(old: str, new: str, changed: set[str]) -> None:
    before, after = bodies("a.test.ts", TESTS), bodies("a.test.ts", TESTS.replace(old, new))

    assert {name for name in before if before[name] != after.get(name)} == changed


def test_a_test_that_is_added_leaves_the_rest_as_it_is() -> None:
    before, after = bodies("a.test.ts", TESTS), bodies("a.test.ts", TESTS + "\nit('new', () => {});\n")

    assert {name: body for name, body in after.items() if name != "new"} == before


def test_functions_of_go_are_tests() -> None:
    text = 'package a\n\nimport "testing"\n\nvar x = 1\n\nfunc TestA(t *testing.T) {\n\tif x > 1 {\n\t}\n}\n'
    more = text + "\nfunc TestB(t *testing.T) {\n\tt.Fail()\n}\n"

    assert sorted(bodies("a_test.go", more)) == ["", "TestA", "TestB"]
    assert bodies("a_test.go", more)[""] == bodies("a_test.go", text)[""]
    # The same body under another name is the same test.
    assert bodies("a_test.go", text)["TestA"] == bodies("a_test.go", text.replace("TestA", "TestC"))["TestC"]


@given(st.text(alphabet="it('a',()=>{}); \n`\"$"))
def test_any_text_has_parts(text: str) -> None:
    assert "" in bodies("a.js", text)


@pytest.mark.parametrize(
    ("path", "is_test"),
    [
        ("src/a.test.ts", True),
        ("src/a.spec.mjs", True),
        ("test-a.js", True),
        ("src/latest.js", False),
        ("src/contest.ts", False),
        ("a_test.go", True),
        ("pkg/testdata/in.txt", True),
        ("testing.go", False),
    ],
)
def test_names_of_tests(path: str, is_test: bool) -> None:
    assert PathRule().is_test(path) is is_test


def test_what_reads_a_declaration_is_found_among_thousands() -> None:
    names = [f"name{number}" for number in range(4000)]
    text = "\n".join(f"var {name} = [{', '.join(names[:40])}];" for name in names)

    found = code_lines("a.js", text.encode())

    assert found[1] == frozenset(range(1, 4001))
    assert found[4000] == frozenset({4000})


ASKED = {
    "cut/main.py": "def main():\n    return 1\n",
    "tests/test_cli.py": "def test_it():\n    assert run() == (ROOT / 'examples/expected.txt').read_text()\n",
    "examples/expected.txt": "1\n",
}


@pytest.mark.parametrize(
    ("more", "is_test"),
    [
        ({}, True),
        ({"tests/test_cli.py": "def test_example():\n    assert run()\n"}, False),
        ({"cut/main.py": "def main():\n    return open('expected.txt')\n"}, False),
        ({"cut/main.py": "def main(name):\n    return open(f'examples/{name}.txt')\n"}, False),
        ({"MANIFEST.in": "recursive-include examples *.txt\n"}, False),
        ({"examples/show.py": "print(1)\n"}, False),
        ({"cut/main.py": "def main():\n    return open('unexpected.txt')\n"}, True),
    ],
)
def test_data_that_tests_alone_read_is_theirs(more: dict[str, str], is_test: bool) -> None:
    base = {path: StagedFile(text.encode()) for path, text in {**ASKED, **more}.items()}
    patched = {**base, "examples/expected.txt": StagedFile(b"2\n")}

    assert PathRule.of(base, patched).is_test("examples/expected.txt") is is_test
