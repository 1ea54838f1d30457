from fractions import Fraction
from itertools import permutations, product

import pytest
from program import determinant, is_singular, solve


def leibniz(matrix):
    total = 0
    for order in permutations(range(len(matrix))):
        swaps = sum(order[a] > order[b] for b in range(len(order)) for a in range(b))
        term = -1 if swaps % 2 else 1
        for row, column in enumerate(order):
            term *= matrix[row][column]
        total += term
    return total


def test_all_small_matrices():
    for entries in product((-1, 0, 2), repeat=4):
        matrix = [list(entries[:2]), list(entries[2:])]
        assert determinant(matrix) == leibniz(matrix)


def test_many_three_by_three():
    for entries in product((0, 1), repeat=9):
        matrix = [list(entries[k : k + 3]) for k in (0, 3, 6)]
        assert determinant(matrix) == leibniz(matrix)


def test_permutation_matrices():
    for order in permutations(range(4)):
        matrix = [[int(order[row] == column) for column in range(4)] for row in range(4)]
        assert determinant(matrix) == leibniz(matrix)


def test_four_by_four():
    for seed in range(40):
        matrix = [[(seed * (r + 2) + c * c * 7 + r * c) % 7 - 3 for c in range(4)] for r in range(4)]
        assert determinant(matrix) == leibniz(matrix)


def test_empty_and_single():
    assert determinant([]) == 1
    assert determinant([[7]]) == 7
    assert determinant([[0]]) == 0


def test_fractions():
    assert determinant([[Fraction(1, 2), 1], [1, 4]]) == 1


def test_input_is_left_alone():
    matrix = [[0, 2], [3, 4]]
    determinant(matrix)
    assert matrix == [[0, 2], [3, 4]]


def test_solve_with_zeros():
    assert solve([[0, 2], [3, 0]], [4, 9]) == [3, 2]
    assert solve([[0, 1, 0], [0, 0, 1], [1, 0, 0]], [5, 6, 7]) == [7, 5, 6]


def test_solve_singular():
    with pytest.raises(ValueError):
        solve([[0, 0], [1, 1]], [1, 2])
    with pytest.raises(ValueError):
        solve([[1, 2], [2, 4]], [1, 2])


def test_singular():
    assert is_singular([[0, 0, 0], [1, 2, 3], [4, 5, 6]])
    assert not is_singular([[0, 0, 1], [0, 1, 0], [1, 0, 0]])


@pytest.mark.parametrize("matrix", [[[1], [2]], [[1, 2], [3]], [[]]])
def test_not_square(matrix):
    with pytest.raises(ValueError):
        determinant(matrix)
