"""Hunks that were taken back stand where that was, among lines that look the same."""

from __future__ import annotations

import attrs
import pytest

from greenline.core.edit import FileChange, Hunk
from greenline.edit.change import marks_of
from greenline.edit.hunk import apply_hunks, split
from greenline.edit.merge import merge_texts
from greenline.edit.taken_back import Stage, places
from greenline.edit.text import text_hash
from greenline.lsp.placing import Placing
from greenline.lsp.review import CurrentText

STANZA = "def f():\n    x = 0\n    y = 1\n    return x\n\n"
BASE = STANZA * 9
NEW = {
    "replace": STANZA.replace("x = 0", "x = 5"),
    "insert": STANZA.replace("    y = 1\n", "    y = 1\n    z = 7\n"),
    "delete": STANZA.replace("    y = 1\n", ""),
}


def hunk_at(before: str, stanza: str, number: int) -> Hunk:
    """Return the hunk of one stanza in a text of equal ones."""
    pieces = [STANZA] * (len(before) // len(STANZA))
    pieces[number] = stanza
    (hunk,) = split(FileChange("/w/a.py", b"", b""), before, "".join(pieces))
    return hunk


@pytest.mark.parametrize("kind", NEW)
@pytest.mark.parametrize("typed", ["", "import os\n", STANZA])
@pytest.mark.parametrize("is_gone", [False, True])
def test_a_hunk_is_told_where_it_was_taken_back(kind: str, typed: str, is_gone: bool) -> None:
    hunk = hunk_at(BASE, NEW[kind], 3)
    there = attrs.evolve(hunk_at(STANZA * 8, NEW[kind], 2), id=hunk.id)
    before = STANZA * 8
    after = apply_hunks(before, [there])
    now = typed + (after[len(STANZA) :] if is_gone else after)
    merged = merge_texts(after, now, before)
    restored = merged.text

    told = places(now, restored, [Stage(before, after, marks_of("p", [there]))], {hunk.id: hunk}, {})

    placed = told[hunk.id]
    if merged.conflicts:
        # It stays accepted, as the lines that were put beside it leave open what is to be taken back.
        assert placed is None
        return
    assert placed is not None
    assert apply_hunks(restored, [placed]) == now
    assert placed.base_hash == text_hash(restored)


def test_hunks_of_several_accepts_are_told_in_the_text_after_all_of_them() -> None:
    low, high = hunk_at(BASE, NEW["insert"], 6), hunk_at(BASE, NEW["delete"], 2)
    first = apply_hunks(BASE, [low])
    placed = attrs.evolve(high, base_hash=text_hash(first))
    second = apply_hunks(first, [placed])
    stages = [Stage(first, second, marks_of("p", [placed])), Stage(BASE, first, marks_of("p", [low]))]

    told = places(second, BASE, stages, {low.id: low, high.id: high}, {})

    assert told == {low.id: low, high.id: high}


def test_nothing_is_told_where_the_hunk_put_back_gives_another_text() -> None:
    hunk = hunk_at(BASE, NEW["replace"], 3)
    after = apply_hunks(BASE, [hunk])
    marks = tuple(attrs.evolve(mark, start_line=0, end_line=None) for mark in marks_of("p", [hunk]))
    now = after[len(STANZA) :]

    told = places(now, STANZA * 8, [Stage(BASE, after, marks)], {hunk.id: hunk}, {text_hash(BASE): BASE})

    assert told == {hunk.id: None}


@pytest.mark.parametrize("kind", NEW)
def test_a_hunk_that_was_taken_back_is_not_looked_for_in_another_stanza(kind: str) -> None:
    now = [STANZA * 8]
    placing = Placing(lambda _: CurrentText(now[0], 1), {text_hash(t): t for t in (BASE, STANZA * 8)}.get)
    hunk = hunk_at(BASE, NEW[kind], 3)
    there = attrs.evolve(hunk_at(STANZA * 8, NEW[kind], 2), id=hunk.id)

    placing.take_back(hunk.path, now[0], {hunk.id: there})
    assert placing.place(hunk) == there

    now[0] = "import os\n" + now[0]
    placed = placing.place(hunk)
    assert placed is not None
    assert placed.start_line == there.start_line + 1


def test_a_hunk_whose_place_nothing_tells_is_in_conflict() -> None:
    now = [STANZA * 8]
    placing = Placing(lambda _: CurrentText(now[0], 1), {text_hash(BASE): BASE}.get)
    hunk = hunk_at(BASE, NEW["replace"], 3)

    placing.take_back(hunk.path, now[0], {hunk.id: None})

    assert placing.place(hunk) is None
    now[0] = BASE
    assert placing.place(hunk) == hunk
