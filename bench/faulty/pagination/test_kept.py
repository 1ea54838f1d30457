import pytest
from program import Paginator


@pytest.mark.parametrize(
    "n_items, per_page, count", [(0, 10, 1), (1, 10, 1), (9, 10, 1), (10, 10, 1), (11, 10, 2), (7, 1, 7), (100, 7, 15)]
)
def test_page_count(n_items, per_page, count):
    paginator = Paginator(range(n_items), per_page)
    assert paginator.page_count == count
    assert isinstance(paginator.page_count, int)


@pytest.mark.parametrize("n_items", [1, 5, 6, 7, 12, 13])
def test_pages_hold_everything(n_items):
    paginator = Paginator(range(n_items), 6)
    pages = [paginator.page(n) for n in range(1, paginator.page_count + 1)]
    assert [item for page in pages for item in page.items] == list(range(n_items))
    assert [page.has_next for page in pages] == [True] * (len(pages) - 1) + [False]
    assert all(page.items for page in pages)


def test_empty():
    page = Paginator([]).page(1)
    assert page.items == []
    assert not page.has_next
    assert not page.has_previous


@pytest.mark.parametrize("number", [-1, 0, 4])
def test_out_of_range(number):
    with pytest.raises(IndexError, match="of 3"):
        Paginator(range(21), 9).page(number)


def test_window_without_gaps():
    assert Paginator(range(4), 1).window(2) == [1, 2, 3, 4]
    assert Paginator([], 5).window(1) == [1]


def test_window_at_ends():
    paginator = Paginator(range(19), 2)
    assert paginator.window(1) == [1, 2, None, 10]
    assert paginator.window(10, around=2) == [1, None, 8, 9, 10]


def test_bad_size():
    with pytest.raises(ValueError):
        Paginator([], 0)


def test_default_size():
    assert [len(Paginator(range(30)).page(n).items) for n in (1, 2, 3)] == [10, 10, 10]
    assert Paginator(range(31)).page_count == 4


def test_middle_page():
    page = Paginator(range(30)).page(2)
    assert (page.has_previous, page.has_next) == (True, True)


def test_gap_of_one_page():
    assert Paginator(range(9), 1).window(4) == [1, None, 3, 4, 5, None, 9]
