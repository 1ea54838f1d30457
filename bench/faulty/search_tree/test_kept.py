import pytest
from program import SearchTree


def make(keys):
    tree = SearchTree()
    for key in keys:
        tree.insert(key, key * 2)
    return tree


ORDERS = [[1], [1, 2, 3, 4], [4, 3, 2, 1], [2, 4, 1, 3], [8, 3, 10, 1, 6, 14, 4, 7, 13]]


@pytest.mark.parametrize("keys", ORDERS)
def test_every_key_is_found(keys):
    tree = make(keys)
    assert [tree.get(key) for key in keys] == [key * 2 for key in keys]


@pytest.mark.parametrize("keys", ORDERS)
def test_missing_keys(keys):
    tree = make(keys)
    for key in (min(keys) - 1, max(keys) + 1, min(keys) + 0.5):
        with pytest.raises(KeyError):
            tree.get(key)


@pytest.mark.parametrize("keys", ORDERS)
def test_floor(keys):
    tree = make(keys)
    for doubled in range(-1, 40):
        key = doubled / 2
        assert tree.floor(key) == max((k for k in keys if k <= key), default=None)


def test_items_are_sorted():
    assert list(make([3, 1, 2]).items()) == [(1, 2), (2, 4), (3, 6)]


def test_overwriting():
    tree = make([2, 1, 3])
    tree.insert(1, "new")
    tree.insert(2, "root")
    assert (tree.get(1), tree.get(2), len(tree)) == ("new", "root", 3)


def test_empty_tree():
    tree = SearchTree()
    assert len(tree) == 0
    assert list(tree.items()) == []
    assert tree.floor(3) is None
    with pytest.raises(KeyError):
        tree.get(1)


def test_a_stored_none():
    tree = SearchTree()
    tree.insert(5, 1)
    tree.insert(4, None)
    assert tree.get(4) is None


def test_text_keys():
    tree = SearchTree()
    for word in ["pear", "apple", "zebra", "fig"]:
        tree.insert(word, len(word))
    assert tree.get("fig") == 3
    assert tree.floor("grape") == "fig"
