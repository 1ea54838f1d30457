from program import is_palindrome, longest_palindrome, pairs


def test_plain_word():
    assert is_palindrome("level")
    assert not is_palindrome("lever")


def test_sentence():
    assert is_palindrome("A man, a plan, a canal: Panama!")


def test_longest():
    assert longest_palindrome("forgeeksskeegfor") == "geeksskeeg"


def test_pairs():
    assert pairs(["ab", "ba", "c"]) == [("ab", "ba"), ("ba", "ab")]
