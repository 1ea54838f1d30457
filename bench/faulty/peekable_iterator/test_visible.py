import pytest
from program import Peekable, group_while, merge


def test_peek_does_not_take():
    items = Peekable([1, 2])
    assert items.peek() == 1
    assert list(items) == [1, 2]


def test_peek_at_the_end():
    items = Peekable([])
    assert items.peek(None) is None
    with pytest.raises(LookupError):
        items.peek()


def test_truth():
    assert Peekable("a")
    assert not Peekable("")


def test_merge():
    assert list(merge([1, 4, 6], [2, 3, 9])) == [1, 2, 3, 4, 6, 9]


def test_group_while():
    groups = group_while([1, 2, 3, 7, 8, 10], lambda a, b: b == a + 1)
    assert list(groups) == [[1, 2, 3], [7, 8], [10]]
