from program import SlidingLimiter


def test_each_call_leaves_on_its_own():
    limiter = SlidingLimiter(3, 10)
    assert [limiter.allow("a", t) for t in (0, 4, 8, 9)] == [True, True, True, False]
    assert limiter.allow("a", 10)
    assert not limiter.allow("a", 13)
    assert limiter.allow("a", 14)
    assert not limiter.allow("a", 17)
    assert limiter.allow("a", 18)


def test_remaining():
    limiter = SlidingLimiter(3, 10)
    assert limiter.remaining("a", 0) == 3
    limiter.allow("a", 5)
    limiter.allow("a", 9)
    assert limiter.remaining("a", 12) == 1
    assert limiter.remaining("a", 15) == 2
    assert limiter.remaining("a", 19) == 3


def test_refused_calls_do_not_count():
    limiter = SlidingLimiter(1, 10)
    assert limiter.allow("a", 3)
    assert not limiter.allow("a", 9)
    assert not limiter.allow("a", 12)
    assert limiter.allow("a", 13)


def test_retry_after():
    limiter = SlidingLimiter(2, 60)
    assert limiter.retry_after("a", 0) == 0
    limiter.allow("a", 50)
    assert limiter.retry_after("a", 51) == 0
    limiter.allow("a", 70)
    assert limiter.retry_after("a", 80) == 30
    assert limiter.retry_after("a", 110) == 0
    limiter.allow("a", 110)
    assert limiter.retry_after("a", 111) == 19


def test_edge_of_the_period():
    limiter = SlidingLimiter(1, 10)
    limiter.allow("a", 0)
    assert not limiter.allow("a", 9.99)
    assert limiter.allow("a", 10)
    assert not limiter.allow("a", 19.5)


def test_never_more_than_limit_in_any_period():
    limiter = SlidingLimiter(4, 7)
    times = [t for t in range(100) if limiter.allow("x", t)]
    for start in range(100):
        assert sum(start <= t < start + 7 for t in times) <= 4
    assert times[:9] == [0, 1, 2, 3, 7, 8, 9, 10, 14]


def test_other_client_is_not_cleared():
    limiter = SlidingLimiter(1, 10)
    limiter.allow("a", 5)
    limiter.allow("b", 12)
    assert not limiter.allow("a", 13)
    assert not limiter.allow("b", 20)
    assert limiter.allow("a", 15)
