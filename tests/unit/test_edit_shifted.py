"""Edits whose lines are indented otherwise than the file's: shifted, scaled, or in the old lines alone."""

from __future__ import annotations

import pytest

from greenline.core.error import EditRejected
from greenline.edit.patch import apply_patch_hunks
from greenline.edit.replace import replace_once
from greenline.edit.unified import parse

BEFORE = (
    "class A:\n    def f(self):\n        if self.x:\n            self.go()\n            self.stop()\n"
    "        return 1\n"
)
SEARCH = "        if self.x:\n            self.go()\n"
REPLACEMENT = "        if self.x:\n            self.wait()\n            self.go()\n"
AFTER = BEFORE.replace(SEARCH, REPLACEMENT)
SHIFTS = [shift for shift in range(-8, 9) if shift]


def shifted(text: str, by: int) -> str:
    """Return a text whose lines have so many more blanks before them."""
    lines = text.splitlines(keepends=True)
    return "".join(" " * (len(line) - len(line.lstrip()) + by) + line.lstrip() for line in lines)


@pytest.mark.parametrize("by", SHIFTS)
def test_a_block_that_is_shifted_is_shifted_back(by: int) -> None:
    assert replace_once(BEFORE, shifted(SEARCH, by), shifted(REPLACEMENT, by)) == AFTER


@pytest.mark.parametrize("by", SHIFTS)
def test_a_diff_that_is_shifted_is_shifted_back(by: int) -> None:
    lines = shifted(REPLACEMENT, by).splitlines(keepends=True)
    body = f" {lines[0]}+{lines[1]} {lines[2]}"
    (patch,) = parse(f"--- a/a.py\n+++ b/a.py\n@@ -3,2 +3,3 @@\n{body}")

    assert apply_patch_hunks(BEFORE, patch.hunks) == AFTER


@pytest.mark.parametrize("by", SHIFTS)
def test_new_lines_under_a_branch_of_a_shifted_block(by: int) -> None:
    search = "            self.go()\n            self.stop()\n        return 1\n"
    new = search.replace("        return", "        else:\n            self.no()\n        return")

    after = replace_once(BEFORE, shifted(search, by), shifted(new, by))

    assert after == BEFORE.replace(search, new)


@pytest.mark.parametrize("by", SHIFTS)
def test_a_single_line_that_is_shifted_says_nothing_of_the_step(by: int) -> None:
    search = "            self.stop()\n"
    new = "            if self.y:\n                self.stop()\n"

    assert replace_once(BEFORE, shifted(search, by), shifted(new, by)) == BEFORE.replace(search, new)


@pytest.mark.parametrize("by", SHIFTS)
def test_new_lines_that_are_indented_as_the_file_stay_where_only_the_search_is_shifted(by: int) -> None:
    assert replace_once(BEFORE, shifted(SEARCH, by), REPLACEMENT) == AFTER


@pytest.mark.parametrize(("unit", "own"), [("  ", "    "), ("\t", "    "), ("    ", "  "), ("    ", "\t")])
def test_a_single_line_in_another_style_takes_the_step_of_the_file(unit: str, own: str) -> None:
    text = f"def f():\n{own}if x:\n{own * 2}go()\n"
    search, new = f"{unit * 2}go()\n", f"{unit * 2}if y:\n{unit * 3}go()\n"

    after = replace_once(text, search, new)

    assert after == f"def f():\n{own}if x:\n{own * 2}if y:\n{own * 3}go()\n"


SHALLOWER = (
    "        return 1\n    def g(self):\n        if q:\n            for p in q:\n                p()\n"
)


@pytest.mark.parametrize("by", [by for by in SHIFTS if by >= -4])
def test_new_lines_of_all_depths_in_a_shifted_block_of_several_levels(by: int) -> None:
    search = "            self.stop()\n        return 1\n"
    new = search.replace("        return 1\n", SHALLOWER)

    after = replace_once(BEFORE, shifted(search, by), shifted(new, by))

    assert after == BEFORE.replace(search, new)


def test_new_lines_between_the_margin_and_a_shifted_block_are_refused() -> None:
    text = "def f():\n    if x:\n        return 1\n"
    search = "            if x:\n                return 1\n"

    with pytest.raises(EditRejected) as caught:
        replace_once(text, search, search + "    else:\n        go()\n")

    assert caught.value.code == "no-match"


def test_a_line_that_is_aligned_with_a_bracket_is_no_step() -> None:
    text = "x = [\n        ('a', 1),\n    ]\nif y:\n    go()\n"

    after = replace_once(text, "('a', 1),\n", "('a', 1),\n('b', 'with a long text'\n      'in two'),\n")

    assert after == text.replace(
        "('a', 1),\n", "('a', 1),\n        ('b', 'with a long text'\n              'in two'),\n"
    )


def test_context_that_lost_its_blank_leaves_new_lines_as_they_are() -> None:
    diff = "--- a/a.py\n+++ b/a.py\n@@ -3,2 +3,3 @@\n        if self.x:\n+            self.wait()\n"
    (patch,) = parse(diff + "            self.go()\n")

    assert apply_patch_hunks(BEFORE, patch.hunks) == AFTER


def test_a_shifted_search_that_stands_twice_is_ambiguous() -> None:
    with pytest.raises(EditRejected) as caught:
        replace_once("if a:\n    go()\nif b:\n    go()\n", "  go()\n", "  stop()\n")

    assert caught.value.code == "ambiguous"
