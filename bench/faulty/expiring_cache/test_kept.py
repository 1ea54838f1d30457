import pytest
from program import ExpiringCache


class Clock:
    def __init__(self):
        self.now = 100.0

    def __call__(self):
        return self.now


@pytest.fixture
def clock():
    return Clock()


def test_just_before_and_at_the_end(clock):
    cache = ExpiringCache(3, 2.5, clock)
    cache.put("k", "v")
    clock.now += 2.25
    assert cache.get("k") == "v"
    clock.now += 0.25
    assert cache.get("k", "gone") == "gone"


def test_reading_does_not_extend(clock):
    cache = ExpiringCache(3, 4, clock)
    cache.put("k", 1)
    for _ in range(3):
        clock.now += 1
        assert cache.get("k") == 1
    clock.now += 1
    assert cache.get("k") is None


def test_writing_extends(clock):
    cache = ExpiringCache(3, 4, clock)
    cache.put("k", 1)
    clock.now += 3
    cache.put("k", 2)
    clock.now += 3
    assert cache.get("k") == 2
    clock.now += 1
    assert cache.get("k") is None


def test_touching_what_is_gone(clock):
    cache = ExpiringCache(3, 4, clock)
    cache.put("k", 1)
    clock.now += 4
    assert cache.touch("k") is False
    assert cache.touch("never") is False
    assert cache.get("k") is None


def test_touch_moves_to_the_end(clock):
    cache = ExpiringCache(2, 50, clock)
    cache.put("a", 1)
    cache.put("b", 2)
    assert cache.touch("a") is True
    cache.put("c", 3)
    assert cache.get("a") == 1
    assert cache.get("b") is None


def test_expired_entries_leave_first(clock):
    cache = ExpiringCache(2, 10, clock)
    cache.put("a", 1)
    clock.now += 5
    cache.put("b", 2)
    clock.now += 6
    cache.put("c", 3)
    assert cache.get("b") == 2
    assert cache.get("c") == 3
    assert len(cache) == 2


def test_a_stored_none_is_an_entry(clock):
    cache = ExpiringCache(2, 10, clock)
    cache.put("n", None)
    assert cache.get("n", "default") is None
    assert len(cache) == 1
    clock.now += 10
    assert cache.get("n", "default") == "default"


def test_all_gone(clock):
    cache = ExpiringCache(9, 1, clock)
    for key in range(9):
        cache.put(key, key)
    assert len(cache) == 9
    clock.now += 1
    assert len(cache) == 0
    assert [cache.get(key) for key in range(9)] == [None] * 9


def test_overwriting_does_not_push_out(clock):
    cache = ExpiringCache(2, 10, clock)
    cache.put("a", 1)
    cache.put("b", 2)
    cache.put("b", 3)
    assert (cache.get("a"), cache.get("b")) == (1, 3)
