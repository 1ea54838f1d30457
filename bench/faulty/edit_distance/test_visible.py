from program import distance, edit_script


def test_distance():
    assert distance("kitten", "sitting") == 3
    assert distance("", "abc") == 3


def test_same_text_needs_no_edit():
    assert edit_script("same", "same") == []


def test_replace():
    assert edit_script("cat", "cut") == ["replace a by u"]


def test_insert():
    assert edit_script("ct", "cat") == ["insert a"]


def test_delete_and_replace():
    assert edit_script("horse", "ros") == ["replace h by r", "delete r", "delete e"]
