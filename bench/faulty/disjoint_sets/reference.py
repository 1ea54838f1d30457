class DisjointSets:
    """Union-find over the numbers 0 .. n-1, by size and with path halving."""

    def __init__(self, n: int) -> None:
        self.parent = list(range(n))
        self.size = [1] * n
        self.n_sets = n

    def find(self, item: int) -> int:
        while self.parent[item] != item:
            self.parent[item] = self.parent[self.parent[item]]
            item = self.parent[item]
        return item

    def union(self, a: int, b: int) -> bool:
        """Join two sets; tell whether they were apart before."""
        big, small = self.find(a), self.find(b)
        if big == small:
            return False
        if self.size[big] < self.size[small]:
            big, small = small, big
        self.parent[small] = big
        self.size[big] += self.size[small]
        self.n_sets -= 1
        return True

    def size_of(self, item: int) -> int:
        return self.size[self.find(item)]


def spanning_forest(n: int, edges: list[tuple[int, int, int]]) -> tuple[int, int]:
    """Return the weight of a minimum spanning forest and its number of trees.

    Edges are (weight, u, v).
    """
    sets = DisjointSets(n)
    total = 0
    for weight, u, v in sorted(edges):
        if sets.union(u, v):
            total += weight
    return total, sets.n_sets
