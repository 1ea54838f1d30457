import random

import pytest
from program import common_lengths, diff, summary


def lines(old, new):
    return ["".join(pair) for pair in diff(list(old), list(new))]


@pytest.mark.parametrize(
    "old, new, expected",
    [
        ("", "", []),
        ("", "ab", ["+a", "+b"]),
        ("a", "b", ["-a", "+b"]),
        ("ab", "b", ["-a", " b"]),
        ("b", "ab", ["+a", " b"]),
        ("aab", "ab", [" a", "-a", " b"]),
        ("abcabba", "cbabac", None),
        ("xaxbxc", "abc", ["-x", " a", "-x", " b", "-x", " c"]),
    ],
)
def test_diff(old, new, expected):
    result = lines(old, new)
    if expected is not None:
        assert result == expected
    assert "".join(line[1] for line in result if line[0] in " -") == old
    assert "".join(line[1] for line in result if line[0] in " +") == new


@pytest.mark.parametrize(
    "old, new, length",
    [("abcbdab", "bdcaba", 4), ("aaaa", "aa", 2), ("abc", "cba", 1), ("abc", "xyz", 0), ("axbyc", "abc", 3)],
)
def test_common_length(old, new, length):
    assert common_lengths(old, new)[0][0] == length
    assert sum(line[0] == " " for line in lines(old, new)) == length


def test_random_texts_are_rebuilt():
    generator = random.Random(4)
    for _ in range(60):
        old = "".join(generator.choices("abc", k=generator.randrange(9)))
        new = "".join(generator.choices("abc", k=generator.randrange(9)))
        result = lines(old, new)
        assert "".join(line[1] for line in result if line[0] in " -") == old
        assert "".join(line[1] for line in result if line[0] in " +") == new
        assert sum(line[0] == " " for line in result) == common_lengths(old, new)[0][0]


def test_summary():
    assert summary([], []) == "+0 -0"
    assert summary(["a", "b"], ["a", "c", "d"]) == "+2 -1"
