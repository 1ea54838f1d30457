from fractions import Fraction


def determinant(matrix):
    """Return the exact determinant of a square matrix of integers or fractions."""
    rows = [[Fraction(entry) for entry in row] for row in matrix]
    size = len(rows)
    if any(len(row) != size for row in rows):
        raise ValueError("the matrix is not square")
    result = Fraction(1)
    for pivot in range(size):
        usable = next((row for row in range(pivot, size) if rows[row][pivot] != 0), None)
        if usable is None:
            return Fraction(0)
        if usable != pivot:
            rows[pivot], rows[usable] = rows[usable], rows[pivot]
            result = -result
        result *= rows[pivot][pivot]
        for row in range(pivot + 1, size):
            factor = rows[row][pivot] / rows[pivot][pivot]
            for column in range(pivot, size):
                rows[row][column] -= factor * rows[pivot][column]
    return result


def is_singular(matrix):
    return determinant(matrix) == 0


def solve(matrix, right):
    """Solve a square system by Cramer's rule; raises ValueError when it is singular."""
    bottom = determinant(matrix)
    if bottom == 0:
        raise ValueError("the system is singular")
    solution = []
    for place in range(len(matrix)):
        changed = [[*row[:place], value, *row[place + 1 :]] for row, value in zip(matrix, right)]
        solution.append(determinant(changed) / bottom)
    return solution
