"""The loosest tolerance of a line: more or fewer blanks, where these say nothing."""

from __future__ import annotations

import pytest

from greenline.core.error import EditRejected
from greenline.edit.replace import replace_lines


@pytest.mark.parametrize(
    ("line", "search"),
    [
        ("row 1 0", "row 10"),
        ('s = "a b"', 's = "ab"'),
        ("s = 'a  b'", "s = 'a b'"),
        ("if notready:", "if not ready:"),
        ("<h1>Sign up</h1>", "<h1>Signup</h1>"),
        ("a, b c, d", "a, bc, d"),
    ],
)
def test_blanks_that_say_something_are_not_passed_over(line: str, search: str) -> None:
    with pytest.raises(EditRejected) as caught:
        replace_lines(f"{line}\nx\n", f"{search}\n", "y\n")

    assert caught.value.code == "no-match"


@pytest.mark.parametrize(
    ("line", "search"),
    [
        ("f( a,b )", "f(a, b)"),
        ("x   =  1", "x = 1"),
        ("it's  a   dog's tail", "it's a dog's tail"),
        ('print( "a b" )', 'print("a b")'),
        ("if not  ready :", "if not ready:"),
    ],
)
def test_blanks_between_words_may_be_more_and_beside_punctuation_none(line: str, search: str) -> None:
    assert replace_lines(f"{line}\nx\n", f"{search}\n", "y\n") == "y\nx\n"
