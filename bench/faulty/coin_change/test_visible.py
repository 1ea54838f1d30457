from program import fewest_coins, largest_gap, ways


def test_nothing_to_pay():
    assert fewest_coins([1, 5], 0) == 0


def test_greedy_is_not_best():
    assert fewest_coins([1, 3, 4], 6) == 2


def test_impossible():
    assert fewest_coins([5, 10], 3) is None


def test_ways():
    assert ways([1, 2, 5], 5) == 4


def test_largest_gap():
    assert largest_gap([3, 5]) == 7
