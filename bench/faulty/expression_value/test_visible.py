import pytest
from program import evaluate, tokenise


def test_tokens():
    assert tokenise("12 +(3*4) ") == ["12", "+", "(", "3", "*", "4", ")"]


def test_number():
    assert evaluate("42") == 42


def test_left_to_right():
    assert evaluate("10 - 3 - 2") == 5
    assert evaluate("7 / 2") == 3


def test_precedence():
    assert evaluate("2 + 3 * 4") == 14


def test_parentheses():
    assert evaluate("(2 + 3) * 4") == 20


def test_empty():
    with pytest.raises(SyntaxError):
        evaluate(" ")
