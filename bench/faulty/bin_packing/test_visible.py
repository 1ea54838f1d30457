import pytest
from program import first_fit, first_fit_decreasing, lower_bound


def test_nothing():
    assert first_fit([], 10) == []


def test_first_fit():
    assert first_fit([5, 7, 5, 2, 4], 10) == [[5, 5], [7, 2], [4]]


def test_decreasing():
    assert first_fit_decreasing([2, 5, 4, 7, 1, 3, 8], 10) == [[8, 2], [7, 3], [5, 4, 1]]


def test_too_large():
    with pytest.raises(ValueError):
        first_fit([11], 10)


def test_lower_bound():
    assert lower_bound([5, 6], 10) == 2
    assert lower_bound([5, 5], 10) == 1
