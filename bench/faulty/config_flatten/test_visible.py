import pytest
from program import difference, flatten, unflatten


def test_nested():
    assert flatten({"a": {"b": 1, "c": {"d": 2}}, "e": 3}) == {"a.b": 1, "a.c.d": 2, "e": 3}


def test_empty_inner_dictionary_stays():
    assert flatten({"a": {}}) == {"a": {}}


def test_unflatten():
    assert unflatten({"a.b": 1, "a.c": 2, "d": 3}) == {"a": {"b": 1, "c": 2}, "d": 3}


def test_conflict():
    with pytest.raises(ValueError):
        unflatten({"a": 1, "a.b": 2})


def test_difference():
    assert difference({"a": {"x": 1, "y": 2}}, {"a": {"x": 5}, "b": 0}) == (["b"], ["a.y"], ["a.x"])
