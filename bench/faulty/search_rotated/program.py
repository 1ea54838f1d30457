from typing import Sequence


def rotation_point(items: Sequence[int]) -> int:
    """Index of the smallest item of a sorted list that was rotated."""
    low, high = 0, len(items) - 1
    while low < high:
        middle = (low + high) // 2
        if items[middle] > items[high]:
            low = middle
        else:
            high = middle
    return low


def find(items: Sequence[int], wanted: int) -> int:
    """Index of wanted in a rotated list of distinct items, or -1."""
    if not items:
        return -1
    shift = rotation_point(items)
    low, high = 0, len(items) - 1
    while low <= high:
        middle = (low + high) // 2
        real = (middle + shift) % len(items)
        if items[real] == wanted:
            return real
        if items[real] < wanted:
            low = middle + 1
        else:
            high = middle - 1
    return -1
