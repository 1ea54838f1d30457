from program import Tree, build, height, is_balanced, paths


def test_build():
    tree = build([1, 2, 3])
    assert (tree.value, tree.left.value, tree.right.value) == (2, 1, 3)


def test_paths():
    assert paths(Tree(1, Tree(2), Tree(3, Tree(4)))) == [[1, 2], [1, 3, 4]]


def test_empty():
    assert height(None) == 0
    assert is_balanced(None)


def test_height():
    assert height(Tree(1, Tree(2, Tree(3)))) == 3


def test_balance():
    assert is_balanced(build(list(range(10))))
    assert not is_balanced(Tree(1, Tree(2, Tree(3))))
