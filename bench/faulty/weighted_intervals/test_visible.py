from program import Booking, best_value, most_bookings


def test_nothing():
    assert best_value([]) == 0


def test_disjoint():
    assert best_value([Booking(0, 1, 5), Booking(1, 2, 6)]) == 11


def test_long_and_valuable():
    assert best_value([Booking(0, 2, 1), Booking(1, 5, 10), Booking(5, 6, 2)]) == 12


def test_short_ones_together():
    assert best_value([Booking(0, 3, 5), Booking(3, 6, 5), Booking(0, 6, 9)]) == 10


def test_count():
    assert most_bookings([Booking(0, 9, 50), Booking(0, 3, 1), Booking(4, 8, 1)]) == 2
