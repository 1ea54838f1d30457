class Bin:
    def __init__(self, capacity):
        self.capacity = capacity
        self.items = []

    @property
    def free(self):
        return self.capacity - sum(self.items)

    def add(self, size):
        if size > self.free:
            raise ValueError("does not fit")
        self.items.append(size)


def first_fit(sizes, capacity):
    """Put each item into the first bin that has room for it."""
    bins = []
    for size in sizes:
        if size > capacity:
            raise ValueError(f"an item of size {size} fits into no bin of {capacity}")
        for candidate in bins:
            if candidate.free >= size:
                candidate.add(size)
        else:
            fresh = Bin(capacity)
            fresh.add(size)
            bins.append(fresh)
    return [bin.items for bin in bins]


def first_fit_decreasing(sizes, capacity):
    return first_fit(sorted(sizes, reverse=True), capacity)


def lower_bound(sizes, capacity):
    """Return a number of bins that no packing can go below."""
    return -(-sum(sizes) // capacity)
