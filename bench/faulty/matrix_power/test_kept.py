import pytest
from program import count_walks, fibonacci, identity, multiply, power


def test_powers_against_repeated_products():
    matrix = [[1, 2, 0], [0, 1, -1], [3, 0, 1]]
    expected = identity(3)
    for exponent in range(20):
        assert power(matrix, exponent) == expected
        expected = multiply(expected, matrix)


def test_fibonacci_sequence():
    a, b = 0, 1
    for n in range(120):
        assert fibonacci(n) == a
        a, b = b, a + b


def test_entries_stay_integers():
    result = power([[1, 1], [0, 1]], 6)
    assert result == [[1, 6], [0, 1]]
    assert all(type(entry) is int for row in result for entry in row)


@pytest.mark.parametrize("exponent", [1, 2, 63, 64, 65, 1000])
def test_modulus(exponent):
    assert power([[3]], exponent, 1007) == [[pow(3, exponent, 1007)]]


def test_huge_index():
    assert fibonacci(10**18, 10) == 5


def test_large_exact_value():
    assert power([[2]], 200) == [[2**200]]


def test_matrix_is_left_alone():
    matrix = [[1, 1], [1, 0]]
    power(matrix, 5)
    assert matrix == [[1, 1], [1, 0]]


def test_walks_on_a_path():
    path = [[0, 1, 0], [1, 0, 1], [0, 1, 0]]
    assert count_walks(path, 0, 1, 1) == 1
    assert count_walks(path, 0, 1, 2) == 0
    assert count_walks(path, 2, 0, 2) == 1
    assert count_walks(path, 5, 0, 2) == 0


def test_negative_exponent():
    with pytest.raises(ValueError):
        power(identity(2), -3)
