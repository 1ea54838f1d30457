from itertools import combinations

import pytest
from program import Booking, best_value, most_bookings


def brute(bookings):
    best = 0
    for size in range(len(bookings) + 1):
        for chosen in combinations(sorted(bookings), size):
            if all(a.end <= b.start for a, b in zip(chosen, chosen[1:])):
                best = max(best, sum(booking.value for booking in chosen))
    return best


def make(seed):
    made = []
    for k in range(seed % 9):
        start = (seed * 3 + k * k * 5) % 12
        made.append(Booking(start, start + 1 + (seed + k * 7) % 5, 1 + (seed * k + 11 * k) % 19))
    return made


@pytest.mark.parametrize("seed", range(60))
def test_against_all_choices(seed):
    assert best_value(make(seed)) == brute(make(seed))


@pytest.mark.parametrize("seed", range(60))
def test_count_against_all_choices(seed):
    plain = [booking._replace(value=1) for booking in make(seed)]
    assert most_bookings(make(seed)) == brute(plain)


def test_one_big_beats_two_small():
    assert best_value([Booking(0, 2, 3), Booking(2, 4, 3), Booking(1, 3, 7)]) == 7


def test_two_small_beat_one_big():
    assert best_value([Booking(0, 2, 4), Booking(2, 4, 4), Booking(1, 3, 7)]) == 8


def test_same_time():
    assert best_value([Booking(1, 2, 3), Booking(1, 2, 8), Booking(1, 2, 5)]) == 8


def test_alternating_chain():
    chain = [Booking(k, k + 2, value) for k, value in enumerate([3, 5, 3, 5, 3])]
    assert best_value(chain) == 10
    assert most_bookings(chain) == 3
