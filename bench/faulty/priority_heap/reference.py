class Heap:
    """A binary min-heap of items, with an optional key function."""

    def __init__(self, items=(), key=lambda item: item):
        self.key = key
        self.items = []
        for item in items:
            self.push(item)

    def __len__(self):
        return len(self.items)

    def _less(self, i, j):
        return self.key(self.items[i]) < self.key(self.items[j])

    def _swap(self, i, j):
        self.items[i], self.items[j] = self.items[j], self.items[i]

    def push(self, item):
        self.items.append(item)
        child = len(self.items) - 1
        while child > 0:
            parent = (child - 1) // 2
            if not self._less(child, parent):
                break
            self._swap(child, parent)
            child = parent

    def pop(self):
        if not self.items:
            raise IndexError("pop from an empty heap")
        self._swap(0, len(self.items) - 1)
        smallest = self.items.pop()
        self._sink(0)
        return smallest

    def _sink(self, parent):
        size = len(self.items)
        while True:
            least = parent
            for child in (2 * parent + 1, 2 * parent + 2):
                if child < size and self._less(child, least):
                    least = child
            if least == parent:
                return
            self._swap(parent, least)
            parent = least

    def drain(self):
        while self.items:
            yield self.pop()
