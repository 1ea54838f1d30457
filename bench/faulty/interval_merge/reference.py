"""Operations on closed integer intervals, kept as (start, end) tuples."""


def merge(intervals):
    """Return the union of the intervals as sorted, disjoint intervals."""
    merged = []
    for start, end in sorted(intervals):
        if merged and start <= merged[-1][1]:
            last_start, last_end = merged[-1]
            merged[-1] = (last_start, max(last_end, end))
        else:
            merged.append((start, end))
    return merged


def total_length(intervals):
    return sum(end - start for start, end in merge(intervals))


def gaps(intervals):
    """Return the open stretches between the merged intervals."""
    merged = merge(intervals)
    return [(left[1], right[0]) for left, right in zip(merged, merged[1:])]
