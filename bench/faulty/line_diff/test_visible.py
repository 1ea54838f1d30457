from program import common_lengths, diff, summary


def lines(old, new):
    return ["".join(pair) for pair in diff(list(old), list(new))]


def test_all_removed():
    assert lines("ab", "") == ["-a", "-b"]


def test_same():
    assert lines("abc", "abc") == [" a", " b", " c"]


def test_changed_in_the_middle():
    assert lines("abc", "axc") == [" a", "-b", "+x", " c"]


def test_nothing_in_common():
    assert common_lengths("ab", "xyz")[0][0] == 0


def test_length_of_the_common_part():
    assert common_lengths("abcde", "xbydz")[0][0] == 2


def test_moved_lines():
    assert summary(list("abcd"), list("bcda")) == "+1 -1"
