import pytest
from program import Peekable, group_while, merge


def test_next_after_peek():
    items = Peekable("xyz")
    assert (items.peek(), next(items), items.peek(), next(items), next(items)) == ("x", "x", "y", "y", "z")
    with pytest.raises(StopIteration):
        next(items)


def test_peeking_twice_takes_one():
    source = iter(range(5))
    items = Peekable(source)
    items.peek()
    items.peek()
    assert next(source) == 1


def test_default_is_not_kept():
    items = Peekable([])
    assert items.peek("none") == "none"
    assert list(items) == []


def test_lookup_error_again_and_again():
    items = Peekable([1])
    next(items)
    for _ in range(3):
        with pytest.raises(LookupError, match="nothing"):
            items.peek()


def test_none_and_false_are_items():
    items = Peekable([None, False])
    assert items
    assert items.peek(5) is None
    assert list(items) == [None, False]


def test_errors_of_the_source_are_passed_on():
    def broken():
        yield 1
        raise IndexError("broken source")

    items = Peekable(broken())
    assert next(items) == 1
    with pytest.raises(IndexError, match="broken source"):
        items.peek("default")


def test_merge_is_stable():
    assert list(merge([1.0, 2.0], [1, 2])) == [1, 1, 2, 2]
    assert [type(x) for x in merge([1.0, 2.0], [1, 2])] == [float, int, float, int]


@pytest.mark.parametrize(("left", "right"), [([], []), ([1], []), ([], [1]), ([1, 2], [3]), ([5], [1, 2])])
def test_merge_sorts(left, right):
    assert list(merge(left, right)) == sorted(left + right)


def test_groups():
    assert list(group_while([], lambda a, b: True)) == []
    assert list(group_while([3], lambda a, b: True)) == [[3]]
    assert list(group_while("aab", lambda a, b: a == b)) == [["a", "a"], ["b"]]
