import pytest
from program import determinant, is_singular, solve


def test_two_by_two():
    assert determinant([[3, 8], [4, 6]]) == -14


def test_zero_in_the_corner():
    assert determinant([[0, 1], [1, 0]]) == -1


def test_singular():
    assert is_singular([[1, 2], [2, 4]])
    assert is_singular([[0, 0], [0, 5]])


def test_three_by_three():
    assert determinant([[1, 2, 3], [2, 4, 1], [0, 5, 6]]) == 25


def test_not_square():
    with pytest.raises(ValueError):
        determinant([[1, 2]])


def test_solve():
    assert solve([[2, 1], [1, 3]], [5, 10]) == [1, 3]
