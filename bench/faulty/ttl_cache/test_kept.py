from program import TTLCache


class Clock:
    def __init__(self):
        self.now = 100

    def __call__(self):
        return self.now


def test_just_before_expiry():
    clock = Clock()
    cache = TTLCache(5, 10, clock)
    cache.put("a", 1)
    clock.now = 109
    assert cache.get("a") == 1
    clock.now = 110
    assert cache.get("a") is None


def test_get_does_not_prolong():
    clock = Clock()
    cache = TTLCache(5, 10, clock)
    cache.put("a", 1)
    clock.now = 105
    cache.get("a")
    clock.now = 111
    assert cache.get("a") is None


def test_put_again_prolongs():
    clock = Clock()
    cache = TTLCache(5, 10, clock)
    cache.put("a", 1)
    clock.now = 105
    cache.put("a", 2)
    clock.now = 112
    assert cache.get("a") == 2
    assert len(cache) == 1


def test_only_the_stale_go():
    clock = Clock()
    cache = TTLCache(5, 10, clock)
    cache.put("old", 1)
    clock.now = 106
    cache.put("new", 2)
    clock.now = 111
    assert len(cache) == 1
    assert cache.get("new") == 2
    assert cache.get("old") is None


def test_stale_entries_do_not_evict_fresh_ones():
    clock = Clock()
    cache = TTLCache(2, 10, clock)
    cache.put("a", 1)
    clock.now = 105
    cache.put("b", 2)
    clock.now = 111
    cache.put("c", 3)
    assert cache.get("b") == 2
    assert cache.get("c") == 3


def test_replacing_does_not_evict():
    cache = TTLCache(2, 10, Clock())
    cache.put("a", 1)
    cache.put("b", 2)
    cache.put("b", 3)
    assert cache.get("a") == 1
    assert cache.get("b") == 3


def test_counts():
    cache = TTLCache(2, 10, Clock())
    cache.put("a", None)
    assert cache.get("a", "default") is None
    cache.get("b")
    cache.get("c")
    assert (cache.hits, cache.misses) == (1, 2)


def test_size_one():
    cache = TTLCache(1, 10, Clock())
    cache.put("a", 1)
    cache.put("b", 2)
    assert cache.get("a") is None
    assert cache.get("b") == 2
    assert len(cache) == 1
