import pytest
from program import align, column_widths, complete, render


def test_no_rows():
    assert render(["a", "bc"], []) == "a | bc\n--+---"


def test_row_longer_than_header():
    assert render(["a"], [["x", "yy"], [None, "z"]]) == "a |\n--+---\nx | yy\n  | z"


def test_right_aligned_numbers():
    assert render(["n"], [[5], [100], [-20]], ">") == "  n\n---\n  5\n100\n-20"


def test_centre():
    assert align("x", 3, "^") == " x "
    assert render(["title"], [["a"]], "^") == "title\n-----\n  a"


def test_three_columns():
    text = render(["id", "name", "note"], [[1, "ann", None], [22, "b", "late"]], "><")
    assert text.splitlines() == ["id | name | note", "---+------+-----", " 1 | ann  |", "22 | b    | late"]


@pytest.mark.parametrize(
    "row, n, expected",
    [([], 0, []), ([], 2, ["", ""]), ([0], 1, ["0"]), ([None], 1, [""]), (["a"], 2, ["a", ""]), ((1, 2), 3, ["1", "2", ""])],
)
def test_complete(row, n, expected):
    assert complete(row, n) == expected


def test_row_is_not_changed():
    row = ["a"]
    complete(row, 3)
    assert row == ["a"]


def test_widths():
    assert column_widths([["", "abc", "x"], ["", "", "yyyy"], ["a", "ab", ""]]) == [1, 3, 4]
    assert column_widths([["abc"]]) == [3]


def test_short_middle_row():
    assert render(["a", "b", "c"], [["1"], ["1", "2", "3"]]).splitlines()[2:] == ["1 |   |", "1 | 2 | 3"]
