import pytest
from program import wrap, wrap_paragraphs

TEXT = "It was the best of times, it was the worst of times, it was the age of wisdom"


@pytest.mark.parametrize("width", [5, 7, 10, 13, 20, 50, 200])
def test_nothing_is_lost_and_lines_fit(width):
    lines = wrap(TEXT, width)
    assert "".join("".join(lines).split()) == TEXT.replace(" ", "")
    assert all(0 < len(line) <= width for line in lines)


@pytest.mark.parametrize("width", [9, 12, 30])
def test_lines_are_as_full_as_possible(width):
    lines = wrap(TEXT, width)
    for line, following in zip(lines, lines[1:], strict=False):
        assert len(line) + 1 + len(following.split()[0]) > width


def test_exact_fit():
    assert wrap("aaa bbb", 7) == ["aaa bbb"]
    assert wrap("aaa bbb", 6) == ["aaa", "bbb"]


def test_long_word():
    assert wrap("abcdefgh", 3) == ["abc", "def", "gh"]
    assert wrap("ab cdefgh", 3) == ["ab", "cde", "fgh"]


def test_empty():
    assert wrap("", 5) == []
    assert wrap(" \n ", 5) == []


def test_white_space_is_folded():
    assert wrap("a\n b\t c", 10) == ["a b c"]


def test_indent_counts():
    assert wrap("abcd ef", 5, indent="-") == ["-abcd", "-ef"]


def test_single_column():
    assert wrap("abc d", 1) == ["a", "b", "c", "d"]


def test_paragraphs_are_kept():
    assert wrap_paragraphs("a b c d\n\ne f", 3) == "a b\nc d\n\ne f"
