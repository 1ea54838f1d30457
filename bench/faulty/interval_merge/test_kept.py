import pytest
from program import gaps, merge, total_length


@pytest.mark.parametrize(
    ("intervals", "expected"),
    [
        ([], []),
        ([(5, 7)], [(5, 7)]),
        ([(6, 8), (1, 2)], [(1, 2), (6, 8)]),
        ([(1, 2), (3, 4)], [(1, 2), (3, 4)]),
        ([(1, 2), (2, 3), (3, 4)], [(1, 4)]),
        ([(3, 3), (3, 3)], [(3, 3)]),
        ([(0, 0), (0, 5), (5, 5)], [(0, 5)]),
        ([(-4, -1), (-1, 0), (2, 3)], [(-4, 0), (2, 3)]),
        ([(1, 9), (2, 4), (9, 9), (10, 12)], [(1, 9), (10, 12)]),
    ],
)
def test_merge(intervals, expected):
    assert merge(intervals) == expected


def test_input_is_left_alone():
    data = [(4, 6), (1, 4)]
    assert merge(data) == [(1, 6)]
    assert data == [(4, 6), (1, 4)]


def test_no_gap_at_a_shared_point():
    assert gaps([(0, 1), (1, 2)]) == []
    assert gaps([(0, 1), (2, 2), (4, 5)]) == [(1, 2), (2, 4)]


def test_length_counts_overlap_once():
    assert total_length([(0, 4), (4, 6), (5, 5)]) == 6
    assert total_length([]) == 0
