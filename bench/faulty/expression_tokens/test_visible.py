import pytest
from program import LexError, tokenize


def test_compact():
    assert tokenize("x1+42") == [("name", "x1"), ("op", "+"), ("number", "42")]


def test_long_operators():
    assert tokenize("a**b<=c") == [("name", "a"), ("op", "**"), ("name", "b"), ("op", "<="), ("name", "c")]


def test_unknown_character():
    with pytest.raises(LexError) as caught:
        tokenize("a$b")
    assert caught.value.position == 1


def test_spaces():
    assert tokenize(" a  * 2.5 ") == [("name", "a"), ("op", "*"), ("number", "2.5")]
