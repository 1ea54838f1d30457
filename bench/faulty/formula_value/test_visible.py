import pytest
from program import Formula, FormulaError


def test_sum():
    assert Formula("1 + 2.5 - 3").value() == 0.5


def test_names():
    assert Formula("price * n").value(price=4, n=3) == 12


def test_product_first():
    assert Formula("2 + 3 * 4").value() == 14


def test_brackets():
    assert Formula("(2 + 3) * 4").value() == 20


def test_ends_too_early():
    with pytest.raises(FormulaError):
        Formula("1 +").value()
