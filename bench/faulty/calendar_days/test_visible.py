import pytest
from program import add_months, days_between, is_leap, weekday


def test_leap_years():
    assert is_leap(2024)
    assert is_leap(2000)
    assert not is_leap(2023)
    assert not is_leap(2200)


def test_weekday():
    assert weekday(2024, 2, 29) == "Thursday"


def test_days_between():
    assert days_between((2023, 12, 31), (2024, 3, 1)) == 61
    assert days_between((2199, 12, 31), (2201, 1, 1)) == 366


def test_add_months():
    assert add_months((2024, 1, 31), 1) == (2024, 2, 29)


def test_no_such_day():
    with pytest.raises(ValueError):
        weekday(2023, 2, 29)
