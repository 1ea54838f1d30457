from program import SlidingLimiter


def test_limit():
    limiter = SlidingLimiter(2, 10)
    assert [limiter.allow("a", t) for t in (0, 1, 2)] == [True, True, False]


def test_clients_are_apart():
    limiter = SlidingLimiter(1, 10)
    assert limiter.allow("a", 0)
    assert limiter.allow("b", 0)


def test_any_period():
    limiter = SlidingLimiter(2, 10)
    assert limiter.allow("a", 8)
    assert limiter.allow("a", 9)
    assert not limiter.allow("a", 11)
    assert limiter.allow("a", 18)


def test_retry_after():
    limiter = SlidingLimiter(1, 10)
    limiter.allow("a", 4)
    assert limiter.retry_after("a", 6) == 8
