def neighbours(cell):
    """Yield the eight cells around a cell."""
    row, column = cell
    for down in (-1, 0, 1):
        for right in (-1, 0, 1):
            yield row + down, column + right


def step(alive):
    """Return the next generation of a set of living cells."""
    counts = {}
    for cell in alive:
        for other in neighbours(cell):
            counts[other] = counts.get(other, 0) + 1
    return {cell for cell, count in counts.items() if count == 3 or (count == 2 or cell in alive)}


def parse(text):
    return {
        (row, column)
        for row, line in enumerate(text.split())
        for column, mark in enumerate(line)
        if mark == "#"
    }


def show(alive, rows, columns):
    return "\n".join(
        "".join("#" if (row, column) in alive else "." for column in range(columns))
        for row in range(rows)
    )


def period(alive, limit=50):
    """Return after how many steps the pattern comes back, or None within the limit."""
    current = alive
    for steps in range(1, limit + 1):
        current = step(current)
        if current == alive:
            return steps
    return None
