from math import cos, pi, sin

import pytest
from plane.polygon import bounding_box, contains, edges, perimeter, polygon, signed_area
from plane.vector import Vector

L_SHAPE = polygon((0, 0), (4, 0), (4, 1), (1, 1), (1, 3), (0, 3))


def test_area_of_an_l_shape():
    assert signed_area(L_SHAPE) == 6
    assert signed_area(L_SHAPE[::-1]) == -6


def test_area_does_not_depend_on_the_place():
    moved = polygon(*((corner.x - 10, corner.y + 7) for corner in L_SHAPE))
    assert signed_area(moved) == 6


def test_area_does_not_depend_on_the_first_corner():
    for shift in range(len(L_SHAPE)):
        assert signed_area(L_SHAPE[shift:] + L_SHAPE[:shift]) == 6


def test_half_units():
    assert signed_area(polygon((0, 0), (1, 0), (0, 1))) == 0.5


def test_flat_polygon():
    assert signed_area(polygon((0, 0), (1, 1), (2, 2))) == 0


def test_regular_polygon():
    corners = polygon(*((cos(k * pi / 6), sin(k * pi / 6)) for k in range(12)))
    assert signed_area(corners) == pytest.approx(3)
    assert perimeter(corners) == pytest.approx(24 * sin(pi / 12))


@pytest.mark.parametrize(
    ("corners", "low", "high"),
    [
        (L_SHAPE, (0, 0), (4, 3)),
        (polygon((-1, -1), (-3, -5), (-2, -9)), (-3, -9), (-1, -1)),
        (polygon((0, 8), (9, 1), (4, 4)), (0, 1), (9, 8)),
        (polygon((2, 2), (2, 2), (2, 2)), (2, 2), (2, 2)),
    ],
)
def test_bounding_box(corners, low, high):
    assert bounding_box(corners) == (Vector(*low), Vector(*high))


def test_contains_around_the_notch():
    assert contains(L_SHAPE, Vector(0.5, 2.5))
    assert contains(L_SHAPE, Vector(3.5, 0.5))
    assert not contains(L_SHAPE, Vector(2, 2))
    assert not contains(L_SHAPE, Vector(-1, 1))
    assert not contains(L_SHAPE, Vector(0.5, 4))


@pytest.mark.parametrize(
    ("point", "inside"),
    [((2, 1), True), ((1, 1.5), True), ((1, 2.5), False), ((4, 3), True), ((6, 1), False), ((-1, 1), False)],
)
def test_contains_beside_slanted_edges(point, inside):
    assert contains(polygon((0, 0), (6, 0), (3, 6)), Vector(*point)) is inside
    assert contains(polygon((3, 6), (6, 0), (0, 0)), Vector(*point)) is inside


def test_edges_close_the_ring():
    ring = edges(polygon((0, 0), (1, 0), (0, 1)))
    assert len(ring) == 3
    assert ring[-1] == (Vector(0, 1), Vector(0, 0))
    assert perimeter(polygon((0, 0), (3, 0), (3, 4))) == 12
