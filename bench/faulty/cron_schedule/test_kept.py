import pytest
from program import Cron, CronError


def minutes(field):
    return [m for m in range(60) if Cron(f"{field} * * * *").fires(m, 0, 1, 1, 0)]


@pytest.mark.parametrize(
    "field, expected",
    [
        ("7", [7]),
        ("1,2,59", [1, 2, 59]),
        ("10-13", [10, 11, 12, 13]),
        ("*/20", [0, 20, 40]),
        ("50/4", [50, 54, 58]),
        ("5-20/5", [5, 10, 15, 20]),
        ("0,10-12,*/30", [0, 10, 11, 12, 30]),
        ("3,3", [3]),
        ("4-4", [4]),
        ("*", list(range(60))),
    ],
)
def test_minutes(field, expected):
    assert minutes(field) == expected


@pytest.mark.parametrize(
    "line",
    ["", "* * * *", "* * * * * *", "x * * * *", "1- * * * *", "5-1 * * * *", "*/0 * * * *", "*/x * * * *", "1,,2 * * * *"]
    + ["* 24 * * *", "* * 0 * *", "* * * 13 *", "* * * * 7", "1,60 * * * *", "* * 0-3 * *", "-1 * * * *"],
)
def test_errors(line):
    with pytest.raises(CronError):
        Cron(line)


def test_all_fields_count():
    cron = Cron("30 6-8 1,15 */6 0")
    assert cron.fires(30, 7, 15, 7, 0)
    assert not cron.fires(30, 7, 15, 6, 0)
    assert not cron.fires(30, 9, 15, 7, 0)
    assert not cron.fires(30, 7, 14, 7, 0)
    assert not cron.fires(30, 7, 15, 7, 1)


@pytest.mark.parametrize("moment", [(59, 23, 31, 12, 6), (0, 0, 1, 1, 0)])
def test_limits_of_the_fields(moment):
    assert Cron("* * * * *").fires(*moment)
    assert Cron(" ".join(map(str, moment))).fires(*moment)


@pytest.mark.parametrize("line", ["* * 32 * *", "60-61 * * * *", "* * * 0 *", "* * * * 0-7"])
def test_beyond_the_limits(line):
    with pytest.raises(CronError):
        Cron(line)
