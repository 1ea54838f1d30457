from program import align, column_widths, complete, render


def test_align():
    assert align("ab", 5, ">") == "   ab"
    assert align("ab", 5, "<") == "ab   "


def test_widths():
    assert column_widths([["a", "bbb"], ["cc", "d"]]) == [2, 3]


def test_complete_fills_up():
    assert complete(["x", None], 4) == ["x", "", "", ""]


def test_complete_row_stays():
    assert complete([1, 2], 2) == ["1", "2"]


def test_table():
    assert render(["name", "qty"], [["pear", 12], ["fig"]], "<>") == (
        "name | qty\n-----+----\npear |  12\nfig  |"
    )
