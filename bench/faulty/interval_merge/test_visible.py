from program import gaps, merge, total_length


def test_overlap():
    assert merge([(1, 3), (2, 6), (8, 10)]) == [(1, 6), (8, 10)]


def test_touching():
    assert merge([(1, 4), (4, 5)]) == [(1, 5)]


def test_nested():
    assert merge([(1, 10), (2, 3)]) == [(1, 10)]


def test_total_length():
    assert total_length([(0, 2), (1, 5), (7, 8)]) == 6


def test_gaps():
    assert gaps([(0, 2), (5, 6), (2, 3)]) == [(3, 5)]
