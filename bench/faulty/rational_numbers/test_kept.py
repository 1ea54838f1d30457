from fractions import Fraction

import pytest
from program import Rational

PAIRS = [(a, b) for a in range(-4, 5) for b in (-3, -2, -1, 1, 2, 5)]


def same(rational, fraction):
    return (rational.numerator, rational.denominator) == (fraction.numerator, fraction.denominator)


@pytest.mark.parametrize("pair", PAIRS)
def test_construction(pair):
    assert same(Rational(*pair), Fraction(*pair))


def test_arithmetic():
    for a in PAIRS:
        for b in PAIRS:
            x, y, p, q = Rational(*a), Rational(*b), Fraction(*a), Fraction(*b)
            assert same(x + y, p + q)
            assert same(x - y, p - q)
            assert same(x * y, p * q)
            assert (x < y) is (p < q)
            assert (x == y) is (p == q)


def test_division():
    for a in PAIRS:
        for b in PAIRS:
            if b[0]:
                assert same(Rational(*a) / Rational(*b), Fraction(*a) / Fraction(*b))


def test_division_by_zero():
    with pytest.raises(ZeroDivisionError):
        Rational(1, 2) / Rational(0)


def test_negation():
    assert same(-Rational(2, -4), Fraction(1, 2))


@pytest.mark.parametrize("pair", PAIRS)
def test_text(pair):
    assert repr(Rational(*pair)) == str(Fraction(*pair))


def test_whole_numbers():
    assert same(Rational(5), Fraction(5))
    assert Rational(3) + Rational(1, 3) == Rational(10, 3)


def test_hash():
    assert len({Rational(1, 2), Rational(2, 4), Rational(-1, -2), Rational(1, 3)}) == 2
