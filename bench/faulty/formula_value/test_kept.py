import pytest
from program import Formula, FormulaError


@pytest.mark.parametrize(
    "text, expected",
    [
        ("7", 7),
        ("8 / 4 / 2", 1),
        ("8 - 4 - 2", 2),
        ("1 - 2 * 3 + 4", -1),
        ("2 * 3 + 4 * 5", 26),
        ("2 * (3 + 4) * 5", 70),
        ("((((3))))", 3),
        ("10 / (2 + 3)", 2),
        ("-3 + 5", 2),
        ("2 * -3", -6),
        ("--4", 4),
        ("-(1 + 2) * 2", -6),
        ("1+2*(3-(4-5))", 9),
        (" 6 / 3 * 2 ", 4),
    ],
)
def test_values(text, expected):
    assert Formula(text).value() == expected


def test_names_in_brackets():
    formula = Formula("a * (1 - b) + c")
    assert formula.value(a=10, b=0.5, c=1) == 6
    assert formula.value(a=2, b=1, c=0) == 0


@pytest.mark.parametrize("text", ["", "(1", "1)", "()", "1 2", "* 2", "2 *", "a", "(1 + 2", "1 + ) 2", "2 (3)"])
def test_errors(text):
    with pytest.raises(FormulaError):
        Formula(text).value()


def test_unreadable():
    with pytest.raises(FormulaError):
        Formula("1 $ 2")


def test_fractions():
    assert Formula("7 / 2").value() == 3.5
    assert Formula("1.5 * b2").value(b2=3) == 4.5


def test_unexpected_token_is_named():
    with pytest.raises(FormulaError, match="unexpected 8"):
        Formula("7 8 9").value()
