"""Words that stand for a rest in a whole file that keeps little, and in an edit that takes nothing."""

from __future__ import annotations

import pytest

from greenline.core.error import EditRejected
from greenline.edit.elision import check
from greenline.edit.rewrite import rewrite

BEFORE = "".join(f"def f{number}(a):\n    x = a + {number}\n    return x\n\n\n" for number in range(12))
FIRST = "def f0(a):\n    x = a + 100\n    return x\n\n\n"


@pytest.mark.parametrize(
    "line",
    [
        "# Existing functions f1 to f11",
        "# The rest is identical to the original",
        "# No changes below this line",
        "# f1..f11 as in the original",
        "(11 more functions)",
        "# (11 more functions)",
        "# same implementation for f1, f2, ... f11",
        "# see above for the rest",
        "# leave the rest alone",
        "# Do not change the code below",
        "# all other functions are the same as in the current file",
        "# code above and below this stays as it is today",
        '" rest of file unchanged',
        "# Hier folgt der restliche Code",
        "# (weitere Funktionen wie gehabt)",
        "# le reste du code est inchangé",
        "# el resto igual",
        "# o restante permanece igual",
        "# il resto rimane invariato",
        "# rest van de code blijft hetzelfde",
        "# resten av koden är oförändrad",
        "# reszta kodu bez zmian",
        "# остальной код без изменений",
        "# kalan kod aynı",
        "# 나머지 코드는 동일",
        "# 其余代码不变",
        "# 残りは変更なし",
    ],
)
def test_a_whole_file_that_keeps_little_and_speaks_of_a_rest_is_an_elision(line: str) -> None:
    with pytest.raises(EditRejected) as caught:
        rewrite(BEFORE, f"{FIRST}{line}\n", keeps_end=True)

    assert caught.value.code == "elision"


@pytest.mark.parametrize("line", ["# Existing functions f1 to f11", "# see above for the rest"])
def test_a_whole_file_that_keeps_most_may_speak_of_a_rest(line: str) -> None:
    new = f"{line}\n{BEFORE[len(FIRST) :]}"

    assert rewrite(BEFORE, new, keeps_end=True) == new


HEADINGS = [
    "// Same as above.",
    "# other helper functions",
    "// Other cases.",
    "// Remainder.",
    "// Other tests",
]


@pytest.mark.parametrize(
    "line", [*HEADINGS, "# the remaining functions", "# TODO: log here what was asked..."]
)
def test_a_comment_over_lines_that_are_added_is_no_elision(line: str) -> None:
    check(["a"], [], [line, "x = 1", "y = 2"])


@pytest.mark.parametrize("line", HEADINGS)
def test_a_comment_over_as_many_lines_as_go_is_no_elision(line: str) -> None:
    check(["a"], ["a", "b"], [line, "x = 1", "y = 2"])


def test_a_comment_with_a_long_name_is_read_in_one_pass() -> None:
    # Read in many passes it takes hours.
    with pytest.raises(EditRejected):
        check(["a"], [], [f"# remaining {'a' * 3000}-tests", "x = 1", "y = 2"])


@pytest.mark.parametrize("line", [*HEADINGS, "# the remaining functions"])
def test_a_comment_in_place_of_more_lines_is_an_elision(line: str) -> None:
    with pytest.raises(EditRejected):
        check(["a"], ["a", "b", "c", "d"], [line, "x = 1"])


@pytest.mark.parametrize(
    "line", ["# ... existing code ...", "# rest of the code unchanged", "# existing code"]
)
def test_a_placeholder_that_is_nothing_else_is_one_in_any_edit(line: str) -> None:
    with pytest.raises(EditRejected):
        check(["a"], [], [line, "x = 1", "y = 2"])


def test_a_title_over_its_section_is_no_elision() -> None:
    before = "".join(f"## Part {number}\n\nSome words.\n\n" for number in range(20))

    after = rewrite(before, "# Short\n\n## More examples\n\nSee the other page.\n", keeps_end=True)

    assert "## More examples" in after
    with pytest.raises(EditRejected):
        rewrite(before, "# Short\n\n## The rest stays the same\n", keeps_end=True)
