from itertools import combinations

from program import count_subsets, subsets_with_sum


def brute(numbers, target):
    ordered = sorted(numbers)
    found = set()
    for size in range(len(ordered) + 1):
        for combo in combinations(ordered, size):
            if sum(combo) == target:
                found.add(combo)
    return found


def test_against_all_combinations():
    for numbers in ([1, 2, 3, 4, 5, 6], [2, 2, 2, 3, 3], [10, 1, 2, 7, 6, 1, 5], [4], []):
        for target in range(1, 12):
            result = list(subsets_with_sum(numbers, target))
            assert sorted(map(tuple, result)) == sorted(brute(numbers, target))
            assert count_subsets(numbers, target) == len(result)


def test_results_are_separate_lists():
    first, second = subsets_with_sum([1, 2, 3], 3)
    first.append(99)
    assert second == [3]


def test_changing_a_result_does_not_disturb_the_search():
    seen = []
    for subset in subsets_with_sum([1, 2, 3, 4], 6):
        seen.append(list(subset))
        subset.clear()
    assert seen == [[1, 2, 3], [2, 4]]


def test_target_zero():
    assert list(subsets_with_sum([1, 2], 0)) == [[]]


def test_order_is_lexicographic():
    result = list(subsets_with_sum([5, 4, 3, 2, 1], 8))
    assert result == sorted(result)
    assert result == [[1, 2, 5], [1, 3, 4], [3, 5]]


def test_input_is_left_alone():
    data = [3, 1, 2]
    list(subsets_with_sum(data, 3))
    assert data == [3, 1, 2]
