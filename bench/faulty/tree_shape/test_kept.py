import pytest
from program import Tree, build, height, is_balanced, paths


@pytest.mark.parametrize("size", range(40))
def test_height_of_a_balanced_tree(size):
    assert height(build(list(range(size)))) == size.bit_length()


def test_single_node():
    assert height(Tree(7)) == 1
    assert is_balanced(Tree(7))


def test_zigzag():
    tree = Tree(1, None, Tree(2, Tree(3, None, Tree(4))))
    assert height(tree) == 4
    assert not is_balanced(tree)


def test_longer_side_counts():
    assert height(Tree(0, Tree(1), Tree(2, None, Tree(3)))) == 3
    assert height(Tree(0, Tree(2, None, Tree(3)), Tree(1))) == 3


def test_unbalanced_deep_inside():
    deep = Tree(1, Tree(2, Tree(3)))
    other = Tree(9, Tree(8, Tree(7)), Tree(10))
    assert is_balanced(other)
    assert not is_balanced(Tree(0, deep, other))
    assert not is_balanced(Tree(0, other, deep))


def test_difference_of_one_is_balanced():
    assert is_balanced(Tree(1, Tree(2)))
    assert is_balanced(Tree(1, Tree(2, Tree(3)), Tree(4)))


def test_falsy_values_are_nodes():
    assert height(Tree(0, Tree(0))) == 2
    assert paths(Tree(0)) == [[0]]


def test_paths_of_a_built_tree():
    assert paths(build([1, 2, 3, 4])) == [[3, 2, 1], [3, 4]]
    assert paths(None) == []
