import pytest
from program import fewest_coins, largest_gap, ways


def search(coins, amount):
    level, seen, steps = {0}, {0}, 0
    while level:
        if amount in level:
            return steps
        level = {v + c for v in level for c in coins if v + c <= amount} - seen
        seen |= level
        steps += 1
    return None


@pytest.mark.parametrize("coins", [[1], [2], [1, 5, 10, 25], [4, 6, 9], [7, 3], [25, 10, 1], [5, 8, 11, 3]])
def test_against_search(coins):
    for amount in range(60):
        assert fewest_coins(coins, amount) == search(coins, amount)


def test_no_coins():
    assert fewest_coins([], 0) == 0
    assert fewest_coins([], 4) is None


def test_exact_coin():
    assert fewest_coins([9, 2], 9) == 1


def test_all_ones():
    assert fewest_coins([1], 17) == 17


def test_ways_of_zero_and_none():
    assert ways([2, 4], 0) == 1
    assert ways([2, 4], 5) == 0
    assert ways([], 3) == 0


def test_ways_in_any_order():
    assert ways([10, 1, 5], 20) == ways([1, 5, 10], 20) == 9


def test_gap():
    assert largest_gap([5, 3]) == 7
    assert largest_gap([4, 9]) == 23
    assert largest_gap([1, 6]) is None
