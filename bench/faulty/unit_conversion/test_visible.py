import pytest
from program import UnitError, best_unit, convert, ratio, speed


def test_same_unit():
    assert convert(4, "kg", "kg") == 4


def test_down():
    assert convert(2, "km", "m") == pytest.approx(2000)


def test_up():
    assert convert(90, "min", "h") == pytest.approx(1.5)


def test_ratio():
    assert ratio("km", "m") == 1000


def test_kinds_do_not_mix():
    with pytest.raises(UnitError):
        convert(1, "kg", "m")


def test_speed():
    assert speed(36, "km/h", "m/s") == pytest.approx(10)


def test_best_unit():
    assert best_unit(5000, "g") == "kg"
