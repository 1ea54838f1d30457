from program import Conflict, merge


def test_no_change():
    assert merge({"a": 1}, {"a": 1}, {"a": 1}) == ({"a": 1}, [])


def test_both_add():
    assert merge({}, {"a": 1}, {"b": 2}) == ({"a": 1, "b": 2}, [])


def test_their_change_wins_over_no_change():
    assert merge({"a": 1}, {"a": 1}, {"a": 2}) == ({"a": 2}, [])


def test_removed_by_one_side():
    assert merge({"a": 1, "b": 2}, {"b": 2}, {"a": 1, "b": 2}) == ({"b": 2}, [])


def test_conflict():
    assert merge({"a": 1}, {"a": 2}, {"a": 3}) == ({"a": 2}, [Conflict("a", 2, 3)])


def test_nested():
    base = {"ui": {"font": 10, "theme": "light"}}
    ours = {"ui": {"font": 12, "theme": "light"}}
    theirs = {"ui": {"font": 10, "theme": "dark"}}
    assert merge(base, ours, theirs) == ({"ui": {"font": 12, "theme": "dark"}}, [])
