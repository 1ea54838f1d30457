import pytest
from program import flatten, max_depth, unflatten


@pytest.mark.parametrize(
    ("items", "depth", "expected"),
    [
        ([], None, []),
        ([[]], None, []),
        ([[], [[]], [[], []]], None, []),
        (["ab", ["cd"]], None, ["ab", "cd"]),
        ([[1, [2, [3, [4]]]]], 0, [[1, [2, [3, [4]]]]]),
        ([[1, [2, [3, [4]]]]], 1, [1, [2, [3, [4]]]]),
        ([[1, [2, [3, [4]]]]], 2, [1, 2, [3, [4]]]),
        ([[1, [2, [3, [4]]]]], 9, [1, 2, 3, 4]),
        (((1, 2), (3,)), None, [1, 2, 3]),
        ([[1, (2,)], 3], 1, [1, (2,), 3]),
        ([{1: [2]}, [None]], None, [{1: [2]}, None]),
    ],
)
def test_flatten(items, depth, expected):
    assert flatten(items, depth) == expected


def test_result_is_a_new_list():
    data = [1, 2]
    assert flatten(data) is not data


def test_input_is_left_alone():
    data = [1, [2, [3]]]
    flatten(data)
    assert data == [1, [2, [3]]]


def test_max_depth():
    assert max_depth([]) == 1
    assert max_depth([[[]], [1]]) == 3
    assert max_depth((1, (2,))) == 2


def test_unflatten_undoes_flatten():
    parts = [[1, 2], [], [3], [4, 5, 6]]
    assert unflatten(flatten(parts), [len(part) for part in parts]) == parts


def test_bad_sizes():
    for sizes in ([1], [1, 2, 3], []):
        with pytest.raises(ValueError):
            unflatten([1, 2], sizes)
