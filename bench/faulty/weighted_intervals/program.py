from typing import NamedTuple


class Booking(NamedTuple):
    start: int
    end: int
    value: int


def best_value(bookings):
    """Return the largest total value of bookings that do not overlap.

    One booking may start at the moment when another ends.
    """
    total = 0
    free_from = None
    for booking in sorted(bookings, key=lambda booking: booking.end):
        if free_from is None or booking.start >= free_from:
            total += booking.value
            free_from = booking.end
    return total


def most_bookings(bookings):
    """Return how many bookings can be taken when the values do not matter."""
    return best_value([booking._replace(value=1) for booking in bookings])
