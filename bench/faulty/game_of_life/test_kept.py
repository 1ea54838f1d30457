import pytest
from program import neighbours, parse, period, show, step

GLIDER = ".#. ..# ###"


def test_neighbours_of_some_cell():
    assert sorted(neighbours((5, -2))) == [
        (4, -3), (4, -2), (4, -1), (5, -3), (5, -1), (6, -3), (6, -2), (6, -1),
    ]  # fmt: skip


def brute_step(alive):
    rows = range(-3, 10)
    result = set()
    for row in rows:
        for column in rows:
            count = sum(
                (r, c) in alive and (r, c) != (row, column)
                for r in range(row - 1, row + 2)
                for c in range(column - 1, column + 2)
            )
            if count == 3 or ((row, column) in alive and count == 2):
                result.add((row, column))
    return result


def test_step_against_counting():
    for seed in range(80):
        alive = {(k % 5, k // 5) for k in range(25) if (seed * 37 + k * k * 11 + k * seed) % 5 < 2}
        assert step(alive) == brute_step(alive)


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [("###", 2), ("## ##", 1), (".##. #..# .##.", 1), (GLIDER, None), (".### ###.", 2), ("", 1), ("#", None)],
)
def test_period(pattern, expected):
    assert period(parse(pattern)) == expected


def test_glider_moves():
    cells = parse(GLIDER)
    moved = cells
    for _ in range(4):
        moved = step(moved)
    assert moved == {(row + 1, column + 1) for row, column in cells}


def test_period_limit():
    assert period(parse("###"), limit=1) is None
    assert period(parse("###"), limit=2) == 2


def test_birth_needs_exactly_three():
    assert (1, 1) not in step({(0, 0), (2, 2)})
    assert (1, 1) in step({(0, 0), (2, 2), (0, 2)})
    assert (1, 1) not in step({(0, 0), (2, 2), (0, 2), (2, 0)})


def test_input_is_left_alone():
    cells = parse(GLIDER)
    step(cells)
    assert cells == parse(GLIDER)


def test_show_and_parse():
    assert show(parse(GLIDER), 3, 3) == ".#.\n..#\n###"
