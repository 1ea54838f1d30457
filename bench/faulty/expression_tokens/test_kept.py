import pytest
from program import LexError, tokenize


def texts(source):
    return [text for _, text in tokenize(source)]


@pytest.mark.parametrize(
    "source, expected",
    [
        ("", []),
        ("   ", []),
        ("\n\t", []),
        ("a", ["a"]),
        ("a b", ["a", "b"]),
        ("12 34", ["12", "34"]),
        ("3.14", ["3.14"]),
        ("1+-2", ["1", "+", "-", "2"]),
        ("a//b/c", ["a", "//", "b", "/", "c"]),
        ("a***b", ["a", "**", "*", "b"]),
        ("a<b>c", ["a", "<", "b", ">", "c"]),
        ("a>=b==c!=d=e", ["a", ">=", "b", "==", "c", "!=", "d", "=", "e"]),
        ("===", ["==", "="]),
        ("f((x))", ["f", "(", "(", "x", ")", ")"]),
        ("_a9 9a", ["_a9", "9", "a"]),
        (" ( a\n+ b ) ", ["(", "a", "+", "b", ")"]),
        ("* *", ["*", "*"]),
    ],
)
def test_texts(source, expected):
    assert texts(source) == expected


def test_kinds():
    assert [kind for kind, _ in tokenize("x <= 1.5*(y)")] == ["name", "op", "number", "op", "op", "name", "op"]


@pytest.mark.parametrize("source, position", [("$", 0), ("a @", 2), ("1 + !", 4), ("  #", 2), (".5", 0)])
def test_errors(source, position):
    with pytest.raises(LexError) as caught:
        tokenize(source)
    assert caught.value.position == position


def test_error_text():
    with pytest.raises(LexError, match=r"unexpected '\?' at 1"):
        tokenize("a?")
