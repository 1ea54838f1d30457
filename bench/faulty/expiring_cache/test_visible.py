import pytest
from program import ExpiringCache


class Clock:
    now = 0

    def __call__(self):
        return self.now


@pytest.fixture
def clock():
    return Clock()


def test_fresh_entry(clock):
    cache = ExpiringCache(2, 10, clock)
    cache.put("a", 1)
    assert cache.get("a") == 1
    assert cache.get("b", 0) == 0


def test_capacity(clock):
    cache = ExpiringCache(2, 10, clock)
    for key in "abc":
        cache.put(key, key)
    assert cache.get("a") is None
    assert len(cache) == 2


def test_entry_expires(clock):
    cache = ExpiringCache(2, 10, clock)
    cache.put("a", 1)
    clock.now = 10
    assert cache.get("a") is None


def test_length_counts_living_entries(clock):
    cache = ExpiringCache(5, 10, clock)
    cache.put("a", 1)
    clock.now = 6
    cache.put("b", 2)
    clock.now = 12
    assert len(cache) == 1
    assert cache.get("b") == 2


def test_touch(clock):
    cache = ExpiringCache(2, 10, clock)
    cache.put("a", 1)
    clock.now = 9
    assert cache.touch("a")
    clock.now = 18
    assert cache.get("a") == 1
