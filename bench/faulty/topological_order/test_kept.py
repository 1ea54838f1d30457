import pytest
from program import CycleError, order


def test_nothing():
    assert order({}) == []


def test_unlisted_needs_are_tasks_too():
    assert order({"x": ["y"]}) == ["y", "x"]


def test_each_task_once():
    graph = {"a": ["b", "c", "d"], "b": ["d"], "c": ["d", "b"], "e": []}
    result = order(graph)
    assert sorted(result) == list("abcde")


def test_needs_come_first():
    graph = {n: [m for m in range(1, n) if n % m == 0] for n in range(1, 40)}
    result = order(graph)
    place = {task: i for i, task in enumerate(result)}
    assert len(place) == len(result) == 39
    for task, needs in graph.items():
        assert all(place[need] < place[task] for need in needs)


def test_ties_keep_the_given_order():
    assert order({"z": [], "m": ["z"], "a": ["z"], "k": []}) == ["z", "k", "m", "a"]


def test_a_repeated_need_counts_once_for_each_time():
    assert order({"b": ["a", "a"]}) == ["a", "b"]


def test_self_cycle():
    with pytest.raises(CycleError, match="a$"):
        order({"a": ["a"], "b": []})


def test_cycle_names_only_stuck_tasks():
    with pytest.raises(CycleError) as caught:
        order({"free": [], "b": ["c", "free"], "c": ["b"], "after": ["c"]})
    assert str(caught.value) == "cycle through some of: after, b, c"


def test_cycle_error_is_a_value_error():
    with pytest.raises(ValueError):
        order({"p": ["q"], "q": ["r"], "r": ["p"]})
