"""Hunks: cutting and putting back is exact, in any subset, and moving follows the user's edits."""

from __future__ import annotations

import difflib
import itertools
import random
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from greenline.core.edit import FileChange, Hunk
from greenline.core.error import EditRejected
from greenline.core.line import split_plain
from greenline.edit.apply import edit_set_from_diff
from greenline.edit.hunk import apply_hunks, changed_spans, diff_text, rebase, split
from greenline.edit.matcher import BoundedMatcher, Budget
from greenline.edit.name import clean
from greenline.edit.text import split_lines, text_hash

ENDS = st.sampled_from(["\n", "\r\n", "\n", "\n"])
BODIES = st.sampled_from(["a", "b", "  c", "", "ü\x0c", "d\u2028e"])
LINES = st.lists(st.tuples(BODIES, ENDS).map("".join), max_size=12)
TEXTS = st.builds(lambda lines, tail: "".join(lines) + tail, LINES, st.sampled_from(["", "x", "y"]))


def cut(before: str, after: str) -> tuple[Hunk, ...]:
    """Cut an edit of one file."""
    change = FileChange("/w/a.py", before.encode(), after.encode())
    return split(change, before, after)


@given(st.text(alphabet="ab\r\n\x0b\x0c\x1c\x85\u2028", max_size=30))
def test_lines_join_to_the_same_text(text: str) -> None:
    lines = split_lines(text)

    assert "".join(lines) == text
    assert all("\n" not in line[:-1] or line.endswith("\r\n") for line in lines)
    assert len(lines) == len((text + "|").replace("\r\n", "\n").replace("\r", "\n").split("\n")) - (
        text == "" or text.endswith(("\r", "\n"))
    )


@given(
    st.text(alphabet="ab \t\r\n\x0b\x1c\x1f\x85\xa0\u2028", max_size=20)
    | st.text(alphabet="a \t\n", max_size=9)
)
def test_plain_lines_are_the_lines_without_their_ends_and_blanks(text: str) -> None:
    assert split_plain(text) == [line.rstrip() for line in split_lines(text)]


@given(TEXTS, TEXTS)
def test_all_hunks_give_the_new_text(before: str, after: str) -> None:
    assert apply_hunks(before, cut(before, after)) == after


@given(TEXTS, TEXTS, st.randoms(use_true_random=False))
@settings(max_examples=200)
def test_a_subset_in_any_order_leaves_the_rest_alone(before: str, after: str, chance: random.Random) -> None:
    hunks = list(cut(before, after))
    chosen = [h for h in hunks if chance.random() < 0.5]
    lines = split_lines(before)
    expected, position = "", 0
    for hunk in chosen:
        expected += "".join(lines[position : hunk.start_line]) + hunk.after
        position = hunk.end_line
    expected += "".join(lines[position:])
    chance.shuffle(chosen)

    assert apply_hunks(before, chosen) == expected


@given(TEXTS, TEXTS)
def test_neighbouring_changes_are_one_hunk(before: str, after: str) -> None:
    spans = changed_spans(split_lines(before), split_lines(after))

    assert all(a.end < b.start and a.to_end < b.to_start for a, b in itertools.pairwise(spans))


@given(TEXTS, TEXTS)
@settings(max_examples=200)
def test_a_diff_reads_back(before: str, after: str) -> None:
    if before == after:
        return
    diff = diff_text("a.py", before, after)

    edits = edit_set_from_diff(diff, lambda path: before.encode() if path == "/w/a.py" else None, "/w")

    assert [c.after for c in edits.changes] == [after.encode()]


NAMES = st.text(st.characters(codec="utf-8") | st.sampled_from('\udce9\udc80 "\\\t\n\x1b'), min_size=1)


@given(NAMES)
@settings(max_examples=300)
def test_a_diff_names_any_file(name: str) -> None:
    path = name.replace("\0", "_")

    diff = diff_text(path, None, "x\n")

    diff.encode()
    assert diff.count("\n") == 4
    assert "\x1b" not in diff
    if path.encode("utf-8", "surrogateescape").decode("utf-8", "surrogateescape") == path:
        assert clean(diff.split("\n")[1][4:]) == f"b/{path}"


