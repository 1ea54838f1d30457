import pytest
from program import Paginator


def test_page_count():
    assert Paginator(range(25), 10).page_count == 3
    assert Paginator(range(20), 10).page_count == 2


def test_last_page():
    page = Paginator(range(25), 10).page(3)
    assert page.items == [20, 21, 22, 23, 24]
    assert page.has_previous
    assert not page.has_next


def test_first_page():
    page = Paginator("abcd", 2).page(1)
    assert page.items == ["a", "b"]
    assert not page.has_previous
    assert page.has_next


def test_out_of_range():
    with pytest.raises(IndexError):
        Paginator([1, 2, 3], 2).page(0)


def test_window():
    assert Paginator(range(95), 10).window(5) == [1, None, 4, 5, 6, None, 10]
