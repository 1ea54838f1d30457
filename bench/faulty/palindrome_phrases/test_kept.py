import pytest
from program import is_palindrome, longest_palindrome, normalise, pairs


@pytest.mark.parametrize(
    ("phrase", "expected"),
    [
        ("", True),
        ("?!", True),
        ("x.", True),
        ("1 2 1", True),
        ("1-2", False),
        ("No lemon, no melon", True),
        ("race a car", False),
        ("Was it a car or a cat I saw?", True),
        ("0P", False),
        ("ab_ba!!", True),
    ],
)
def test_is_palindrome(phrase, expected):
    assert is_palindrome(phrase) is expected


def test_normalise():
    assert normalise("Ab, 9!") == ["a", "b", "9"]
    assert normalise("ÉÀ") == ["é", "à"]
    assert normalise(" \t\n") == []


def test_pairs_of_phrases():
    assert pairs(["taco-", "cat", "dog"]) == [("taco-", "cat")]


def test_no_pair_with_itself():
    assert pairs(["aa", "aa"]) == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [("", ""), ("a", "a"), ("ab", "a"), ("bb", "bb"), ("abacab", "bacab"), ("xabbay", "abba"), ("Aa", "A")],
)
def test_longest(text, expected):
    assert longest_palindrome(text) == expected
