"""Placing hunks on the current text, and edits that are minimal and inside the text that editors show."""

from __future__ import annotations

from collections.abc import Sequence

import attrs
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from lsprotocol import types

from greenline.core.edit import FileChange, Hunk
from greenline.edit.hunk import Span, changed_spans, split
from greenline.edit.text import split_lines, text_hash
from greenline.lsp import moving
from greenline.lsp.convert import Encoding, Replaced, edited
from greenline.lsp.moving import Moves
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


STANZA = "def t():\n    check()\n\n"


class Typist:
    """An editor that tells exactly which lines it changes, in a file of equal stanzas."""

    def __init__(self, n_stanzas: int) -> None:
        self.text = self.base = STANZA * n_stanzas
        self.placing = Placing(lambda _: CurrentText(self.text, 1), {text_hash(self.base): self.base}.get)

    def hunk(self, row: int) -> Hunk:
        """Return a hunk on one line, placed."""
        lines = split_lines(self.base)
        after = "".join([*lines[:row], "    look()\n", *lines[row + 1 :]])
        (hunk,) = hunks_of(self.base, after)
        assert self.placing.place(hunk) == hunk
        return hunk

    def replace(self, start: tuple[int, int], end: tuple[int, int], typed: str) -> None:
        """Change a range, and tell of it."""
        place = types.Range(types.Position(*start), types.Position(*end))
        change = types.TextDocumentContentChangePartial(place, typed)
        lines, replaced = edited(split_lines(self.text), change, Encoding("utf-8"))
        assert replaced is not None
        before, self.text = self.text, "".join(lines)
        self.placing.follow("/w/a", Moves(before, (replaced,)))

    def row(self, hunk: Hunk) -> int | None:
        there = self.placing.place(hunk)
        return None if there is None else there.start_line


def test_a_hunk_among_equal_stanzas_moves_as_the_editor_says() -> None:
    desk = Typist(7)
    hunk = desk.hunk(10)

    desk.replace((0, 0), (3, 0), "")
    assert desk.row(hunk) == 7
    desk.replace((6, 0), (6, 0), STANZA * 2)
    assert desk.row(hunk) == 13
    desk.replace((15, 0), (18, 0), "")
    assert desk.row(hunk) == 13


def test_a_hunk_whose_own_lines_are_deleted_goes_to_no_equal_ones() -> None:
    desk = Typist(7)
    hunk = desk.hunk(10)

    desk.replace((9, 0), (12, 0), "")
    assert desk.row(hunk) is None
    desk.replace((0, 0), (3, 0), "")
    assert desk.row(hunk) is None
    assert desk.placing.shown(hunk).start_line == 6

    desk.replace((0, 0), (0, 0), STANZA)
    desk.replace((9, 0), (9, 0), STANZA)
    assert desk.row(hunk) == 10


def test_a_hunk_whose_line_was_changed_and_changed_back_is_there_again() -> None:
    desk = Typist(7)
    hunk = desk.hunk(10)

    desk.replace((10, 4), (10, 9), "look")
    assert desk.row(hunk) is None
    desk.replace((0, 0), (3, 0), "")
    desk.replace((7, 4), (7, 8), "check")

    assert desk.row(hunk) == 7


def test_a_hunk_that_a_whole_text_took_comes_back_with_its_own_lines_alone() -> None:
    desk = Typist(0)
    stanza = "    return x\n" * 3 + "    x = 1\n\n" * 2
    desk.text = desk.base = "".join(split_lines(stanza * 4)[1:25])
    desk.placing = Placing(lambda _: CurrentText(desk.text, 1), {text_hash(desk.base): desk.base}.get)
    hunk = desk.hunk(3)
    desk.replace((20, 0), (21, 0), "    return y\n")
    before, lines = desk.text, split_lines(desk.text)

    desk.text = "".join(lines[:3] + lines[4:])
    assert desk.row(hunk) is None
    desk.replace((7, 0), (10, 0), "")
    assert desk.row(hunk) is None
    desk.text = "".join(split_lines(desk.text)[:-1])
    assert desk.row(hunk) is None

    desk.text = before
    assert desk.row(hunk) == 3
    desk.text = "".join(lines[:3] + lines[4:])
    assert desk.row(hunk) is None
    desk.replace((3, 0), (3, 0), "\n")
    assert desk.row(hunk) == 3


