"""Accepts, the user's own edits and undos in any order: what the user wrote is never lost."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from greenline.core.edit import FileChange, Hunk, HunkState
from greenline.edit.change import marks_of, reversed_marks
from greenline.edit.hunk import split
from greenline.edit.restore import Content, Restored, restore
from greenline.edit.text import split_lines
from greenline.journal.blob import content_hash
from greenline.journal.checkpoint import Checkpoint, CheckpointFile, CheckpointState, Mark
from greenline.lsp.review import CurrentText, file_edits, place
from greenline.workspace.encoding import TextFile

PATH = "/w/a"
LINES = st.lists(
    st.sampled_from(["a\n", "b\r\n", "c\r", "\u2028\f\n", "e\u0301😀\n", "\n", "tail\n"]), max_size=10
)
TAIL = st.sampled_from(["", "end"])


class Buffer:
    """One buffer, the contents that were stored, and the checkpoints that were taken."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.blobs: dict[str, bytes] = {}
        self.taken: list[Checkpoint] = []
        self.conflicts = 0

    def accept(self, hunks: list[Hunk], base_text: str) -> bool:
        """Accept hunks as the review does; nothing happens where one's text is gone."""
        placed = [place(hunk, base_text, self.text) for hunk in hunks]
        if any(hunk is None for hunk in placed):
            return False
        there = [hunk for hunk in placed if hunk is not None]
        (edit,) = file_edits(there, {PATH: CurrentText(self.text, 1)})
        self._become(edit.new_text, marks_of("p", there))
        return True

    def undo(self, number: int) -> Restored:
        """Take a checkpoint back."""
        checkpoint = self.taken[number]
        (file,) = checkpoint.files
        done = restore(Content.of_text(self.text), [(checkpoint, file)], self.blobs.__getitem__)
        assert done.content is not None
        self.conflicts += len(done.conflicts)
        self._become(done.content.file().text, reversed_marks(checkpoint.marks, done.kept))
        return done

    def _become(self, text: str, marks: tuple[Mark, ...]) -> None:
        names = []
        for version in (self.text, text):
            content = Content.of_text(version)
            names.append(content_hash(content.data))
            self.blobs[names[-1]] = content.data
        file = CheckpointFile(PATH, *names, encoding="utf-8+")
        name = f"cp-{len(self.taken)}"
        self.taken.append(
            Checkpoint(name, 0.0, "accept", "editor", "", (file,), CheckpointState.DONE, marks=marks)
        )
        self.text = text


def hunks_between(before: str, after: str) -> list[Hunk]:
    return list(split(FileChange(PATH, before.encode(), after.encode()), before, after))


@given(LINES, LINES, TAIL, st.data())
def test_a_partial_accept_and_its_undo_give_the_original(
    before: list[str], after: list[str], tail: str, data: st.DataObject
) -> None:
    old, new = "".join(before) + tail, "".join(after) + tail
    hunks = hunks_between(old, new)
    chosen = [hunk for hunk in hunks if data.draw(st.booleans())]
    buffer = Buffer(old)

    if chosen:
        assert buffer.accept(chosen, old)
        done = buffer.undo(-1)
        assert done.conflicts == ()
        assert done.kept == ()
        assert buffer.text == old
        buffer.undo(-1)
        (edit,) = file_edits(chosen, {PATH: CurrentText(old, 1)})
        assert buffer.text == edit.new_text


@given(LINES, LINES, LINES, st.permutations(range(3)))
def test_partial_accepts_taken_back_in_any_order_of_distinct_lines(
    one: list[str], two: list[str], three: list[str], order: list[int]
) -> None:
    parts = ["".join(f"{n}{line}" for line in lines) for n, lines in enumerate((one, two, three))]
    old = "".join(f"== {n} ==\nkept {n}\n{part}kept too {n}\n" for n, part in enumerate(parts))
    new = "".join(f"== {n} ==\nkept {n}\nagent {n}\nkept too {n}\n" for n in range(3))
    hunks = hunks_between(old, new)
    buffer = Buffer(old)
    for hunk in hunks:
        assert buffer.accept([hunk], old)

    for number in (n for n in order if n < len(hunks)):
        assert buffer.undo(number).conflicts == ()

    assert buffer.text == old


