"""Python text that is nested deeper than a parser or a visitor goes is only text, and stops nothing."""

from __future__ import annotations

import ast

import pytest

from greenline.core.evidence import RunEnd, TestReport
from greenline.core.port import StagedFile
from greenline.core.syntax import parse_python
from greenline.edit.fact import facts_of
from greenline.mutation.choice import mutants
from greenline.mutation.operator import candidates
from greenline.mutation.source import Source
from greenline.verify.changed_line import code_lines
from greenline.verify.import_graph import importing
from greenline.verify.path_rule import PathRule
from greenline.verify.test_change import compare

PATH = "table.py"
TEXTS = {
    "signs": "x = " + "-" * 100_000 + "1\n",
    "sum": "x = " + "1 + " * 2_900 + "1\n",
    "parts": "x = (\n" + "".join(f"    'part {n}' +\n" for n in range(700)) + "    '')\n",
    "calls": "def f(a):\n    return a" + ".b()" * 1_200 + "\n",
    "null": "x = 1\0\n",
}


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
def test_what_reads_python_text_takes_any(text: str) -> None:
    data = text.encode()
    tree = {PATH: StagedFile(data), "main.py": StagedFile(b"import table\n")}

    assert set(code_lines(PATH, data)) <= set(range(1, text.count("\n") + 2))
    assert importing(tree) == {PATH: {"main.py"}}
    facts_of(PATH, text)
    report = TestReport(end=RunEnd.COMPLETE)
    compare(tree, {**tree, PATH: StagedFile(data + b"y = 1\n")}, PathRule.of(tree, tree), report, report)
    mutants(PATH, data, {1, 2}, 3)


@pytest.mark.parametrize("name", ["signs", "null"])
def test_what_the_parser_does_not_take_is_a_syntax_error(name: str) -> None:
    with pytest.raises(SyntaxError):
        parse_python(TEXTS[name])


def test_what_is_python_is_parsed_without_a_warning() -> None:
    assert isinstance(parse_python("x = 1 is 1\ny = '\\d'\n").body[0], ast.Assign)


def test_a_line_without_end_has_a_bounded_number_of_edits() -> None:
    source = Source(PATH, ("x = " + "1 + " * 300 + "1\n").encode())

    assert len(list(candidates(source, {1}))) == 1500


@pytest.mark.parametrize(
    "beside", [TEXTS["parts"], "x = " + "1 + " * 600 + "1\n", "y = a" + ".b()" * 350 + "\n"]
)
def test_the_rest_of_a_file_is_edited_whatever_the_parser_takes_beside_it(beside: str) -> None:
    text = f"def least(a, b):\n    return a < b\n\n\n{beside}"
    edits = {c.replacement for c in candidates(Source(PATH, text.encode()), {2})}

    assert {b"<=", b">"} <= edits
    assert mutants(PATH, text.encode(), {2}, 3)
