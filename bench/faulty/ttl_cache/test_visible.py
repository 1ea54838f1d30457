from program import TTLCache


class Clock:
    def __init__(self):
        self.now = 0.0

    def __call__(self):
        return self.now


def test_missing():
    cache = TTLCache(2, 10, Clock())
    assert cache.get("a", "none") == "none"
    assert cache.misses == 1


def test_fresh_value():
    cache = TTLCache(2, 10, Clock())
    cache.put("a", 1)
    assert cache.get("a") == 1
    assert cache.hits == 1


def test_expires():
    clock = Clock()
    cache = TTLCache(2, 10, clock)
    cache.put("a", 1)
    clock.now = 10.0
    assert cache.get("a") is None
    assert len(cache) == 0


def test_least_recently_used_goes():
    cache = TTLCache(2, 10, Clock())
    cache.put("a", 1)
    cache.put("b", 2)
    cache.get("a")
    cache.put("c", 3)
    assert [cache.get(k) for k in "abc"] == [1, None, 3]
