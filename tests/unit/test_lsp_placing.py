"""Placing hunks on the current text, and edits that are minimal and inside the text that editors show."""

from __future__ import annotations

import attrs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from greenline.core.edit import FileChange, Hunk
from greenline.edit.hunk import split
from greenline.edit.text import text_hash
from greenline.lsp.placing import Placing
from greenline.lsp.review import CurrentText, apply_replacements, file_edits, place


def hunks_of(before: str, after: str) -> tuple[Hunk, ...]:
    return split(FileChange("/w/a", before.encode(), after.encode()), before, after)


@pytest.mark.parametrize(
    ("before", "after", "replacements"),
    [
        ("a\nb\n", "a\nb\nc\n", [(3, 3, "\nc")]),
        ("a\nb", "a\nb\nc", [(3, 3, "\nc")]),
        ("a\r\nb\r\n", "a\r\nb\r\nc\r\n", [(4, 4, "\r\nc")]),
        ("a\nb\n", "a\n", [(1, 3, "")]),
        ("x = 1\n", "x = 2\n", [(4, 5, "2")]),
        ("a\r\nb\r\n", "a\nb\r\n", [(1, 3, "\n")]),
        ("", "a\n", [(0, 0, "a\n")]),
        ("a\n", "", [(0, 2, "")]),
    ],
)
def test_an_edit_is_minimal_and_anchored(
    before: str, after: str, replacements: list[tuple[int, int, str]]
) -> None:
    (edit,) = file_edits(hunks_of(before, after), {"/w/a": CurrentText(before, 1)})

    assert [attrs.astuple(r) for r in edit.replacements] == replacements
    assert edit.new_text == after


LINES = st.lists(st.sampled_from(["a\n", "b\r\n", "c\r", "\u2028\f\n", "é\n", ""]), max_size=8)


@given(LINES, LINES, st.sampled_from(["", "tail"]))
def test_replacements_give_the_new_text(before: list[str], after: list[str], tail: str) -> None:
    old, new = "".join(before) + tail, "".join(after) + tail
    hunks = hunks_of(old, new)

    edits = file_edits(hunks, {"/w/a": CurrentText(old, 1)})

    assert all(apply_replacements(old, edit.replacements) == edit.new_text for edit in edits)
    assert all(edit.new_text == new for edit in edits)


def test_without_the_base_text_a_hunk_is_found_where_its_lines_occur_once() -> None:
    (hunk,) = hunks_of("a\nb\nc\n", "a\nB\nc\n")

    moved = place(hunk, None, "new\na\nb\nc\n")

    assert moved is not None
    assert (moved.start_line, moved.end_line) == (2, 3)
    assert place(hunk, None, "b\nb\n") is None
    assert place(hunk, None, "a\nc\n") is None
    assert place(hunk, None, None) is None


def test_a_created_file_conflicts_with_one_that_exists() -> None:
    (hunk,) = split(FileChange("/w/a", None, b"x\n"), None, "x\n")

    assert place(hunk, None, None) == hunk
    assert place(hunk, None, "") is None


@given(st.lists(st.sampled_from(["new\n", "more\n"]), max_size=4), st.integers(0, 3), st.booleans())
def test_a_hunk_whose_lines_are_gone_follows_what_became_of_them(
    above: list[str], split_at: int, at_once: bool
) -> None:
    base = "a\nb\nc\nd\n"
    (hunk,) = hunks_of(base, "a\nB\nc\nd\n")
    texts = [base]
    placing = Placing(lambda _: CurrentText(texts[-1], 1), {text_hash(base): base}.get)

    def typed(text: str) -> None:
        texts.append(text)
        assert placing.place(hunk) is None

    if not at_once:
        assert placing.place(hunk) == hunk
        typed("a\nmine\nc\nd\n")
        typed("".join(above[:split_at]) + "a\nmine\nc\nd\n")
    typed("".join(above) + "a\nmine\nc\nd\n")

    assert placing.shown(hunk).start_line == 1 + len(above)
    assert placing.shown(hunk).end_line == 2 + len(above)
    texts.append(base)
    assert placing.shown(hunk) == hunk
