from bisect import bisect_right
from typing import NamedTuple


class Booking(NamedTuple):
    start: int
    end: int
    value: int


def best_value(bookings):
    """Return the largest total value of bookings that do not overlap.

    One booking may start at the moment when another ends.
    """
    ordered = sorted(bookings, key=lambda booking: booking.end)
    ends = [booking.end for booking in ordered]
    best = [0]
    for index, booking in enumerate(ordered):
        before = bisect_right(ends, booking.start, 0, index)
        best.append(max(best[-1], best[before] + booking.value))
    return best[-1]


def most_bookings(bookings):
    """Return how many bookings can be taken when the values do not matter."""
    return best_value([booking._replace(value=1) for booking in bookings])