def test_many_hunks_follow_one_comparison_of_what_was_replaced(monkeypatch: pytest.MonkeyPatch) -> None:
    lines = [f"{number}\n" for number in range(20)]
    hunks = hunks_of("".join(lines), "".join(f"{line[:-1]}!\n" if int(line) % 2 else line for line in lines))
    compared: list[int] = []

    def counted(old: Sequence[str], new: Sequence[str]) -> tuple[Span, ...]:
        compared.append(len(old))
        return changed_spans(old, new)

    monkeypatch.setattr(moving, "changed_spans", counted)
    after = ["new\n", *lines]
    moves = Moves("".join(lines), (Replaced(0, lines, after),))

    found = [moves.follow(hunk, after) for hunk in hunks]

    assert [hunk.start_line for hunk in found if hunk] == [hunk.start_line + 1 for hunk in hunks]
    assert compared == [len(lines)]


CHANGES = st.lists(
    st.tuples(st.integers(0, 12), st.integers(0, 4), st.lists(st.sampled_from(["a\n", "b\n"]), max_size=3))
)


@given(CHANGES, st.integers(0, 7))
@example([(0, 3, ["a\n"]), (0, 2, []), (1, 0, ["b\n", "a\n"])], 0)
@example([(1, 2, []), (0, 0, ["a\n", "b\n"]), (0, 0, ["a\n"])], 2)
def test_a_hunk_stays_on_its_own_line_or_nowhere(changes: list[tuple[int, int, list[str]]], row: int) -> None:
    desk = Typist(0)
    desk.text = desk.base = "a\nb\n" * 4
    desk.placing = Placing(lambda _: CurrentText(desk.text, 1), {text_hash(desk.base): desk.base}.get)
    hunk = desk.hunk(row)
    own = list(range(8))
    stood = {desk.base: row}

    for start, n_lines, typed in changes:
        first = min(start, len(own))
        last = min(first + n_lines, len(own))
        desk.replace((first, 0), (last, 0), "".join(typed))
        own[first:last] = [-1] * len(typed)
        found = desk.row(hunk)

        if row in own:
            assert found == own.index(row)
        elif found is not None and found == stood.get(desk.text):
            # The text is again one that the hunk stood in, as after the editor's undo: it is back there.
            own[found] = row
        else:
            assert found is None or own[found] == -1
        if found is not None:
            stood[desk.text] = found


@pytest.mark.parametrize(
    ("now", "row"),
    [
        # One of nine equal stanzas is gone, and nothing tells which.
        (STANZA * 8, None),
        (STANZA * 10, None),
        # What is new says where it stands.
        ("import os\n" + STANZA * 9, 1),
        (STANZA * 2 + "x = 1\n" + STANZA * 7, 1),
        (STANZA * 8 + "x = 1\n" + STANZA, 0),
    ],
)
def test_after_a_restart_a_hunk_among_equal_stanzas_stands_where_its_own_is_or_nowhere(
    now: str, row: int | None
) -> None:
    base = STANZA * 9
    lines = split_lines(base)
    height = len(lines) // 9
    at = 3 * height + 1
    (hunk,) = hunks_of(base, "".join([*lines[:at], "    look()\n", *lines[at + 1 :]]))
    placing = Placing(lambda _: CurrentText(now, 1), {text_hash(base): base}.get)

    there = placing.place(hunk)

    assert (there and there.start_line) == (None if row is None else at + row)
