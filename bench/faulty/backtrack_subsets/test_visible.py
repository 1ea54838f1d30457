from program import count_subsets, subsets_with_sum


def test_count():
    assert count_subsets([1, 2, 3, 4], 5) == 2


def test_impossible():
    assert list(subsets_with_sum([5, 6], 3)) == []


def test_listing():
    assert list(subsets_with_sum([3, 1, 2, 4], 5)) == [[1, 4], [2, 3]]


def test_duplicates():
    assert list(subsets_with_sum([2, 1, 2], 3)) == [[1, 2]]


def test_first_only():
    assert next(subsets_with_sum([7, 1], 8)) == [1, 7]
