import pytest
from program import count_walks, fibonacci, identity, multiply, power


def test_multiply():
    assert multiply([[1, 2], [3, 4]], [[0, 1], [1, 0]]) == [[2, 1], [4, 3]]


def test_zeroth_power():
    assert power([[5, 1], [2, 3]], 0) == identity(2)


def test_negative():
    with pytest.raises(ValueError):
        power([[1]], -1)


def test_cube():
    assert power([[2, 0], [0, 3]], 3) == [[8, 0], [0, 27]]


def test_fibonacci():
    assert [fibonacci(n) for n in range(8)] == [0, 1, 1, 2, 3, 5, 8, 13]


def test_walks():
    triangle = [[0, 1, 1], [1, 0, 1], [1, 1, 0]]
    assert count_walks(triangle, 3, 0, 0) == 2
