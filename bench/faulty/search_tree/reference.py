class _Node:
    def __init__(self, key, value):
        self.key = key
        self.value = value
        self.left = None
        self.right = None


class SearchTree:
    """A map with ordered keys, kept as an unbalanced binary search tree."""

    def __init__(self):
        self._root = None
        self._count = 0

    def __len__(self):
        return self._count

    def insert(self, key, value):
        if self._root is None:
            self._root = _Node(key, value)
            self._count = 1
            return
        node = self._root
        while node.key != key:
            side = "left" if key < node.key else "right"
            child = getattr(node, side)
            if child is None:
                child = _Node(key, value)
                setattr(node, side, child)
                self._count += 1
            node = child
        node.value = value

    def get(self, key):
        return self._get(self._root, key)

    def _get(self, node, key):
        if node is None:
            raise KeyError(key)
        if key == node.key:
            return node.value
        if key < node.key:
            return self._get(node.left, key)
        return self._get(node.right, key)

    def items(self):
        yield from self._items(self._root)

    def _items(self, node):
        if node is not None:
            yield from self._items(node.left)
            yield node.key, node.value
            yield from self._items(node.right)

    def floor(self, key):
        """Return the largest key that is not above the given one, or None."""
        best, node = None, self._root
        while node is not None:
            if node.key <= key:
                best, node = node.key, node.right
            else:
                node = node.left
        return best
