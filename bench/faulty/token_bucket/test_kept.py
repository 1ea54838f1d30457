import pytest
from program import TokenBucket


def test_exact_capacity():
    bucket = TokenBucket(10, 5)
    assert bucket.allow(0, cost=10)
    assert not bucket.allow(0, cost=1)


def test_above_capacity_is_refused_and_costs_nothing():
    bucket = TokenBucket(4, 1)
    assert not bucket.allow(0, cost=5)
    assert bucket.allow(0, cost=4)


def test_never_above_capacity():
    bucket = TokenBucket(2, 10)
    assert bucket.allow(100, cost=2)
    assert not bucket.allow(100, cost=1)


def test_refused_request_takes_nothing():
    bucket = TokenBucket(2, 1)
    assert bucket.allow(0)
    assert not bucket.allow(0, cost=2)
    assert bucket.allow(0)
    assert not bucket.allow(0)


def test_time_going_back_is_ignored():
    bucket = TokenBucket(1, 1, now=10)
    assert bucket.allow(10)
    assert not bucket.allow(5)
    assert not bucket.allow(10.5)
    assert bucket.allow(11)


def test_fraction_not_enough():
    bucket = TokenBucket(1, 0.5)
    assert bucket.allow(0)
    assert not bucket.allow(1.5)
    assert bucket.allow(2)


def test_wait_time_zero_when_there():
    assert TokenBucket(3, 1).wait_time(0, cost=3) == 0.0


def test_wait_time_above_capacity():
    with pytest.raises(ValueError):
        TokenBucket(3, 1).wait_time(0, cost=4)


@pytest.mark.parametrize("capacity, rate", [(0, 1), (1, 0), (-1, 1), (1, -2)])
def test_bad_settings(capacity, rate):
    with pytest.raises(ValueError):
        TokenBucket(capacity, rate)
