import pytest
from program import Rational


def test_lowest_terms():
    assert Rational(6, 8) == Rational(3, 4)


def test_sign():
    assert Rational(1, -2) == Rational(-1, 2)


def test_sum():
    assert Rational(1, 2) + Rational(1, 3) == Rational(5, 6)


def test_quotient():
    assert Rational(1, 2) / Rational(3, 4) == Rational(2, 3)


def test_text():
    assert repr(Rational(1, 2)) == "1/2"
    assert repr(Rational(4, 2)) == "2"


def test_order():
    assert Rational(1, 3) < Rational(1, 2)


def test_zero_denominator():
    with pytest.raises(ZeroDivisionError):
        Rational(1, 0)