def type_line(text: str, place: int, word: str) -> str:
    """Insert a line, or put a word at the end of a line, as a user types."""
    lines = split_lines(text)
    at = place % (len(lines) + 1)
    if place % 2 and at < len(lines):
        line = lines[at]
        body = line.rstrip("\r\n")
        lines[at] = body + word + line[len(body) :]
    else:
        if lines and at == len(lines) and not lines[-1].endswith(("\n", "\r")):
            lines[-1] += "\n"
        lines.insert(at, word + "\n")
    return "".join(lines)


def words(text: str) -> list[str]:
    """Return what the user typed in a text."""
    return sorted(re.findall("«[0-9]+»", text))


@settings(max_examples=200)
@given(
    LINES,
    st.lists(
        st.tuples(st.sampled_from(["type", "type", "accept", "undo"]), st.integers(0, 50), LINES), max_size=14
    ),
)
def test_no_word_of_the_user_is_lost(start: list[str], steps: list[tuple[str, int, list[str]]]) -> None:
    buffer = Buffer("".join(start))
    typed: list[str] = []
    proposed: tuple[str, list[Hunk]] = (buffer.text, [])
    for number, (what, place_, lines) in enumerate(steps):
        if what == "type":
            typed.append(f"«{number}»")
            buffer.text = type_line(buffer.text, place_, typed[-1])
        elif what == "accept":
            base, hunks = proposed
            if hunks:
                buffer.accept(hunks[: place_ % len(hunks) + 1], base)
            mine = [line for line in split_lines(buffer.text) if "«" in line]
            next_text = "".join([*lines, *mine])
            # Nobody accepts a hunk that takes their own words away, or that writes them twice.
            proposed = (
                buffer.text,
                [h for h in hunks_between(buffer.text, next_text) if words(h.before) == words(h.after)],
            )
        elif buffer.taken:
            buffer.undo(place_ % len(buffer.taken))

    missing = [word for word in typed if word not in buffer.text]

    assert missing == []


def test_marks_know_the_lines_that_hunks_became() -> None:
    hunks = hunks_between("a\nb\nc\nd\ne\n", "a\nB\nB2\nc\ne\nf\n")

    marks = marks_of("p", hunks)

    assert [(m.start_line, m.end_line) for m in marks] == [(1, 3), (4, 4), (5, 6)]
    assert {(m.before, m.after) for m in marks} == {(HunkState.PENDING, HunkState.ACCEPTED)}


@pytest.mark.parametrize(
    ("form", "text"),
    [
        (TextFile("", "latin-1"), "café\r\n"),
        (TextFile("", "utf-8", b"\xef\xbb\xbf"), "café"),
        (TextFile("", "utf-16-le", b"\xff\xfe"), "€\n"),
        (None, "lone \ud800 surrogate"),
        (TextFile("", "latin-1"), "no € in latin-1"),
    ],
)
def test_a_buffer_s_text_comes_back_from_its_stored_form(form: TextFile | None, text: str) -> None:
    content = Content.of_text(text, form)

    assert content.file().text == text
    assert Content(content.data, content.form) == content


def test_what_the_file_s_encoding_lacks_is_a_conflict() -> None:
    blobs = {content_hash(data): data for data in ("a\n€\n".encode(), b"a\nb\n")}
    before, after = blobs
    file = CheckpointFile(PATH, before, after)
    checkpoint = Checkpoint("cp", 0.0, "apply", "disk", "", (file,), CheckpointState.DONE)
    now = Content("é\nb\n".encode("latin-1"))

    done = restore(now, [(checkpoint, file)], blobs.__getitem__)

    assert done.content == now
    assert "U+20AC" in done.conflicts[0].reason


def test_the_readable_cases_merge_as_their_files_say() -> None:
    folder = Path(__file__).parents[1] / "data" / "lsp"
    for case in sorted(path.parent for path in folder.glob("*/scenario.json")):
        before, agent, user, expected = (
            (case / f"{name}.txt").read_bytes().decode()
            for name in ("before", "after_agent", "after_user", "expected")
        )
        buffer = Buffer(before)
        buffer.accept(hunks_between(before, agent), before)
        buffer.text = user

        done = buffer.undo(-1)

        wanted = json.loads((case / "scenario.json").read_text()).get("conflicts", [])
        assert (case.name, buffer.text) == (case.name, expected)
        assert [c.line for c in done.conflicts] == wanted
