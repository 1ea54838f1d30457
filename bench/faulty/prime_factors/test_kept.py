from math import gcd

import pytest
from program import count_divisors, factorise, is_prime, totient


def test_product_gives_the_number_back():
    for n in range(1, 400):
        product = 1
        for prime, exponent in factorise(n).items():
            product *= prime**exponent
        assert product == n


def test_all_factors_are_prime():
    for n in range(2, 400):
        for prime in factorise(n):
            assert all(prime % d for d in range(2, prime))


@pytest.mark.parametrize("n", [4, 9, 25, 49, 121])
def test_squares_of_primes(n):
    root = int(n**0.5)
    assert factorise(n) == {root: 2}
    assert not is_prime(n)


def test_powers_of_two():
    assert factorise(1024) == {2: 10}


def test_large_prime_left_over():
    assert factorise(2 * 9973) == {2: 1, 9973: 1}


def test_primes_below_thirty():
    assert [n for n in range(-3, 30) if is_prime(n)] == [2, 3, 5, 7, 11, 13, 17, 19, 23, 29]


def test_divisors_by_counting():
    for n in range(1, 120):
        assert count_divisors(n) == sum(n % d == 0 for d in range(1, n + 1))


def test_totient_by_counting():
    for n in range(1, 120):
        assert totient(n) == sum(gcd(n, k) == 1 for k in range(1, n + 1))


@pytest.mark.parametrize("n", [0, -1, -12])
def test_bad_input(n):
    with pytest.raises(ValueError):
        factorise(n)
