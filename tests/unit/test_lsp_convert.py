"""Positions in three encodings, incremental changes, and URIs."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lsprotocol import types

from greenline.core.error import InvalidInput
from greenline.edit.text import split_lines
from greenline.lsp.channel import FrameReader
from greenline.lsp.convert import Encoding, Lines, Replaced, edited, to_path, to_uri

ENCODINGS = ["utf-8", "utf-16", "utf-32"]


@pytest.mark.parametrize(("name", "column"), [("utf-8", 7), ("utf-16", 4), ("utf-32", 3)])
def test_a_column_counts_in_the_clients_units(name: str, column: int) -> None:
    lines = Lines.of("aé😀b", Encoding(name))

    assert lines.position(3) == types.Position(0, column)
    assert lines.offset(types.Position(0, column)) == 3


@pytest.mark.parametrize("name", ENCODINGS)
@given(st.text(alphabet="aé😀\r\n\u2028\f"), st.data())
def test_every_offset_survives_the_round_trip(name: str, text: str, data: st.DataObject) -> None:
    offset = data.draw(st.integers(0, len(text)))
    if text[offset - 1 : offset + 1] == "\r\n" and offset:
        return
    lines = Lines.of(text, Encoding(name))

    assert lines.offset(lines.position(offset)) == offset


def test_a_change_lands_behind_characters_that_end_no_line() -> None:
    spot = types.Position(1, 1)
    change = types.TextDocumentContentChangePartial(types.Range(spot, spot), "X")

    lines, replaced = edited(split_lines("a\u2028b\f\nc\n"), change, Encoding("utf-16"))

    assert "".join(lines) == "a\u2028b\f\ncX\n"
    assert replaced == Replaced(1, ["c\n"], ["cX\n"])


@pytest.mark.parametrize("uri", ["untitled:one", "file://", "http://h/x", "file:///a%00b", "/plain"])
def test_what_is_no_file_uri_is_named(uri: str) -> None:
    with pytest.raises(InvalidInput, match="not a file URI"):
        to_path(uri)


def test_a_path_survives_its_uri() -> None:
    assert to_path(to_uri("/w/a b/é#?%.py")) == "/w/a b/é#?%.py"


@given(st.lists(st.binary(max_size=40), max_size=5), st.integers(1, 30))
def test_frames_are_cut_wherever_the_stream_breaks(bodies: list[bytes], width: int) -> None:
    stream = b"".join(b"Content-Length: %d\r\n\r\n%s" % (len(b), b) for b in bodies)
    reader = FrameReader()

    found = [body for n in range(0, len(stream), width) for body in reader.feed(stream[n : n + width])]

    assert found == bodies


TYPED = st.text(alphabet="ab\r\n\u2028é😀", max_size=4)


@given(
    st.text(alphabet="ab\r\n\u2028é😀", max_size=20),
    st.lists(st.tuples(st.integers(0, 8), st.integers(0, 8), st.integers(0, 8), st.integers(0, 8), TYPED)),
    st.sampled_from(["utf-8", "utf-16", "utf-32"]),
)
def test_changes_in_part_give_the_text_that_offsets_give(
    text: str, changes: list[tuple[int, int, int, int, str]], name: str
) -> None:
    encoding = Encoding(name)
    made, now = text, split_lines(text)
    for line, character, end_line, end_character, typed in changes:
        start, end = types.Position(line, character), types.Position(end_line, end_character)
        lines = Lines.of(made, encoding)
        first, last = lines.offset(start), lines.offset(end)
        made = made[:first] + typed + made[max(first, last) :]
        change = types.TextDocumentContentChangePartial(types.Range(start, end), typed)
        before, (now, replaced) = now, edited(now, change, encoding)

        assert "".join(now) == made
        assert list(now) == split_lines(made)
        assert replaced is not None
        cut, to_cut = (replaced.start + len(part) for part in (replaced.old, replaced.new))
        assert [*before[: replaced.start], *replaced.new, *before[cut:]] == now
        assert [*before[replaced.start : cut]] == replaced.old
        assert now[to_cut:] == before[cut:]


SAME = ["def t():\n", "    check()\n", "\n"] * 4


@pytest.mark.parametrize(
    ("start", "end", "typed", "replaced"),
    [
        ((3, 0), (6, 0), "", Replaced(3, SAME[:3], [])),
        ((2, 0), (5, 0), "", Replaced(2, SAME[2:5], [])),
        ((3, 8), (6, 8), "", Replaced(4, SAME[1:4], [])),
        ((3, 0), (3, 0), "".join(SAME[:3]), Replaced(3, [], SAME[:3])),
        ((3, 8), (3, 8), "\n    check()", Replaced(4, [], SAME[1:2])),
        ((9, 0), (12, 0), "", Replaced(9, SAME[9:], [])),
        ((12, 0), (12, 0), "def t():\n", Replaced(12, [], SAME[:1])),
        ((4, 4), (4, 9), "look", Replaced(4, SAME[1:2], ["    look()\n"])),
        ((0, 0), (99, 0), "", Replaced(0, SAME, [])),
    ],
)
def test_a_change_among_equal_lines_is_of_those_that_the_editor_names(
    start: tuple[int, int], end: tuple[int, int], typed: str, replaced: Replaced
) -> None:
    change = types.TextDocumentContentChangePartial(
        types.Range(types.Position(*start), types.Position(*end)), typed
    )

    assert edited(SAME, change, Encoding("utf-8"))[1] == replaced
