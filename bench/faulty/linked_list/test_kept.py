import pytest
from program import LinkedList


@pytest.mark.parametrize("size", range(7))
def test_reverse(size):
    items = LinkedList(range(size))
    items.reverse()
    assert list(items) == list(range(size))[::-1]


@pytest.mark.parametrize("size", range(7))
def test_reverse_twice(size):
    items = LinkedList(range(size))
    items.reverse()
    items.reverse()
    assert list(items) == list(range(size))


def test_ends_after_reverse():
    items = LinkedList("xyz")
    first, last = items.head, items.tail
    items.reverse()
    assert items.head is last
    assert items.tail is first
    assert items.tail.next is None


def test_nodes_are_kept():
    items = LinkedList([1, 2, 3])
    middle = items.head.next
    items.reverse()
    assert items.head.next is middle


def test_remove_after_reverse():
    items = LinkedList([1, 2, 3])
    items.reverse()
    assert items.remove(1)
    items.append(9)
    assert list(items) == [3, 2, 9]


def test_remove_only_node():
    items = LinkedList([5])
    assert items.remove(5)
    assert list(items) == []
    items.append(6)
    assert list(items) == [6]
    assert items.head is items.tail


def test_append_after_removing_from_the_middle():
    items = LinkedList([1, 2, 3])
    items.remove(2)
    items.append(4)
    assert list(items) == [1, 3, 4]


def test_remove_first_of_equals():
    items = LinkedList([1, 2, 1])
    items.remove(1)
    assert list(items) == [2, 1]


def test_iterating_twice():
    items = LinkedList([4, 4])
    assert list(items) == list(items) == [4, 4]
