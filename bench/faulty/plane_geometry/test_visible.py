import pytest
from plane.polygon import bounding_box, contains, perimeter, polygon, signed_area
from plane.vector import Vector

SQUARE = polygon((0, 0), (2, 0), (2, 2), (0, 2))


def test_too_few_corners():
    with pytest.raises(ValueError):
        polygon((0, 0), (1, 1))


def test_perimeter():
    assert perimeter(SQUARE) == 8


def test_area():
    assert signed_area(SQUARE) == 4
    assert signed_area(SQUARE[::-1]) == -4


def test_triangle_area():
    assert signed_area(polygon((1, 1), (4, 1), (1, 5))) == 6


def test_bounding_box():
    assert bounding_box(polygon((1, 5), (3, -2), (7, 4))) == (Vector(1, -2), Vector(7, 5))


def test_contains():
    assert contains(SQUARE, Vector(1, 1))
    assert not contains(SQUARE, Vector(3, 1))
