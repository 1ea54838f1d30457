from program import DisjointSets, spanning_forest


def test_union_joins():
    sets = DisjointSets(4)
    assert sets.union(0, 1)
    assert not sets.union(1, 0)
    assert sets.find(0) == sets.find(1)
    assert sets.n_sets == 3


def test_size_grows():
    sets = DisjointSets(5)
    sets.union(0, 1)
    sets.union(2, 3)
    sets.union(0, 3)
    assert sets.size_of(2) == 4
    assert sets.size_of(4) == 1


def test_size_of_a_chain():
    sets = DisjointSets(4)
    sets.union(0, 1)
    sets.union(1, 2)
    sets.union(3, 2)
    assert [sets.size_of(n) for n in range(4)] == [4, 4, 4, 4]


def test_forest():
    edges = [(4, 0, 1), (1, 1, 2), (2, 0, 2), (7, 3, 4)]
    assert spanning_forest(5, edges) == (10, 2)
