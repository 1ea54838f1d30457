def majority(values):
    """Return the value that fills more than half of the list, or None."""
    candidate, lead = None, 0
    for value in values:
        if lead == 0:
            candidate, lead = value, 1
        elif value is candidate:
            lead += 1
        else:
            lead -= 1
    if lead and 2 * values.count(candidate) > len(values):
        return candidate
    return None


def runs(values):
    """Yield (value, length) for each run of equal neighbours."""
    values = iter(values)
    try:
        current = next(values)
    except StopIteration:
        return
    length = 1
    for value in values:
        if value == current:
            length += 1
        else:
            yield current, length
            current, length = value, 1
    yield current, length


def mode(values):
    """Return the most frequent values in the order of first appearance."""
    counts = {}
    for value in values:
        counts[value] = counts.get(value, 0) + 1
    most = max(counts.values(), default=0)
    return [value for value, count in counts.items() if count == most]
