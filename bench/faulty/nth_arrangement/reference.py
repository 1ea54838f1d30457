from collections import Counter
from math import factorial


def count_arrangements(pool):
    total = factorial(sum(pool.values()))
    for count in pool.values():
        total //= factorial(count)
    return total


def nth_arrangement(letters, index):
    """Return the index-th distinct arrangement of the letters, in sorted order."""
    pool = Counter(letters)
    if not 0 <= index < count_arrangements(pool):
        raise IndexError(f"no arrangement {index}")
    result = []
    for _ in letters:
        for letter in sorted(pool):
            if pool[letter] == 0:
                continue
            pool[letter] -= 1
            block = count_arrangements(pool)
            if index < block:
                result.append(letter)
                break
            index -= block
            pool[letter] += 1
    return "".join(result)


def arrangement_index(word):
    """Return the place of a word among the sorted arrangements of its letters."""
    pool = Counter(word)
    index = 0
    for letter in word:
        for smaller in sorted(pool):
            if smaller < letter and pool[smaller]:
                pool[smaller] -= 1
                index += count_arrangements(pool)
                pool[smaller] += 1
        pool[letter] -= 1
    return index


def next_arrangement(word):
    index = arrangement_index(word) + 1
    try:
        return nth_arrangement(word, index)
    except IndexError:
        return None
