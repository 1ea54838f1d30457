import pytest
from program import majority, mode, runs


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("500", 500),
        ("500 500", 500),
        ("500 600", None),
        ("600 500 500", 500),
        ("500 500 600 600", None),
        ("500 600 700 700", None),
        ("900 700 900 800 900 600 900", 900),
        ("300 300 301 301 301", 301),
        ("1 2 2 2 3 4 2 2", 2),
        ("-400 -400 9", -400),
    ],
)
def test_numbers(text, expected):
    assert majority([int(word) for word in text.split()]) == expected


def test_floats_and_tuples():
    assert majority([float(word) for word in "0.5 2.5 0.5".split()]) == 0.5
    assert majority([(n, n) for n in (1, 2, 1)]) == (1, 1)


def test_equal_values_of_other_types():
    assert majority([1, 1.0, 5]) == 1


def test_against_counting():
    for seed in range(300):
        values = [1000 + (seed * k * k + seed // 3) % 3 for k in range(seed % 9)]
        wanted = [v for v in set(values) if 2 * values.count(v) > len(values)]
        assert majority(values) == (wanted[0] if wanted else None)


def test_runs():
    assert list(runs([])) == []
    assert list(runs([int("700"), int("700"), 1])) == [(700, 2), (1, 1)]
    assert list(runs(iter("x"))) == [("x", 1)]
    assert list(runs([None, None])) == [(None, 2)]


def test_mode():
    assert mode([]) == []
    assert mode("banana") == ["a"]
