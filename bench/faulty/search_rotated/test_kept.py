from program import find, rotation_point


def rotations(size):
    base = [7 * n - 10 for n in range(size)]
    return [base[k:] + base[:k] for k in range(size)]


def test_point_of_every_rotation():
    for size in range(1, 12):
        for items in rotations(size):
            assert rotation_point(items) == items.index(min(items))


def test_every_item_is_found():
    for size in range(1, 12):
        for items in rotations(size):
            for index, item in enumerate(items):
                assert find(items, item) == index


def test_absent_items():
    for size in range(1, 9):
        for items in rotations(size):
            for item in items:
                assert find(items, item + 1) == -1
            assert find(items, min(items) - 5) == -1
            assert find(items, max(items) + 5) == -1


def test_one():
    assert find([3], 3) == 0
    assert find([3], 4) == -1


def test_two():
    assert rotation_point([2, 1]) == 1
    assert find([2, 1], 1) == 1


def test_tuple():
    assert find((5, 1, 3), 1) == 1
