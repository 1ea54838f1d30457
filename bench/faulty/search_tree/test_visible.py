import pytest
from program import SearchTree


@pytest.fixture
def tree():
    tree = SearchTree()
    for key in (50, 20, 70, 10, 30, 60, 80):
        tree.insert(key, f"v{key}")
    return tree


def test_order(tree):
    assert [key for key, _ in tree.items()] == [10, 20, 30, 50, 60, 70, 80]
    assert len(tree) == 7


def test_get_right(tree):
    assert tree.get(80) == "v80"


def test_get_left(tree):
    assert tree.get(10) == "v10"
    assert tree.get(60) == "v60"


def test_get_missing(tree):
    with pytest.raises(KeyError):
        tree.get(55)


def test_floor(tree):
    assert tree.floor(65) == 60
    assert tree.floor(30) == 30
    assert tree.floor(5) is None
