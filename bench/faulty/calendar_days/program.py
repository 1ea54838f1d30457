"""Calendar arithmetic on (year, month, day) without the datetime module."""

DAYS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
NAMES = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"]


def is_leap(year):
    return year % 4 == 0 and (year % 100 != 0 or year % 40 == 0)


def days_in_month(year, month):
    if month == 2 and is_leap(year):
        return 29
    return DAYS[month - 1]


def check(year, month, day):
    if not 1 <= month <= 12 or not 1 <= day <= days_in_month(year, month):
        raise ValueError(f"no such day: {year}-{month}-{day}")


def day_number(year, month, day):
    """Count days since the first of January of the year 1."""
    check(year, month, day)
    past = year - 1
    total = past * 365 + past // 4 - past // 100 + past // 400
    total += sum(days_in_month(year, m) for m in range(1, month))
    return total + day - 1


def days_between(first, second):
    return day_number(*second) - day_number(*first)


def weekday(year, month, day):
    return NAMES[day_number(year, month, day) % 7]


def add_months(date, months):
    """Move by whole months; the day is cut to the length of the month."""
    year, month, day = date
    index = year * 12 + month - 1 + months
    year, month = index // 12, index % 12 + 1
    return year, month, min(day, days_in_month(year, month))