def test_created_and_deleted_files_are_one_hunk_each() -> None:
    (created,) = split(FileChange("/w/a", None, b"x\ny\n"), None, "x\ny\n")
    (deleted,) = split(FileChange("/w/a", b"x\ny\n", None), "x\ny\n", None)

    assert (created.op, created.before, created.after, created.base_hash) == ("create", "", "x\ny\n", "")
    assert (deleted.op, deleted.before, deleted.end_line) == ("delete", "x\ny\n", 2)
    assert deleted.base_hash == text_hash("x\ny\n")


def test_appending_to_a_file_with_and_without_a_final_newline() -> None:
    (with_end,) = cut("a\nb\n", "a\nb\nc\n")
    (without,) = cut("a\nb", "a\nb\nc")

    assert (with_end.start_line, with_end.end_line, with_end.after) == (2, 2, "c\n")
    assert (without.before, without.after) == ("b", "b\nc")


def test_a_hunk_on_other_text_is_refused() -> None:
    (hunk,) = cut("a\nb\n", "a\nc\n")

    with pytest.raises(EditRejected) as caught:
        apply_hunks("a\nx\n", [hunk])

    assert caught.value.code == "conflict"


@pytest.mark.parametrize(
    ("user", "expected"),
    [
        ("0\na\nb\nc\n", "0\na\nB\nc\n"),
        ("a\nb\nc\nd\n", "a\nB\nc\nd\n"),
        ("A\nb\nc\n", "A\nB\nc\n"),
        ("a\nb!\nc\n", None),
        ("a\nc\n", None),
        ("b\nc\n", "B\nc\n"),
    ],
)
def test_rebase_follows_the_user(user: str, expected: str | None) -> None:
    (hunk,) = cut("a\nb\nc\n", "a\nB\nc\n")

    moved = rebase(hunk, "a\nb\nc\n", user)

    assert (None if moved is None else apply_hunks(user, [moved])) == expected
    assert moved is None or moved.base_hash == text_hash(user)


def test_two_insertions_at_one_place_conflict() -> None:
    (hunk,) = cut("a\nb\n", "a\nnew\nb\n")

    assert rebase(hunk, "a\nb\n", "a\nuser\nb\n") is None


def test_a_diff_marks_a_missing_final_newline() -> None:
    assert diff_text("n.txt", "a", "a\n").endswith("-a\n\\ No newline at end of file\n+a\n")
    assert diff_text("n.txt", None, "a\n").startswith("--- /dev/null\n+++ b/n.txt\n@@ -0,0 +1 @@\n")


FEW_LINES = st.lists(st.sampled_from(["}\n", "{\n", "\n", "x\n"]), max_size=60)


@given(FEW_LINES, FEW_LINES, st.integers(0, 3000))
def test_lines_are_told_apart_within_any_budget(before: list[str], after: list[str], n_pairs: int) -> None:
    codes = BoundedMatcher(before, after, Budget(n_pairs)).get_opcodes()

    turned = [line for _, start, end, to, past in codes for line in after[to:past]]
    assert turned == after
    assert all(before[start:end] == after[to:past] for tag, start, end, to, past in codes if tag == "equal")


@given(FEW_LINES, FEW_LINES)
def test_within_its_budget_a_comparison_is_difflib_s(before: list[str], after: list[str]) -> None:
    plain = difflib.SequenceMatcher(None, before, after, autojunk=False)

    assert BoundedMatcher(before, after).get_opcodes() == plain.get_opcodes()


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (["}\n", "x\n"] * 950, ["x\n", "}\n", "\n"] * 640),
        (["    },\n", "    {\n", "      1,\n"] * 400, ["    {\n", "      1,\n", "    },\n", "\n"] * 400),
        ([f"{n % 3}\n{n}\n" for n in range(1500)], [f"{n * 7 % 3}\n{n % 2}\n" for n in range(1500)]),
        (
            [f"a{n + m}\n" for n in range(9000) for m in (2, 1)],
            [line for n in range(9000) for m in (2, 1) for line in (f"a{n + m}\n", f"u{n % 3}\n")],
        ),
    ],
)
def test_a_text_of_few_different_lines_is_cut_at_once(before: list[str], after: list[str]) -> None:
    old, new = "".join(before), "".join(after)
    began = time.process_time()

    hunks = cut(old, new)

    assert time.process_time() - began < 3
    assert apply_hunks(old, hunks) == new
