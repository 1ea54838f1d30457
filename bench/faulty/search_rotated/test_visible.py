from program import find, rotation_point


def test_sorted_list_has_no_rotation():
    assert rotation_point([1, 2, 3, 4]) == 0


def test_missing():
    assert find([1, 3, 5], 4) == -1
    assert find([], 4) == -1


def test_rotated():
    assert rotation_point([4, 5, 6, 1, 2]) == 3


def test_find_in_rotated():
    data = [30, 40, 50, 10, 20]
    assert [find(data, item) for item in data] == [0, 1, 2, 3, 4]
