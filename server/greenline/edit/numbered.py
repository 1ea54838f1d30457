"""Takes off the line numbers that a tool shows before lines, where an edit has copied them. Pure.

Texts hold numbers of their own too, such as the keys of a table: those of the file are never taken off.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import attrs

from greenline.edit.line_number import CLEAR, Row, alone, form_of, malformed, readings, row_of
from greenline.edit.operation import PatchHunk
from greenline.edit.text import line_end, split_lines

_LETTER = re.compile(r"[^\W\d_]")


@attrs.frozen
class Plain:
    """A search and its replacement without the numbers before their lines."""

    search: str
    replace: str
    start: int
    """0-based line that the first number states."""
    is_sure: bool
    """Whether several lines, or a form that only tools have, show that these are line numbers."""


def plain(search: str, replace: str, lines: Sequence[str] = ()) -> tuple[Plain, ...]:
    """Return both texts without the numbers before their lines, likeliest first; nothing where none are.

    There are none where the file's `lines` have such numbers themselves.
    A blank after the number may be the form's or the line's own, so there may be two readings.
    Raises `EditRejected` (`malformed`) where the numbers stand before some new lines alone.
    """
    source, target = split_lines(search), split_lines(replace)
    form = form_of(source)
    if form is None or _is_own(source, form, lines):
        return ()
    is_in_both = _refuse_some(source, target, form)
    rows = [row for line in source if (row := row_of(line, form))]
    is_sure = len(rows) > 1 or form in CLEAR
    found = []
    for n_blanks in _blanks([*source, *(target if is_in_both else ())], form):
        old = "".join(_without(source, form, n_blanks))
        new = "".join(_without(target, form, n_blanks)) if is_in_both else replace
        if old.strip():
            found.append(Plain(old, new, max(rows[0].number - 1, 0), is_sure))
    return tuple(found)


def plain_hunks(hunks: Sequence[PatchHunk], lines: Sequence[str] = ()) -> tuple[tuple[PatchHunk, ...], ...]:
    """Return hunks without the numbers before their lines, in each reading; nothing where there are none.

    There are none where the file's `lines` have such numbers themselves. Raises as `plain` does.
    """
    readings = (tuple(_plain_hunk(hunk, lines, drops=drops) for hunk in hunks) for drops in (True, False))
    return tuple(dict.fromkeys(found for found in readings if found != tuple(hunks)))


def _plain_hunk(hunk: PatchHunk, lines: Sequence[str], *, drops: bool) -> PatchHunk:
    old = [text for kind, text in hunk.lines if kind != "+"]
    new = [text for kind, text in hunk.lines if kind == "+"]
    form = form_of(old)
    if form is None or _is_own(old, form, lines):
        return hunk
    is_in_both = _refuse_some(old, new, form)
    n_blanks = _blanks([*old, *(new if is_in_both else ())], form)[0] if drops else 0
    sources = iter(_without(old, form, n_blanks))
    targets = iter(_without(new, form, n_blanks) if is_in_both else new)
    shown = tuple((kind, next(targets if kind == "+" else sources)) for kind, _ in hunk.lines)
    return attrs.evolve(hunk, lines=shown)


def _is_own(wanted: Sequence[str], form: str, lines: Sequence[str]) -> bool:
    """Return whether a file has such numbers before its own lines, so that no tool need have shown them."""
    if form in CLEAR:
        return False
    rests = {row.rest.strip() for line in lines if (row := row_of(line, form))} - {""}
    return any((row := row_of(line, form)) and row.rest.strip() in rests for line in wanted)


def _refuse_some(old: Sequence[str], new: Sequence[str], form: str) -> bool:
    """Return whether new lines are numbered as old ones; raises `EditRejected` where only some are."""
    known = [row for line in old if (row := row_of(line, form))]
    n_rows = sum(1 for line in new if _is_alike(row_of(line, form), known))
    if n_rows and not _are_all_numbered(old, new, form):
        raise malformed("Line numbers stand before some of the new lines and not before the others.")
    return n_rows > 0


def _are_all_numbered(old: Sequence[str], new: Sequence[str], form: str) -> bool:
    """Return whether new lines are blank, numbered as old ones, or a lone number that is the next one's."""
    known = [row for line in old if (row := row_of(line, form))]
    first = alone(next(line for line in old if line.strip()))
    last = known[0].number - 1 if first is None else first - 1
    for line in new:
        row = row_of(line, form)
        number = row.number if row is not None and _is_alike(row, known) else None
        if number is None and line.strip():
            number = alone(line)
            if number is None or number not in (last, last + 1):
                return False
        last = last if number is None else number
    return True


def _is_alike(row: Row | None, known: Sequence[Row]) -> bool:
    """Return whether a number stands as those of other lines do: at the edge, or right-justified."""
    if row is None:
        return False
    return (
        row.is_flush
        if all(other.is_flush for other in known)
        else any(row.width == other.width for other in known)
    )


def _blanks(lines: Sequence[str], form: str) -> tuple[int, ...]:
    """Return how many blanks after a number may be the form's, likeliest first."""
    rests = [row.rest for line in lines if (row := row_of(line, form)) and row.rest.strip()]
    return (1, 0) if all(rest.startswith(" ") for rest in rests) else (0,)


def has_numbers(wanted: Sequence[str], lines: Sequence[str]) -> bool:
    """Return whether a wanted line is one of the file's but for a number before it."""
    known = {line.strip() for line in lines}
    return any(
        row.rest.strip() in known and _LETTER.search(row.rest) and line.strip() not in known
        for line in wanted
        for row in readings(line)
    )


def _without(lines: Sequence[str], form: str, n_blanks: int) -> list[str]:
    """Return lines without their numbers, and without so many blanks after each."""
    found = []
    for line in lines:
        row = row_of(line, form)
        if row is not None:
            found.append(row.rest.removeprefix(" " * n_blanks))
        else:
            found.append(line_end(line) if line.strip() else line)
    return found
