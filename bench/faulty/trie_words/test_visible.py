import pytest
from program import Trie


@pytest.fixture
def trie():
    return Trie(["car", "card", "care", "dog"])


def test_contains(trie):
    assert "car" in trie
    assert "ca" not in trie
    assert "cart" not in trie


def test_starting_with(trie):
    assert trie.starting_with("car") == ["car", "card", "care"]
    assert trie.starting_with("x") == []


def test_remove_keeps_longer_words(trie):
    trie.remove("car")
    assert "car" not in trie
    assert trie.starting_with("ca") == ["card", "care"]


def test_remove_prunes(trie):
    trie.remove("dog")
    assert "d" not in trie.root.children


def test_remove_unknown(trie):
    with pytest.raises(KeyError):
        trie.remove("do")
