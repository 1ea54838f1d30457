"""Square matrices as lists of rows, and linear recurrences computed with them."""


def identity(size):
    return [[int(row == column) for column in range(size)] for row in range(size)]


def multiply(a, b, modulus=None):
    product = [[sum(x * y for x, y in zip(row, column)) for column in zip(*b)] for row in a]
    if modulus is not None:
        product = [[entry % modulus for entry in row] for row in product]
    return product


def power(matrix, exponent, modulus=None):
    """Raise a square matrix to a power of at least zero, by repeated squaring."""
    if exponent < 0:
        raise ValueError("negative exponent")
    result = identity(len(matrix))
    while exponent:
        if exponent % 2:
            result = multiply(result, matrix, modulus)
        matrix = multiply(matrix, matrix, modulus)
        exponent /= 2
    return result


def fibonacci(n, modulus=None):
    return power([[1, 1], [1, 0]], n, modulus)[0][1]


def count_walks(adjacency, length, start, end):
    """Count the walks of a length between two nodes of a graph."""
    return power(adjacency, length)[start][end]
