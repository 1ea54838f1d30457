import pytest
from program import arrangement_index, next_arrangement, nth_arrangement


def test_first():
    assert nth_arrangement("cab", 0) == "abc"


def test_different_letters():
    assert [nth_arrangement("abc", n) for n in range(6)] == ["abc", "acb", "bac", "bca", "cab", "cba"]


def test_index():
    assert arrangement_index("bca") == 3


def test_equal_letters():
    assert [nth_arrangement("aab", n) for n in range(3)] == ["aab", "aba", "baa"]


def test_index_with_equal_letters():
    assert arrangement_index("baa") == 2


def test_next():
    assert next_arrangement("abb") == "bab"
    assert next_arrangement("cba") is None


def test_out_of_range():
    with pytest.raises(IndexError):
        nth_arrangement("aa", 1)
