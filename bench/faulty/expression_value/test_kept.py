import pytest
from program import evaluate, tokenise


@pytest.mark.parametrize(
    "text",
    [
        "1",
        "1+2*3",
        "1*2+3",
        "2*3-4*5",
        "100/7/2",
        "100/(7/2)",
        "8-(3-2)",
        "8-3-2",
        "((((5))))",
        "(1+2)*(3+4)",
        "2*(3+4*(5-6))",
        "-3+5",
        "-(2+3)*4",
        "2*-3",
        "7/-2",
        "10-2*3+4/2",
        "0*5+1",
        "1 + 2 * 3 - 4 / 2 * (6 - 1)",
    ],
)
def test_same_as_python(text):
    assert evaluate(text) == eval(text.replace("/", "//"))


def test_spaces():
    assert evaluate("  ( 1+ 2 )*3  ") == 9


@pytest.mark.parametrize("text", ["", "()", "1+", "*2", "(1", "1)", "1 2", "1+*2", "(1+2", ")("])
def test_bad_syntax(text):
    with pytest.raises(SyntaxError):
        evaluate(text)


def test_unknown_character():
    with pytest.raises(SyntaxError, match="'x' at 2"):
        tokenise("1+x")


def test_division_by_zero():
    with pytest.raises(ZeroDivisionError):
        evaluate("1/(2-2)")


def test_deep_nesting():
    assert evaluate("(" * 50 + "1" + "+1)" * 50) == 51
