from program import LinkedList


def test_append():
    assert list(LinkedList([1, 2, 3])) == [1, 2, 3]


def test_remove():
    items = LinkedList("abc")
    assert items.remove("b")
    assert not items.remove("z")
    assert list(items) == ["a", "c"]


def test_reverse():
    items = LinkedList([1, 2, 3])
    items.reverse()
    assert list(items) == [3, 2, 1]


def test_append_after_reverse():
    items = LinkedList([1, 2])
    items.reverse()
    items.append(0)
    assert list(items) == [2, 1, 0]
