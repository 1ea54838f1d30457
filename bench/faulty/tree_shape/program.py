from dataclasses import dataclass


@dataclass
class Tree:
    value: int
    left: "Tree | None" = None
    right: "Tree | None" = None


def height(tree: Tree | None) -> int:
    """Return the number of nodes on the longest way down."""
    return 1 + max(height(tree.left), height(tree.right))


def is_balanced(tree: Tree | None) -> bool:
    """Tell whether the two sides of every node differ by at most one in height."""
    if tree is None:
        return True
    if abs(height(tree.left) - height(tree.right)) > 1:
        return False
    return is_balanced(tree.left) and is_balanced(tree.right)


def build(values: list[int]) -> Tree | None:
    """Build a balanced search tree from sorted values."""
    if not values:
        return None
    middle = len(values) // 2
    return Tree(values[middle], build(values[:middle]), build(values[middle + 1 :]))


def paths(tree: Tree | None) -> list[list[int]]:
    """Return the values on each way from the root to a leaf."""
    if tree is None:
        return []
    below = paths(tree.left) + paths(tree.right)
    return [[tree.value, *path] for path in below] or [[tree.value]]
