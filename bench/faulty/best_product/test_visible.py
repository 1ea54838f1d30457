import pytest
from program import largest_product, largest_run


def test_positive():
    assert largest_product([2, 3, 4]) == 24


def test_single():
    assert largest_product([-5]) == -5


def test_zero_splits():
    assert largest_product([2, 0, 3]) == 3


def test_two_negatives():
    assert largest_product([-2, 3, -4]) == 24


def test_negative_cuts():
    assert largest_product([2, 3, -2, 4]) == 6


def test_run():
    assert largest_run([0, -2, -3, 1]) == (1, 3)


def test_empty():
    with pytest.raises(ValueError):
        largest_product([])
