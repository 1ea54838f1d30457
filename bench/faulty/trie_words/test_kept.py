import pytest
from program import Trie


def count(node):
    return 1 + sum(count(child) for child in node.children.values())


def test_node_count_after_removing_the_longest():
    trie = Trie(["a", "abc"])
    trie.remove("abc")
    assert trie.starting_with("") == ["a"]
    assert count(trie.root) == 2


def test_node_count_after_removing_the_shortest():
    trie = Trie(["a", "abc"])
    trie.remove("a")
    assert trie.starting_with("") == ["abc"]
    assert count(trie.root) == 4


def test_removing_all_leaves_only_the_root():
    words = ["tea", "ten", "to", "i", "in", "inn"]
    trie = Trie(words)
    for word in words:
        trie.remove(word)
        assert word not in trie
    assert count(trie.root) == 1


def test_branches_survive():
    trie = Trie(["ab", "ac"])
    trie.remove("ab")
    assert trie.starting_with("a") == ["ac"]
    assert count(trie.root) == 3


def test_empty_word():
    trie = Trie([""])
    assert "" in trie
    trie.remove("")
    assert "" not in trie


def test_word_can_come_back():
    trie = Trie(["on", "once"])
    trie.remove("on")
    trie.add("on")
    assert trie.starting_with("o") == ["on", "once"]


def test_removing_twice_is_an_error():
    trie = Trie(["x"])
    trie.remove("x")
    with pytest.raises(KeyError):
        trie.remove("x")


def test_prefix_is_not_a_word():
    trie = Trie(["hello"])
    with pytest.raises(KeyError):
        trie.remove("hell")
    assert "hello" in trie
