from program import LRUCache


def test_get_and_put():
    cache = LRUCache(2)
    cache.put("a", 1)
    assert cache.get("a") == 1
    assert cache.get("b", 0) == 0


def test_oldest_goes_first():
    cache = LRUCache(2)
    for key in "abc":
        cache.put(key, key.upper())
    assert cache.keys() == ["b", "c"]


def test_read_makes_recent():
    cache = LRUCache(2)
    cache.put("a", 1)
    cache.put("b", 2)
    cache.get("a")
    cache.put("c", 3)
    assert cache.get("a") == 1
    assert cache.get("b") is None


def test_statistics():
    cache = LRUCache(1)
    cache.put("a", 1)
    cache.get("a")
    cache.get("z")
    assert (cache.hits, cache.misses) == (1, 1)
