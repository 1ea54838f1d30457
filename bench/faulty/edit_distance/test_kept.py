from program import distance, distance_table, edit_script


def replay(source, script):
    """Check a script by its effect on the multiset of letters."""
    letters = sorted(source)
    for command in script:
        words = command.split()
        if words[0] in ("delete", "replace"):
            letters.remove(words[1])
        if words[0] == "insert":
            letters.append(words[1])
        if words[0] == "replace":
            letters.append(words[3])
    return sorted(letters)


PAIRS = [
    ("kitten", "sitting"),
    ("flaw", "lawn"),
    ("intention", "execution"),
    ("a", "bcd"),
    ("abcd", "d"),
    ("abc", ""),
    ("", "xyz"),
    ("sunday", "saturday"),
]


def test_script_is_as_long_as_the_distance():
    for source, target in PAIRS:
        assert len(edit_script(source, target)) == distance(source, target)


def test_script_makes_the_target():
    for source, target in PAIRS:
        assert replay(source, edit_script(source, target)) == sorted(target)


def test_known_distances():
    assert [distance(*pair) for pair in PAIRS] == [3, 2, 5, 3, 3, 3, 3, 3]


def test_distance_is_symmetric():
    for source, target in PAIRS:
        assert distance(source, target) == distance(target, source)


def test_table_shape_and_borders():
    table = distance_table("ab", "xyz")
    assert len(table) == 3
    assert table[0] == [0, 1, 2, 3]
    assert [row[0] for row in table] == [0, 1, 2]


def test_only_inserts():
    assert edit_script("", "ab") == ["insert a", "insert b"]


def test_insert_before_equal_letters():
    assert edit_script("a", "aa") == ["insert a"]
    assert edit_script("ab", "aaab") == ["insert a", "insert a"]


def test_only_deletes():
    assert edit_script("ab", "") == ["delete a", "delete b"]


def test_empty():
    assert edit_script("", "") == []
    assert distance("", "") == 0
