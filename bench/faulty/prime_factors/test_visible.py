import pytest
from program import count_divisors, factorise, is_prime, totient


def test_one_has_no_factors():
    assert factorise(1) == {}


def test_prime():
    assert factorise(13) == {13: 1}
    assert is_prime(13)
    assert not is_prime(1)


def test_zero():
    with pytest.raises(ValueError):
        factorise(0)


def test_composite():
    assert factorise(360) == {2: 3, 3: 2, 5: 1}


def test_divisors():
    assert count_divisors(12) == 6


def test_totient():
    assert totient(36) == 12
