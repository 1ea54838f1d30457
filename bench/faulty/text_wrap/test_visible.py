import pytest
from program import wrap, wrap_paragraphs


def test_short_text_is_one_line():
    assert wrap("hello there", 20) == ["hello there"]


def test_wraps_at_words():
    assert wrap("the quick brown fox jumps", 10) == ["the quick", "brown fox", "jumps"]


def test_indent():
    assert wrap("aa bb cc", 7, indent="  ") == ["  aa bb", "  cc"]


def test_paragraphs():
    assert wrap_paragraphs("one two\n\nthree", 4) == "one\ntwo\n\nthre\ne"


def test_width_too_small():
    with pytest.raises(ValueError):
        wrap("a", 2, indent="  ")
