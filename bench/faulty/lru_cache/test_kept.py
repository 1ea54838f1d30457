import pytest
from program import LRUCache


def filled(capacity, keys):
    cache = LRUCache(capacity)
    for key in keys:
        cache.put(key, key * 10)
    return cache


def test_order_after_reads():
    cache = filled(4, [1, 2, 3, 4])
    cache.get(2)
    cache.get(1)
    cache.get(2)
    assert cache.keys() == [3, 4, 1, 2]


def test_missing_read_changes_nothing():
    cache = filled(3, [1, 2, 3])
    assert cache.get(9) is None
    assert cache.keys() == [1, 2, 3]
    assert len(cache) == 3


def test_write_makes_recent():
    cache = filled(3, [1, 2, 3])
    cache.put(1, "new")
    assert cache.keys() == [2, 3, 1]
    assert cache.get(1) == "new"


def test_rewrite_does_not_evict():
    cache = filled(2, [1, 2])
    cache.put(2, 5)
    assert cache.keys() == [1, 2]


def test_capacity_one():
    cache = filled(1, [1, 2, 3])
    assert cache.keys() == [3]
    assert cache.get(3) == 30
    assert cache.get(2) is None


def test_bad_capacity():
    with pytest.raises(ValueError):
        LRUCache(0)


def test_reads_count():
    cache = filled(2, [1, 2, 3])
    for key in (1, 2, 3, 3):
        cache.get(key)
    assert (cache.hits, cache.misses) == (3, 1)


def test_long_run_against_a_plain_list():
    cache, model = LRUCache(3), []
    for step in range(200):
        key = (step * 7 + step // 5) % 6
        if step % 3:
            if cache.get(key) is not None:
                model.remove(key)
                model.append(key)
        else:
            cache.put(key, step + 1)
            if key in model:
                model.remove(key)
            model.append(key)
            del model[:-3]
        assert cache.keys() == model
