import pytest
from itertools import product
from program import draw, is_safe, is_solution, mirrored, solutions


@pytest.mark.parametrize(("size", "count"), [(0, 1), (1, 1), (2, 0), (3, 0), (4, 2), (5, 10), (6, 4), (7, 40)])
def test_number_of_solutions(size, count):
    assert sum(1 for _ in solutions(size)) == count


def attacks(queens):
    pairs = [(a, b) for b in range(len(queens)) for a in range(b)]
    return any(queens[a] == queens[b] or abs(queens[a] - queens[b]) == b - a for a, b in pairs)


def test_is_solution_against_pairs():
    for size in range(1, 6):
        for queens in product(range(size), repeat=size):
            assert is_solution(queens) is not attacks(queens)


def test_first_row_is_free():
    assert all(is_safe((), column) for column in range(5))


def test_diagonals_at_a_distance():
    assert not is_safe((0, 2), 4 - 2)
    assert not is_safe((3, 7, 9), 0)
    assert not is_safe((0, 5, 9), 3)
    assert is_safe((0, 5, 9), 1)


def test_solutions_come_in_order_and_with_mirrors():
    found = list(solutions(6))
    assert found == sorted(found)
    assert {mirrored(queens) for queens in found} == set(found)


def test_last_row_matters():
    assert not is_solution((0, 1))
    assert not is_solution((0, 0))
    assert not is_solution((1, 3, 0, 1))
    assert is_solution(())


def test_draw():
    assert draw((0,)) == "Q"
    assert draw((2, 0, 1)) == "..Q\nQ..\n.Q."
