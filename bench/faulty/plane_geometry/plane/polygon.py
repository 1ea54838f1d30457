"""Simple polygons as lists of corners."""

from plane.vector import Vector


def polygon(*corners: tuple[float, float]) -> list[Vector]:
    if len(corners) < 3:
        raise ValueError("a polygon has at least three corners")
    return [Vector(*corner) for corner in corners]


def edges(corners: list[Vector]) -> list[tuple[Vector, Vector]]:
    return list(zip(corners, corners[1:] + corners[:1]))


def signed_area(corners: list[Vector]) -> float:
    """Return the area, positive when the corners go counter-clockwise."""
    return sum(a.x * b.y + b.x * a.y for a, b in edges(corners)) / 2


def perimeter(corners: list[Vector]) -> float:
    return sum(b.minus(a).length() for a, b in edges(corners))


def bounding_box(corners: list[Vector]) -> tuple[Vector, Vector]:
    """Return the lower left and the upper right corner of the box around a polygon."""
    xs = [corner.x for corner in corners]
    ys = [corner.y for corner in corners]
    return Vector(min(xs), min(ys)), Vector(max(xs), min(ys))


def contains(corners: list[Vector], point: Vector) -> bool:
    """Tell whether a point lies inside, by the even-odd rule."""
    inside = False
    for a, b in edges(corners):
        if (a.y > point.y) != (b.y > point.y):
            crossing = a.x + (point.y - a.y) * (b.x - a.x) / (b.y - a.y)
            if point.x < crossing:
                inside = not inside
    return inside
