import pytest
from program import extended_gcd, inverse, solve


def test_gcd():
    assert extended_gcd(240, 46)[0] == 2


def test_bezout():
    g, x, y = extended_gcd(240, 46)
    assert 240 * x + 46 * y == g


def test_inverse():
    assert inverse(3, 11) == 4
    assert inverse(10, 17) == 12


def test_no_inverse():
    with pytest.raises(ValueError):
        inverse(6, 9)


def test_solve():
    assert solve(14, 30, 100) == [45, 95]
    assert solve(2, 3, 4) == []
