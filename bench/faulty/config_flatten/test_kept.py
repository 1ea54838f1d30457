import pytest
from program import difference, flatten, unflatten

CASES = [
    {},
    {"a": 1},
    {"a": None},
    {"a": []},
    {"a": {"b": {"c": {"d": {"e": "deep"}}}}},
    {"a": {"b": {}}, "c": {"d": [1, {"x": 2}]}},
    {"on": False, "n": 0, "text": "", "inner": {"z": 0.0}},
]


@pytest.mark.parametrize("nested", CASES)
def test_round_trip(nested):
    assert unflatten(flatten(nested)) == nested


def test_deep_path():
    assert flatten(CASES[4]) == {"a.b.c.d.e": "deep"}


def test_top_level_empty():
    assert flatten({}) == {}


def test_lists_are_values():
    assert flatten({"a": {"b": [1, 2]}}) == {"a.b": [1, 2]}


def test_falsy_values():
    assert flatten({"a": {"b": None, "c": 0, "d": {}}}) == {"a.b": None, "a.c": 0, "a.d": {}}


def test_plain_value_with_prefix():
    assert flatten(5, "x") == {"x": 5}


def test_number_keys():
    assert flatten({1: {2: "x"}}) == {"1.2": "x"}


def test_prefix():
    assert flatten({"a": 1}, "root") == {"root.a": 1}


def test_difference_edges():
    assert difference({}, {}) == ([], [], [])
    assert difference({"a": 1}, {"a": {"b": 1}}) == (["a.b"], ["a"], [])
    assert difference({"a": {"b": 1}}, {"a": {"b": 1}}) == ([], [], [])
