import pytest
from program import flatten, max_depth, unflatten


def test_already_flat():
    assert flatten([1, "two", 3]) == [1, "two", 3]


def test_nested():
    assert flatten([1, [2, (3, [4])], 5]) == [1, 2, 3, 4, 5]


def test_one_level():
    assert flatten([1, [2, [3]]], depth=1) == [1, 2, [3]]


def test_max_depth():
    assert max_depth([1, [2, [3]]]) == 3


def test_unflatten():
    assert unflatten([1, 2, 3], [2, 0, 1]) == [[1, 2], [], [3]]
    with pytest.raises(ValueError):
        unflatten([1], [2])
