def flatten(items, depth=None):
    """Flatten nested lists and tuples; strings count as items.

    With a depth, only that many levels are opened.
    """
    result = []
    for item in items:
        if isinstance(item, (list, tuple)) and depth != 0:
            deeper = None if depth is None else depth - 1
            result.append(flatten(item, deeper))
        else:
            result.append(item)
    return result


def max_depth(items):
    deepest = 0
    for item in items:
        if isinstance(item, (list, tuple)):
            deepest = max(deepest, max_depth(item))
    return deepest + 1


def unflatten(items, sizes):
    """Cut a flat list into consecutive lists of the given sizes."""
    if sum(sizes) != len(items):
        raise ValueError("sizes do not add up")
    result, start = [], 0
    for size in sizes:
        result.append(items[start : start + size])
        start += size
    return result
