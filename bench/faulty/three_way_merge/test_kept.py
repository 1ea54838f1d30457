import pytest
from program import Conflict, merge


@pytest.mark.parametrize(
    "base, ours, theirs, merged, conflicts",
    [
        ({}, {}, {}, {}, []),
        ({"a": 1}, {"a": 2}, {"a": 1}, {"a": 2}, []),
        ({"a": 1}, {"a": 2}, {"a": 2}, {"a": 2}, []),
        ({"a": 1}, {}, {}, {}, []),
        ({"a": 1}, {"a": 1}, {}, {}, []),
        ({"a": 1}, {}, {"a": 2}, {}, [Conflict("a", None, 2)]),
        ({"a": 1}, {"a": 2}, {}, {"a": 2}, [Conflict("a", 2, None)]),
        ({}, {"a": 1}, {"a": 2}, {"a": 1}, [Conflict("a", 1, 2)]),
        ({}, {"a": 1}, {"a": 1}, {"a": 1}, []),
        ({}, {"a": {"x": 1}}, {"a": {"y": 2}}, {"a": {"x": 1, "y": 2}}, []),
        ({"a": {"x": 1}}, {"a": {}}, {"a": {"x": 1, "y": 2}}, {"a": {"y": 2}}, []),
        ({"a": {"x": 1}}, {"a": {"x": 1}}, {"a": 5}, {"a": 5}, []),
        ({"a": {"x": 1}}, {"a": {"x": 2}}, {"a": 5}, {"a": {"x": 2}}, [Conflict("a", {"x": 2}, 5)]),
        ({"a": 5}, {"a": {"x": 1}}, {"a": {"x": 2}}, {"a": {"x": 1}}, [Conflict("a.x", 1, 2)]),
    ],
)
def test_merge(base, ours, theirs, merged, conflicts):
    assert merge(base, ours, theirs) == (merged, conflicts)


def test_deep_path():
    base = {"a": {"b": {"c": 0, "d": 0}}}
    ours = {"a": {"b": {"c": 1, "d": 1}}}
    theirs = {"a": {"b": {"c": 2, "d": 0}}}
    assert merge(base, ours, theirs) == ({"a": {"b": {"c": 1, "d": 1}}}, [Conflict("a.b.c", 1, 2)])


def test_conflicts_are_sorted():
    merged, conflicts = merge({}, {"z": 1, "a": 1, "m": {"q": 1}}, {"m": {"q": 2}, "z": 2, "a": 2})
    assert [c.path for c in conflicts] == ["a", "m.q", "z"]
    assert merged == {"a": 1, "m": {"q": 1}, "z": 1}


def test_arguments_stay():
    base, ours, theirs = {"a": {"x": 1}}, {"a": {"x": 2}}, {"a": {"x": 1, "y": 3}}
    merge(base, ours, theirs)
    assert (base, ours, theirs) == ({"a": {"x": 1}}, {"a": {"x": 2}}, {"a": {"x": 1, "y": 3}})


def test_conflict_fields():
    (conflict,) = merge({"a": 1}, {"a": 2}, {})[1]
    assert (conflict.path, conflict.ours, conflict.theirs) == ("a", 2, None)
    assert repr(conflict) == "Conflict('a', 2, None)"
