from itertools import permutations

import pytest
from program import arrangement_index, next_arrangement, nth_arrangement

WORDS = ["", "a", "aa", "ab", "abc", "aab", "abab", "aabbc", "zzyx", "banana", "aaab", "levels"]


def arrangements(word):
    return sorted({"".join(order) for order in permutations(word)})


@pytest.mark.parametrize("word", WORDS)
def test_all_in_order(word):
    expected = arrangements(word)
    assert [nth_arrangement(word, n) for n in range(len(expected))] == expected


@pytest.mark.parametrize("word", WORDS)
def test_indices(word):
    for index, arranged in enumerate(arrangements(word)):
        assert arrangement_index(arranged) == index


@pytest.mark.parametrize("word", WORDS)
def test_out_of_range(word):
    for index in (-1, len(arrangements(word))):
        with pytest.raises(IndexError):
            nth_arrangement(word, index)


@pytest.mark.parametrize("word", WORDS)
def test_next(word):
    ordered = arrangements(word)
    for here, following in zip(ordered, [*ordered[1:], None]):
        assert next_arrangement(here) == following


def test_long_word():
    word = "mississippi"
    assert nth_arrangement(word, 0) == "iiiimppssss"
    assert nth_arrangement(word, 34649) == "ssssppmiiii"
    assert arrangement_index(word) == 13736
