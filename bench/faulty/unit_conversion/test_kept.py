import pytest
from program import UNITS, UnitError, best_unit, convert, ratio, speed


@pytest.mark.parametrize(
    "value, source, target, expected",
    [
        (1, "in", "cm", 2.54),
        (1, "mi", "km", 1.609344),
        (3, "ft", "in", 36),
        (1, "lb", "g", 453.59237),
        (2, "d", "h", 48),
        (0, "t", "g", 0),
        (-5, "m", "cm", -500),
        (1500, "kg", "t", 1.5),
    ],
)
def test_convert(value, source, target, expected):
    assert convert(value, source, target) == pytest.approx(expected)


def test_round_trip():
    for table in UNITS.values():
        for a in table:
            for b in table:
                assert convert(convert(7.5, a, b), b, a) == pytest.approx(7.5)
                assert ratio(a, b) * ratio(b, a) == pytest.approx(1)


@pytest.mark.parametrize(
    "value, source, target, expected",
    [(10, "m/s", "km/h", 36), (60, "mi/h", "km/h", 96.56064), (1, "m/min", "cm/s", 1.6666667), (24, "km/d", "km/h", 1)],
)
def test_speed(value, source, target, expected):
    assert speed(value, source, target) == pytest.approx(expected)


@pytest.mark.parametrize(
    "value, unit, best", [(1, "m", "m"), (999, "g", "lb"), (2000000, "g", "t"), (7200, "s", "h"), (0.5, "mm", "mm"), (90000, "s", "d")]
)
def test_best_unit(value, unit, best):
    assert best_unit(value, unit) == best


def test_unknown():
    with pytest.raises(UnitError, match="unknown unit: parsec"):
        convert(1, "parsec", "m")
    with pytest.raises(UnitError, match="cannot convert s to kg"):
        convert(1, "s", "kg")
