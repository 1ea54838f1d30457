import pytest
from program import Heap


def test_single():
    heap = Heap([4])
    assert heap.pop() == 4
    assert len(heap) == 0


def test_pop_empty():
    with pytest.raises(IndexError):
        Heap().pop()


def test_push_keeps_the_smallest_on_top():
    heap = Heap([5, 3, 8])
    heap.push(1)
    assert heap.items[0] == 1


def test_sorts():
    assert list(Heap([5, 2, 9, 1, 7, 3]).drain()) == [1, 2, 3, 5, 7, 9]


def test_key():
    heap = Heap(["pear", "fig", "banana"], key=len)
    assert heap.pop() == "fig"
