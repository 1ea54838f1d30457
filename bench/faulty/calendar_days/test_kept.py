import calendar
import datetime

import pytest
from program import add_months, day_number, days_between, days_in_month, is_leap, weekday


def test_every_year():
    assert [is_leap(y) for y in range(1, 3001)] == [calendar.isleap(y) for y in range(1, 3001)]


@pytest.mark.parametrize("year", [4, 100, 400, 1000, 1600, 1700, 1800, 1900, 2000, 2100, 2400, 2600, 2800])
def test_month_lengths(year):
    assert [days_in_month(year, m) for m in range(1, 13)] == [calendar.monthrange(year, m)[1] for m in range(1, 13)]


@pytest.mark.parametrize(
    "date", [(1, 1, 1), (1000, 3, 1), (1582, 10, 15), (1800, 12, 31), (1999, 12, 31), (2000, 2, 29), (2200, 3, 1)]
)
def test_like_datetime(date):
    expected = datetime.date(*date)
    assert day_number(*date) == expected.toordinal() - 1
    assert weekday(*date) == expected.strftime("%A")


def test_negative_distance():
    assert days_between((2024, 3, 1), (2024, 2, 28)) == -2


def test_add_months_backwards():
    assert add_months((2024, 3, 31), -1) == (2024, 2, 29)
    assert add_months((2024, 1, 15), -1) == (2023, 12, 15)
    assert add_months((2600, 1, 30), 1) == (2600, 2, 28)
    assert add_months((2023, 12, 1), 25) == (2026, 1, 1)


@pytest.mark.parametrize("date", [(2023, 0, 1), (2023, 13, 1), (2023, 4, 31), (2023, 1, 0), (1000, 2, 29)])
def test_no_such_day(date):
    with pytest.raises(ValueError):
        day_number(*date)


def test_first_days_of_centuries():
    for century in range(1, 30):
        date = (century * 100 + 1, 1, 1)
        assert day_number(*date) == datetime.date(*date).toordinal() - 1
