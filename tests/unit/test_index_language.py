"""What each language's grammar and queries find, and that chunks cover a text without overlap."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import hypothesis.strategies as st
import pytest
from hypothesis import given, settings

from greenline.index.analysis import Analysis, analyse, parse
from greenline.index.grammar import LANGUAGES, language_of
from greenline.index.token import MAX_TOKENS, count_tokens
from greenline.index.tree import TreeCache

SAMPLES = Path(__file__).parents[1] / "data" / "index" / "language"
EXPECTED = json.loads((SAMPLES / "expected.json").read_text())
PIECES = st.lists(
    st.sampled_from(
        [
            *("def f(a):\n", "    return g(a)\n", "class A:\n", "    '''Doc.'''\n", "\n", "# note\n"),
            *(
                "x = [1,\n",
                "2]\n",
                "    def m(self):\n",
                "'''\n",
                "(\n",
                ")\n",
                "import a.b\n",
                "y" * 50 + "\n",
            ),
            *("@wrap\n", "\t", "\u00e9\u4e2d\n", "\r\n", "if a:\n", "  b = 'c' + " * 40 + "'d'\n"),
        ]
    ),
    max_size=200,
)


def found(name: str, data: bytes) -> dict[str, Any]:
    language = language_of(name, data)
    analysis = analyse(name, data, language, parse(data, language))
    return {
        "language": language,
        "definitions": [
            f"{d.kind.value} {'.'.join(filter(None, (d.container, d.name)))} {d.start_line}-{d.end_line}"
            for d in analysis.definitions
        ],
        "imports": [" ".join((i.module, *i.names)) for i in analysis.imports],
        "calls": " ".join(chunk.calls for chunk in analysis.chunks),
        "docs": " ".join(chunk.doc_terms for chunk in analysis.chunks),
    }


@pytest.mark.parametrize("name", sorted(EXPECTED))
def test_a_language_is_read(name: str) -> None:
    assert found(name, (SAMPLES / name).read_bytes()) == EXPECTED[name]


def test_every_language_has_a_sample() -> None:
    assert {case["language"] for case in EXPECTED.values()} == {*LANGUAGES, "text"}
    assert {path.name for path in SAMPLES.iterdir()} == {*EXPECTED, "expected.json"}


@pytest.mark.parametrize(
    ("name", "data", "language"),
    [
        ("tool", b"#!/usr/bin/env python3\n", "python"),
        ("tool", b"#!/bin/sh\n", "bash"),
        ("tool", b"plain\n", "text"),
        (".py", b"", "text"),
        ("a.H", b"", "c"),
        ("a.h", b"namespace a {\n", "cpp"),
        ("Rakefile", b"", "ruby"),
        ("x.unknown", b"", "text"),
    ],
)
def test_a_language_is_known_by_name_or_first_line(name: str, data: bytes, language: str) -> None:
    assert language_of(name, data) == language


def check_chunks(source: bytes, analysis: Analysis) -> None:
    at = 0
    kept = bytearray()
    for chunk in analysis.chunks:
        part = chunk.part
        assert at <= part.start_byte < part.end_byte
        assert not source[at : part.start_byte].strip()
        assert count_tokens(source[part.start_byte : part.end_byte]) == part.n_tokens <= MAX_TOKENS
        assert source.count(b"\n", 0, part.start_byte) + 1 == part.start_line
        at = part.end_byte
        kept += source[part.start_byte : part.end_byte]
    assert not source[at:].strip()


@settings(max_examples=60, deadline=None)
@given(PIECES, st.sampled_from(["a.py", "a.md", "a.txt", "a.ts", "a.json"]))
def test_chunks_cover_any_text_in_order_and_within_their_limit(pieces: list[str], name: str) -> None:
    source = "".join(pieces).encode()
    language = language_of(name, source)

    analysis = analyse(name, source, language, parse(source, language))

    check_chunks(source, analysis)


@settings(max_examples=40, deadline=None)
@given(PIECES, PIECES, st.integers(0, 200), st.integers(0, 200))
def test_a_text_that_is_parsed_from_its_last_tree_reads_as_one_parsed_anew(
    before: list[str], inserted: list[str], start: int, length: int
) -> None:
    body = before * (1 + 17_000 // max(1, sum(map(len, before))))
    after = body[:start] + inserted + body[start + length :]
    old, new = ("".join(pieces).encode() for pieces in (body, after))
    trees = TreeCache()
    trees.parse("a.py", old, "python", keep=True)

    again = analyse("a.py", new, "python", trees.parse("a.py", new, "python", keep=True))

    assert again == analyse("a.py", new, "python", parse(new, "python"))


@pytest.mark.parametrize(
    ("language", "piece"),
    [("javascript", "/*\n"), ("bash", "<<E\n"), ("python", "(\n"), ("typescript", "{[\n"), ("c", "((\n")],
)
def test_a_text_that_a_parser_would_take_minutes_for_is_split_by_lines(language: str, piece: str) -> None:
    source = (piece * (300_000 // len(piece))).encode()

    assert parse(source, language) is None
    check_chunks(source, analyse("a", source, language, None))


def test_a_table_of_a_megabyte_is_cut_by_lines_however_many_parts_that_makes() -> None:
    source = b"".join(b'  ["%d", %d.25, %d],\n' % (i, i * 7, i * 31) for i in range(36_000))

    analysis = analyse("table.json", source, "json", parse(source, "json"))

    assert len(analysis.chunks) > 1000
    check_chunks(source, analysis)


def test_a_long_definition_keeps_its_name_and_signature_in_every_part() -> None:
    body = "".join(f"        self.send_part_{n}(upload, {n})\n" for n in range(120))
    source = f"class Box:\n    def put(self, upload):\n{body}".encode()

    analysis = analyse("pkg/box.py", source, "python", parse(source, "python"))

    assert len(analysis.chunks) > 1
    for chunk in analysis.chunks[1:]:
        assert chunk.symbol == "Box.put"
        assert chunk.embedded.startswith("# pkg/box.py Box.put\nclass Box:\ndef put(self, upload):\n")
        assert "upload" in chunk.body_terms


def test_an_identifier_is_split_and_kept_whole() -> None:
    source = b"value = getUserName2(http_server_url, HTTPServer)\n"

    (chunk,) = analyse("a.py", source, "python", parse(source, "python")).chunks

    assert chunk.body_terms == (
        "value getUserName2 get User Name http_server_url http server url HTTPServer HTTP Server"
    )
