def is_safe(queens, column):
    """Tell whether a queen in the next row may stand in the column.

    `queens` holds the columns of the rows above.
    """
    row = len(queens)
    return all(
        other != column and abs(other - column) != row - above for above, other in enumerate(queens)
    )


def solutions(size, queens=()):
    """Yield each way to place queens on the board, as a tuple of columns."""
    if len(queens) == size:
        yield queens
        return
    for column in range(size):
        if is_safe(queens, column):
            yield from solutions(size, queens + (column,))


def is_solution(queens):
    for row in range(1, len(queens)):
        if not is_safe(queens[:row], queens[row]):
            return False
    return True


def draw(queens):
    size = len(queens)
    return "\n".join("." * column + "Q" + "." * (size - column - 1) for column in queens)


def mirrored(queens):
    return tuple(len(queens) - 1 - column for column in queens)
