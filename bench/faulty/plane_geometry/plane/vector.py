from typing import NamedTuple


class Vector(NamedTuple):
    x: float
    y: float

    def minus(self, other: "Vector") -> "Vector":
        return Vector(self.x - other.x, self.y - other.y)

    def length(self) -> float:
        return (self.x**2 + self.y**2) ** 0.5
