import pytest
from program import Cron, CronError


def test_every_hour():
    cron = Cron("0 * * * *")
    assert cron.fires(0, 13, 1, 1, 0)
    assert not cron.fires(1, 13, 1, 1, 0)


def test_list():
    assert Cron("5,35 * * * *").fires(35, 0, 1, 1, 0)


def test_working_days():
    cron = Cron("0 9 * * 1-5")
    assert cron.fires(0, 9, 4, 3, 5)
    assert not cron.fires(0, 9, 4, 3, 6)


def test_step():
    assert Cron("*/15 * * * *").fires(45, 7, 1, 1, 0)
    assert not Cron("*/15 * * * *").fires(50, 7, 1, 1, 0)


def test_bad_number():
    with pytest.raises(CronError):
        Cron("60 * * * *")
