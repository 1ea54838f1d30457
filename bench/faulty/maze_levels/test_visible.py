import pytest
from program import distances, locate, parse, shortest

MAZE = """
    S.#
    ..#
    #.E
"""


def test_parse():
    assert parse(MAZE) == ["S.#", "..#", "#.E"]


def test_locate():
    assert locate(parse(MAZE), "E") == (2, 2)


def test_unknown_mark():
    with pytest.raises(ValueError):
        shortest("S.")


def test_shortest():
    assert shortest(MAZE) == 4


def test_walled_off():
    assert shortest("S#E") is None


def test_distances():
    assert distances(["S.", "#."], (0, 0)) == {(0, 0): 0, (0, 1): 1, (1, 1): 2}
