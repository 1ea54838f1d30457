from itertools import product as every

import pytest
from program import largest_product, largest_run


def brute(numbers):
    best = None
    for start in range(len(numbers)):
        value = 1
        for number in numbers[start:]:
            value *= number
            best = value if best is None else max(best, value)
    return best


def test_all_short_lists():
    for size in range(1, 6):
        for numbers in every((-3, -1, 0, 2), repeat=size):
            assert largest_product(list(numbers)) == brute(numbers)


def test_longer_lists():
    for seed in range(100):
        numbers = [(seed * 5 + k * k * 3 + k) % 9 - 4 for k in range(1 + seed % 12)]
        assert largest_product(numbers) == brute(numbers)


@pytest.mark.parametrize(
    ("numbers", "expected"),
    [
        ([-1, -2, -3], 6),
        ([-1, -2, -3, -4], 24),
        ([0, -1], 0),
        ([-2, 0, -1], 0),
        ([2, -5, -2, -4, 3], 24),
        ([-4, -3, -2], 12),
        ([0.5, 4, -1, -0.5], 4),
    ],
)
def test_lists(numbers, expected):
    assert largest_product(numbers) == expected


def test_runs():
    assert largest_run([-1, -2, -3]) == (1, 3)
    assert largest_run([-1, -2]) == (0, 2)
    assert largest_run([1, 1, 2]) == (2, 3)
    assert largest_run([-7, 0, 0]) == (1, 2)
    assert largest_run([-2, 3, -4, 0, 5]) == (0, 3)


def test_empty():
    with pytest.raises(ValueError):
        largest_run([])
