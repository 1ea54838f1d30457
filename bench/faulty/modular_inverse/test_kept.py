from math import gcd

import pytest
from program import extended_gcd, inverse, solve


def test_bezout_for_many():
    for a in range(1, 40):
        for b in range(1, 40):
            g, x, y = extended_gcd(a, b)
            assert g == gcd(a, b)
            assert a * x + b * y == g


def test_zero_operand():
    assert extended_gcd(7, 0) == (7, 1, 0)
    assert extended_gcd(0, 7) == (7, 0, 1)


def test_inverses_modulo_a_prime():
    for a in range(1, 101):
        inverted = inverse(a, 101)
        assert 0 < inverted < 101
        assert a * inverted % 101 == 1


def test_inverse_modulo_a_composite():
    for a in range(1, 36):
        if gcd(a, 36) == 1:
            assert a * inverse(a, 36) % 36 == 1
        else:
            with pytest.raises(ValueError, match="36"):
                inverse(a, 36)


def test_negative_and_large_numbers():
    assert inverse(-3, 11) == 7
    assert inverse(1000 * 11 + 3, 11) == 4


def test_solutions_by_trial():
    for modulus in (5, 8, 12, 15):
        for a in range(1, modulus):
            for b in range(modulus):
                wanted = [x for x in range(modulus) if (a * x - b) % modulus == 0]
                assert solve(a, b, modulus) == wanted
