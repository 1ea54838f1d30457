import pytest
from program import fill, justify, stretch

TEXT = "the rain in spain stays mainly in the plain and so on"


@pytest.mark.parametrize(
    "words, width, expected",
    [
        (["word"], 10, "word"),
        (["a", "b"], 9, "a       b"),
        (["aa", "b", "c", "d"], 12, "aa   b  c  d"),
        (["a", "b", "c", "d"], 9, "a  b  c d"),
        (["abc", "def"], 7, "abc def"),
        (["abc", "def"], 4, "abc def"),
    ],
)
def test_stretch(words, width, expected):
    assert stretch(words, width) == expected


@pytest.mark.parametrize("width", [11, 14, 20, 33])
def test_lines_are_full(width):
    lines = justify(TEXT, width)
    assert " ".join(lines).split() == TEXT.split()
    for line, words in zip(lines[:-1], fill(TEXT.split(), width)):
        assert len(line) == width or len(words) == 1
        assert line == line.strip()
    assert "  " not in lines[-1]
    assert len(lines[-1]) <= width


@pytest.mark.parametrize("width", [17, 25])
def test_gaps_differ_by_one_and_shrink(width):
    for line in justify(TEXT, width)[:-1]:
        gaps = [len(gap) for gap in "".join(c if c == " " else "x" for c in line).split("x") if gap]
        assert max(gaps) - min(gaps) <= 1
        assert gaps == sorted(gaps, reverse=True)


def test_paragraphs():
    assert justify("a b c dd\n\ne f", 6) == ["a  b c", "dd", "", "e f"]
    assert justify("aa bb cc\n\ndd ee ff", 6) == ["aa  bb", "cc", "", "dd  ee", "ff"]


def test_empty():
    assert justify("", 10) == []


def test_long_word():
    assert justify("a abcdefgh b c", 5) == ["a", "abcdefgh", "b c"]
