from program import matches, select


def test_exact():
    assert matches("abc", "abc")
    assert not matches("abc", "abd")


def test_question_mark():
    assert matches("a?c", "abc")
    assert not matches("a?", "a")


def test_star():
    assert matches("*", "")
    assert matches("a*c", "abbc")


def test_star_takes_more_than_once():
    assert matches("*ab", "aab")
    assert matches("a*c", "acbc")


def test_select():
    assert select("*.py", ["a.py", "b.txt", "c.old.py"]) == ["a.py", "c.old.py"]
