from program import fill, justify, stretch


def test_fill():
    assert fill(["aa", "b", "cc"], 4) == [["aa", "b"], ["cc"]]


def test_full_line():
    assert stretch(["ab", "cd"], 5) == "ab cd"


def test_even_gaps():
    assert stretch(["a", "b", "c"], 7) == "a  b  c"


def test_left_gaps_are_wider():
    assert stretch(["a", "b", "c"], 6) == "a  b c"


def test_last_line():
    assert justify("one two three four", 10) == ["one    two", "three four"]
    assert justify("to be or not", 6) == ["to  be", "or not"]


def test_short_text():
    assert justify("hello you", 20) == ["hello you"]
