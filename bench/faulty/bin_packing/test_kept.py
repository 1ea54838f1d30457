import pytest
from program import Bin, first_fit, first_fit_decreasing, lower_bound


def test_every_item_is_packed_once():
    for seed in range(60):
        sizes = [(seed * k * k + 3 * k) % 9 + 1 for k in range(seed % 14)]
        bins = first_fit(sizes, 10)
        assert sorted(size for items in bins for size in items) == sorted(sizes)
        assert all(0 < sum(items) <= 10 for items in bins)
        assert len(bins) >= lower_bound(sizes, 10)


@pytest.mark.parametrize(
    ("sizes", "expected"),
    [
        ([10], [[10]]),
        ([1, 1, 1], [[1, 1, 1]]),
        ([6, 6, 6], [[6], [6], [6]]),
        ([6, 6, 4, 4], [[6, 4], [6, 4]]),
        ([9, 9, 1], [[9, 1], [9]]),
        ([0, 10], [[0, 10]]),
        ([7, 8, 3, 2, 1], [[7, 3], [8, 2], [1]]),
    ],
)
def test_first_fit(sizes, expected):
    assert first_fit(sizes, 10) == expected


def test_decreasing_is_no_worse_here():
    sizes = [4, 8, 1, 4, 2, 1]
    assert len(first_fit_decreasing(sizes, 10)) == 2
    assert sizes == [4, 8, 1, 4, 2, 1]


def test_too_large_in_the_middle():
    with pytest.raises(ValueError, match="size 12"):
        first_fit([3, 12, 1], 10)


def test_bin():
    box = Bin(5)
    box.add(3)
    assert box.free == 2
    with pytest.raises(ValueError):
        box.add(3)
    box.add(2)
    assert box.free == 0


def test_bound():
    assert lower_bound([], 10) == 0
    assert lower_bound([1], 10) == 1
    assert lower_bound([21], 10) == 3
