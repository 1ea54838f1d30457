from program import draw, is_safe, is_solution, mirrored, solutions


def test_safe():
    assert is_safe((0,), 2)
    assert not is_safe((1,), 1)
    assert not is_safe((1, 3), 2)


def test_four_queens():
    assert list(solutions(4)) == [(1, 3, 0, 2), (2, 0, 3, 1)]


def test_one_queen():
    assert list(solutions(1)) == [(0,)]


def test_is_solution():
    assert is_solution((2, 0, 3, 1))
    assert not is_solution((1, 3, 0, 0))


def test_draw():
    assert draw((1, 0)) == ".Q\nQ."


def test_mirror():
    assert mirrored((1, 3, 0, 2)) == (2, 0, 3, 1)
