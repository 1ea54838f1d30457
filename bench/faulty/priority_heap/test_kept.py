import pytest
from program import Heap


def in_order(items, key=lambda item: item):
    return all(
        not key(items[child]) < key(items[(child - 1) // 2]) for child in range(1, len(items))
    )


def test_sorting_many_lists():
    for seed in range(1, 80):
        data = [(seed * k * k + 7 * k) % 23 for k in range(seed % 20)]
        assert list(Heap(data).drain()) == sorted(data)


def test_shape_after_every_step():
    heap = Heap()
    for k in range(40):
        heap.push((k * 17) % 41)
        assert in_order(heap.items)
    while heap:
        heap.pop()
        assert in_order(heap.items)


@pytest.mark.parametrize("size", range(1, 9))
def test_descending_and_ascending_input(size):
    assert list(Heap(range(size)).drain()) == list(range(size))
    assert list(Heap(range(size, 0, -1)).drain()) == list(range(1, size + 1))


def test_pushing_between_pops():
    heap = Heap([6, 4])
    assert heap.pop() == 4
    heap.push(9)
    heap.push(1)
    assert [heap.pop(), heap.pop(), heap.pop()] == [1, 6, 9]


def test_key_reverses():
    assert list(Heap([3, 1, 2], key=lambda n: -n).drain()) == [3, 2, 1]


def test_equal_items():
    assert list(Heap([2, 2, 1, 2, 1]).drain()) == [1, 1, 2, 2, 2]


def test_length():
    heap = Heap("hello")
    assert len(heap) == 5
    heap.pop()
    assert len(heap) == 4


def test_empty_after_draining():
    heap = Heap([1, 2, 3])
    list(heap.drain())
    with pytest.raises(IndexError):
        heap.pop()
