import pytest
from program import Booking, Clash, Room


def test_overlap_is_refused():
    room = Room()
    room.book("standup", 540, 560)
    with pytest.raises(Clash):
        room.book("review", 550, 600)


def test_back_to_back_is_fine():
    room = Room()
    room.book("a", 540, 600)
    room.book("b", 600, 660)
    room.book("c", 480, 540)
    assert [b.title for b in room.bookings] == ["c", "a", "b"]


def test_first_gap():
    room = Room()
    assert room.first_gap(30) == 480


def test_end_before_start():
    with pytest.raises(ValueError):
        Booking("x", 10, 10)
