import pytest
from program import Booking, Clash, Room


@pytest.mark.parametrize(
    "first, second, overlap",
    [
        ((0, 10), (10, 20), False),
        ((0, 10), (9, 20), True),
        ((0, 10), (0, 10), True),
        ((0, 10), (2, 3), True),
        ((0, 10), (15, 20), False),
        ((0, 10), (0, 1), True),
        ((0, 10), (9, 10), True),
    ],
)
def test_overlaps_both_ways(first, second, overlap):
    a, b = Booking("a", *first), Booking("b", *second)
    assert a.overlaps(b) is overlap
    assert b.overlaps(a) is overlap


def test_clash_tells_with_what():
    room = Room()
    room.book("early", 480, 500)
    late = room.book("late", 900, 950)
    with pytest.raises(Clash) as caught:
        room.book("x", 940, 990)
    assert caught.value.existing is late
    assert str(caught.value) == "x (940-990) overlaps late (900-950)"
    assert len(room.bookings) == 2


def test_gap_between():
    room = Room()
    room.book("a", 480, 540)
    room.book("c", 700, 800)
    room.book("b", 560, 600)
    assert room.first_gap(20) == 540
    assert room.first_gap(21) == 600
    assert room.first_gap(100) == 600
    assert room.first_gap(101) == 800
    assert room.first_gap(280) == 800
    assert room.first_gap(281) is None


def test_full_room():
    room = Room(0, 100)
    room.book("all", 0, 100)
    assert room.first_gap(1) is None


def test_gap_at_start():
    room = Room()
    room.book("a", 510, 600)
    assert room.first_gap(30) == 480
    assert room.first_gap(31) == 600


@pytest.mark.parametrize("start, end", [(479, 500), (1000, 1081), (10, 20)])
def test_closed(start, end):
    with pytest.raises(ValueError):
        Room().book("x", start, end)


def test_covering_booking_clashes():
    room = Room()
    room.book("inner", 600, 610)
    with pytest.raises(Clash):
        room.book("outer", 500, 700)
