"""Three-way merging by lines: what the user wrote stays, and everything else goes back."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from greenline.edit.merge import MergeConflict, merge_texts
from greenline.edit.text import split_lines


@pytest.mark.parametrize(
    ("base", "ours", "theirs", "result"),
    [
        ("a\nB\nc\nd\n", "a\nB\nc\nd user\n", "a\nb\nc\nd\n", "a\nb\nc\nd user\n"),
        ("a\nB\nc\n", "a\nB\nmine\nc\n", "a\nb\nc\n", "a\nb\nmine\nc\n"),
        ("a\nB\nc\n", "a\nB\nC\n", "a\nb\nc\n", "a\nb\nC\n"),
        ("a\nnew\nb\n", "top\na\nnew\nb\n", "a\nb\n", "top\na\nb\n"),
        ("a\nb\n", "a\nb\nend\n", "a\ngone\nb\n", "a\ngone\nb\nend\n"),
        ("a\r\nB\r\n", "a\nB\n", "a\r\nb\r\n", "a\nb\n"),
        ("a\n", "a", "a\nb\n", "a\nb\n"),
        ("a\n", "a\nmine\n", "a", "a\nmine\n"),
        ("a\f\u2028B\n", "a\f\u2028B\nx", "a\f\u2028b\n", "a\f\u2028b\nx"),
        ("a\nB\n", "a\nb\n", "a\nb\n", "a\nb\n"),
    ],
)
def test_changes_in_different_lines_are_both_made(base: str, ours: str, theirs: str, result: str) -> None:
    merged = merge_texts(base, ours, theirs)

    assert merged.text == result
    assert merged.conflicts == ()


def test_the_same_line_is_a_conflict_and_the_rest_goes_back() -> None:
    merged = merge_texts("A\nb\nc\nD\n", "A mine\nb\nc\nD\n", "a\nb\nc\nd\n")

    assert merged.text == "A mine\nb\nc\nd\n"
    assert merged.conflicts == (MergeConflict(0, 1, 0, 1, 0),)


def test_two_insertions_at_one_place_are_a_conflict() -> None:
    merged = merge_texts("a\nc\n", "a\nmine\nc\n", "a\nb\nc\n")

    assert merged.text == "a\nmine\nc\n"
    assert merged.conflicts == (MergeConflict(1, 1, 1, 2, 1),)


def test_a_moved_line_is_not_taken_from_one_place_where_it_cannot_be_put_in_the_other() -> None:
    merged = merge_texts("moved\na\n", "moved\na\nmine\n", "a\nmoved\n")

    assert merged.text == "moved\na\nmine\n"
    assert len(merged.conflicts) == 2


def test_a_moved_line_that_the_user_edited_is_not_put_back_a_second_time() -> None:
    merged = merge_texts("moved\na\nb\n", "moved!\na\nb\n", "a\nb\nmoved\n")

    assert merged.text == "moved!\na\nb\n"
    assert len(merged.conflicts) == 2


def test_a_change_inside_removed_lines_is_a_conflict() -> None:
    merged = merge_texts("a\n1\n2\n3\nb\n", "a\n1\nmine\n2\n3\nb\n", "a\nb\n")

    assert merged.text == "a\n1\nmine\n2\n3\nb\n"
    assert merged.conflicts == (MergeConflict(1, 4, 1, 5, 1),)


TEXT = st.builds(
    lambda lines, tail: "".join(lines) + tail,
    st.lists(st.sampled_from(["a\n", "b\r\n", "c\r", "\u2028\f\n", "e\u0301😀\n", "\n"]), max_size=8),
    st.sampled_from(["", "tail"]),
)


@given(TEXT, TEXT)
def test_an_untouched_text_goes_back_exactly(base: str, theirs: str) -> None:
    assert merge_texts(base, base, theirs).text == theirs
    assert merge_texts(base, theirs, base).text == theirs
    assert merge_texts(base, theirs, theirs).text == theirs


@given(TEXT, TEXT, st.lists(st.tuples(st.integers(0, 20), st.integers(0, 3)), max_size=5))
def test_no_line_of_the_user_is_lost(base: str, theirs: str, edits: list[tuple[int, int]]) -> None:
    lines = split_lines(base)
    for number, (place, removed) in enumerate(edits):
        at = min(place, len(lines))
        lines[at : at + removed] = [f"mine {number}\n"]
    ours = "".join(line if line.endswith(("\n", "\r")) else line + "\n" for line in lines)

    merged = merge_texts(base, ours, theirs)

    kept = split_lines(merged.text)
    mine = [line for line in split_lines(ours) if line.startswith("mine")]
    assert [line for line in kept if line.startswith("mine")] == mine


@given(TEXT, TEXT, TEXT)
def test_ours_stays_where_there_is_a_conflict(base: str, ours: str, theirs: str) -> None:
    merged = merge_texts(base, ours, theirs)

    lines = split_lines(ours)
    assert all(0 <= c.start <= c.end <= len(lines) for c in merged.conflicts)
    assert all("".join(lines[c.start : c.end]) in merged.text for c in merged.conflicts)
