from program import all_paths, count_paths, longest_path, nodes_on_paths

GRAPH = {"a": ["b", "c"], "b": ["d"], "c": ["d", "e"], "d": ["f"], "e": ["f"]}


def test_all_paths():
    assert all_paths(GRAPH, "a", "d") == [["a", "b", "d"], ["a", "c", "d"]]


def test_longest():
    assert longest_path({"a": ["b", "c"], "b": ["c"]}, "a", "c") == ["a", "b", "c"]
    assert longest_path(GRAPH, "f", "a") == []


def test_nodes():
    assert nodes_on_paths(GRAPH, "b", "f") == ["b", "d", "f"]


def test_nodes_of_another_pair():
    assert nodes_on_paths(GRAPH, "c", "e") == ["c", "e"]


def test_nodes_added_to_a_list():
    assert nodes_on_paths(GRAPH, "e", "f", ["x"]) == ["x", "e", "f"]


def test_count():
    assert count_paths(GRAPH, "a", "f") == 3
    assert count_paths(GRAPH, "f", "a") == 0
