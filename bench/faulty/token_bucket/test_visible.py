from program import TokenBucket


def test_burst_then_refused():
    bucket = TokenBucket(capacity=3, rate=1)
    assert [bucket.allow(0.0) for _ in range(4)] == [True, True, True, False]


def test_refills_with_time():
    bucket = TokenBucket(capacity=2, rate=1)
    assert bucket.allow(0.0, cost=2)
    assert not bucket.allow(0.5)
    assert bucket.allow(1.0)


def test_wait_time():
    bucket = TokenBucket(capacity=5, rate=2)
    bucket.allow(0.0, cost=4)
    assert bucket.wait_time(0.0, cost=3) == 1.0
