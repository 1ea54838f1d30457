from program import all_paths, count_paths, longest_path, nodes_on_paths

DIAMONDS = {0: [1, 2], 1: [3], 2: [3], 3: [4, 5], 4: [6], 5: [6]}
LOOP = {"x": ["y"], "y": ["z", "x"], "z": ["x"]}


def test_calls_are_independent():
    for _ in range(3):
        assert nodes_on_paths(DIAMONDS, 0, 3) == [0, 1, 3, 2]
        assert nodes_on_paths(DIAMONDS, 3, 6) == [3, 4, 6, 5]


def test_result_may_be_changed():
    nodes_on_paths(LOOP, "x", "z").append("q")
    assert nodes_on_paths(LOOP, "x", "y") == ["x", "y"]


def test_given_list_is_extended_in_place():
    mine = [3]
    assert nodes_on_paths(DIAMONDS, 0, 3, mine) is mine
    assert mine == [3, 0, 1, 2]


def test_given_empty_list_is_extended_in_place():
    mine = []
    nodes_on_paths(LOOP, "y", "x", mine)
    assert mine == ["y", "z", "x"]


def test_no_path():
    assert nodes_on_paths(DIAMONDS, 6, 0) == []
    assert all_paths(DIAMONDS, 1, 2) == []
    assert longest_path(DIAMONDS, 1, 2) == []


def test_path_to_itself():
    assert all_paths(LOOP, "x", "x") == [["x"]]
    assert count_paths(DIAMONDS, 3, 3) == 1
    assert nodes_on_paths(LOOP, "y", "y") == ["y"]


def test_counts_agree_with_listing():
    for start in range(7):
        for end in range(7):
            assert count_paths(DIAMONDS, start, end) == len(all_paths(DIAMONDS, start, end))


def test_many_diamonds():
    graph = {}
    for n in range(0, 90, 3):
        graph |= {n: [n + 1, n + 2], n + 1: [n + 3], n + 2: [n + 3]}
    assert count_paths(graph, 0, 90) == 2**30


def test_double_edge_counts_twice():
    assert count_paths({1: [2, 2]}, 1, 2) == 2


def test_paths_in_a_loop():
    assert all_paths(LOOP, "y", "x") == [["y", "z", "x"], ["y", "x"]]
    assert longest_path(LOOP, "y", "x") == ["y", "z", "x"]
