import pytest
from program import CycleError, order


def test_independent():
    assert order({"a": [], "b": []}) == ["a", "b"]


def test_chain():
    assert order({"deploy": ["build"], "build": ["fetch"]}) == ["fetch", "build", "deploy"]


def test_diamond():
    result = order({"d": ["b", "c"], "b": ["a"], "c": ["a"]})
    assert result == ["a", "b", "c", "d"]


def test_cycle():
    with pytest.raises(CycleError):
        order({"a": ["b"], "b": ["a"]})
