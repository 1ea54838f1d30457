from math import factorial


def nth_arrangement(letters, index):
    """Return the index-th distinct arrangement of the letters, in sorted order."""
    pool = sorted(letters)
    if not 0 <= index < factorial(len(pool)):
        raise IndexError(f"no arrangement {index}")
    result = []
    while pool:
        block = factorial(len(pool) - 1)
        place, index = divmod(index, block)
        result.append(pool.pop(place))
    return "".join(result)


def arrangement_index(word):
    """Return the place of a word among the sorted arrangements of its letters."""
    pool = sorted(word)
    index = 0
    for letter in word:
        place = pool.index(letter)
        index += place * factorial(len(pool) - 1)
        pool.pop(place)
    return index


def next_arrangement(word):
    index = arrangement_index(word) + 1
    try:
        return nth_arrangement(word, index)
    except IndexError:
        return None
