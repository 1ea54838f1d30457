from program import DisjointSets, spanning_forest


def depth(sets, item):
    steps = 0
    while sets.parent[item] != item:
        item = sets.parent[item]
        steps += 1
    return steps


def test_sizes_in_a_chain():
    sets = DisjointSets(6)
    for n in range(5):
        sets.union(n, n + 1)
        assert sets.size_of(0) == n + 2
        assert sets.size_of(n + 1) == n + 2


def test_sizes_in_a_chain_from_the_end():
    sets = DisjointSets(6)
    for n in range(5, 0, -1):
        sets.union(n - 1, n)
        assert sets.size_of(5) == 7 - n


def test_sizes_of_all_roots_add_up():
    sets = DisjointSets(10)
    for a, b in [(0, 1), (2, 3), (1, 3), (5, 6), (9, 5), (6, 9)]:
        sets.union(a, b)
    roots = {sets.find(n) for n in range(10)}
    assert sum(sets.size[root] for root in roots) == 10
    assert len(roots) == sets.n_sets == 5


def test_the_small_tree_goes_below_the_big_one():
    sets = DisjointSets(5)
    sets.union(0, 1)
    sets.union(0, 2)
    root = sets.find(0)
    sets.union(3, 0)
    assert sets.find(3) == root
    sets.union(1, 4)
    assert sets.find(4) == root


def test_trees_stay_flat():
    sets = DisjointSets(64)
    step = 1
    while step < 64:
        for n in range(0, 64, 2 * step):
            sets.union(n, n + step)
        step *= 2
    assert max(depth(sets, n) for n in range(64)) <= 6
    assert sets.size_of(17) == 64


def test_refused_union_changes_nothing():
    sets = DisjointSets(3)
    sets.union(0, 1)
    before = (list(sets.size), sets.n_sets)
    assert sets.union(0, 1) is False
    assert sets.union(2, 2) is False
    assert (list(sets.size), sets.n_sets) == before


def test_forest_of_nothing():
    assert spanning_forest(3, []) == (0, 3)
    assert spanning_forest(0, []) == (0, 0)


def test_forest_takes_the_cheapest():
    edges = [(5, 0, 1), (3, 1, 2), (9, 2, 3), (1, 0, 2), (4, 1, 3), (2, 2, 2)]
    assert spanning_forest(4, edges) == (8, 1)
