from program import majority, mode, runs


def numbers(text):
    return [int(word) for word in text.split()]


def test_small_numbers():
    assert majority([1, 2, 1, 1]) == 1


def test_no_majority():
    assert majority([1, 2, 3]) is None
    assert majority([]) is None


def test_large_numbers():
    assert majority(numbers("1000 1000 7000 1000 7000")) == 1000


def test_words():
    assert majority("no yes yes no yes".split()) == "yes"


def test_runs():
    assert list(runs("aabccc")) == [("a", 2), ("b", 1), ("c", 3)]


def test_mode():
    assert mode([3, 1, 3, 1, 2]) == [3, 1]
