import pytest
from program import distances, locate, shortest


@pytest.mark.parametrize(
    ("maze", "expected"),
    [
        ("SE", 1),
        ("S..E", 3),
        ("E#S", None),
        ("S\n.\nE", 2),
        ("S.#.E\n..#..\n.....", 8),
        ("S#.\n.#E\n...", 5),
        ("S....\n####.\nE....", 10),
        ("#E#\n###\n#S#", None),
    ],
)
def test_shortest(maze, expected):
    assert shortest(maze) == expected


def test_open_field_is_manhattan():
    grid = ["....."] * 4
    found = distances(grid, (1, 2))
    assert len(found) == 20
    for (row, column), steps in found.items():
        assert steps == abs(row - 1) + abs(column - 2)


def test_walls_are_never_reached():
    found = distances(["S#.", "...", "##."], (0, 0))
    assert (0, 1) not in found
    assert found[2, 2] == 4
    assert found[0, 2] == 4


def test_closed_room():
    assert distances(["###", "#S#", "###"], (1, 1)) == {(1, 1): 0}


def test_ragged_lines():
    assert distances(["S", ".."], (0, 0)) == {(0, 0): 0, (1, 0): 1, (1, 1): 2}


def test_locate_finds_the_first():
    assert locate(["..", ".S", "S."], "S") == (1, 1)
    with pytest.raises(ValueError, match="'E'"):
        locate(["S"], "E")
