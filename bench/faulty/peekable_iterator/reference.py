_NOTHING = object()


class Peekable:
    """An iterator that can show its next item without taking it."""

    def __init__(self, iterable):
        self._iterator = iter(iterable)
        self._buffer = []

    def __iter__(self):
        return self

    def __next__(self):
        if self._buffer:
            return self._buffer.pop()
        return next(self._iterator)

    def peek(self, default=_NOTHING):
        if not self._buffer:
            try:
                self._buffer.append(next(self._iterator))
            except StopIteration:
                if default is _NOTHING:
                    raise LookupError("nothing to peek at") from None
                return default
        return self._buffer[-1]

    def __bool__(self):
        return self.peek(_END) is not _END


_END = object()


def merge(left, right):
    """Yield the items of two sorted iterables in order."""
    left, right = Peekable(left), Peekable(right)
    while left and right:
        yield next(left) if left.peek() <= right.peek() else next(right)
    yield from left
    yield from right


def group_while(items, together):
    """Yield lists of neighbours for which together(previous, next) holds."""
    items = Peekable(items)
    while items:
        group = [next(items)]
        while items and together(group[-1], items.peek()):
            group.append(next(items))
        yield group
