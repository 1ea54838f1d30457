"""Positions in three encodings, incremental changes, and URIs."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lsprotocol import types

from greenline.core.error import InvalidInput
from greenline.lsp.channel import FrameReader
from greenline.lsp.convert import Encoding, Lines, apply_changes, to_path, to_uri

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

    assert apply_changes("a\u2028b\f\nc\n", [change], Encoding("utf-16")) == "a\u2028b\f\ncX\n"


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
    made = text
    partial = []
    for line, character, end_line, end_character, typed in changes:
        start, end = types.Position(line, character), types.Position(end_line, end_character)
        lines = Lines.of(made, encoding)
        first, last = lines.offset(start), lines.offset(end)
        made = made[:first] + typed + made[max(first, last) :]
        partial.append(types.TextDocumentContentChangePartial(types.Range(start, end), typed))

    assert apply_changes(text, partial, encoding) == made
