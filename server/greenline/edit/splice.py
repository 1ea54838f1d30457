"""Turns a placed hunk into spans of new lines in the file's own form: line ends, typography, indentation."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from itertools import accumulate

import attrs

from greenline.core.error import EditRejected
from greenline.edit.hunk import Span, changed_spans
from greenline.edit.indent import Indents, indentation, unit, width
from greenline.edit.matcher import BoundedMatcher
from greenline.edit.operation import PatchHunk
from greenline.edit.place import Placement
from greenline.edit.text import line_end, without_end
from greenline.edit.tolerance import PLAIN, Tolerance, plain

_QUOTES = "'\""
_LONG = 1000
"""Characters of a line up to which they are compared one by one; past it, words are."""
_MANY = 100
_WORD = re.compile(r"^\s+|\S+\s*")
_FEEDS = re.compile(r"[\f\v]+")


@attrs.frozen
class NewLines:
    """Lines `start` … `end` (exclusive) of the file become `lines`."""

    start: int
    end: int
    lines: tuple[str, ...]


def splice(file: Sequence[str], hunk: PatchHunk, placement: Placement, end: str) -> Iterator[NewLines]:
    """Yield what a hunk changes, top down; its context keeps the file's bytes.

    `end` is the line end where no neighbour shows one.
    Raises `EditRejected` (`no-match`) where an insertion could go before or after a line that the hunk lacks.
    """
    form = _form(file, hunk, placement)
    matched = [
        (row, line, file[row])
        for line, row in zip(hunk.source, placement.rows, strict=True)
        if row is not None and line.strip()
    ]
    for change in _changes(hunk, placement):
        yield _new_lines(file, placement, form, change, end, matched)


def joined(file: Sequence[str], spans: Sequence[NewLines], end: str, *, has_end: bool | None) -> str:
    """Return the text with all spans put in; they must be sorted.

    Raises `EditRejected` (`malformed`) where two of them overlap.
    A last line that is new ends as the file did, unless the edit says whether it has an end (`has_end`).
    """
    result: list[str] = []
    position = 0
    last_is_new = False
    for span in spans:
        if span.start < position:
            raise EditRejected(
                f"Two parts of the edit change line {span.start + 1}.",
                remedy="Put what changes the same lines into one hunk.",
                lines=(span.start + 1,),
            )
        result.extend(file[position : span.start])
        result.extend(span.lines)
        position = span.end
        last_is_new = bool(span.lines)
    result.extend(file[position:])
    if not result:
        return ""
    last = result.pop()
    whole = [line if line.endswith(("\n", "\r")) else line + end for line in result]
    if last_is_new and position >= len(file) > 0:
        has_end = bool(line_end(file[-1])) if has_end is None else has_end
        last = without_end(last) + ((line_end(last) or end) if has_end else "")
    return "".join(whole) + last


@attrs.frozen
class _Change:
    """Neighbouring removed and added lines of a hunk, between two lines of context."""

    above: int | None
    """The file's line of the context above, or None where there is none."""
    below: int | None
    removed: tuple[tuple[str, int], ...]
    """Text of the hunk, and the file's line."""
    added: tuple[str, ...]


def _changes(hunk: PatchHunk, placement: Placement) -> Iterator[_Change]:
    rows = iter(placement.rows)
    above: int | None = None
    removed: list[tuple[str, int]] = []
    added: list[str] = []
    for kind, text in hunk.lines:
        row = None if kind == "+" else next(rows)
        if kind == "+":
            added.append(text)
        elif kind == "-" and row is not None:
            removed.append((text, row))
        elif row is not None:
            if removed or added:
                yield _Change(above, row, tuple(removed), tuple(added))
                removed, added = [], []
            above = row
    if removed or added:
        yield _Change(above, None, tuple(removed), tuple(added))


_Matched = Sequence[tuple[int, str, str]]
"""Row, and the line in the hunk and in the file, of all old lines with text."""
Near = Sequence[tuple[str, str]]
"""Old lines in the hunk and in the file."""


@attrs.frozen
class _Form:
    """How the file writes what the hunk writes otherwise."""

    literal: bool
    """Whether new lines are written as the hunk has them, their ends too."""
    indents: Indents | None = None
    characters: dict[int, str] = attrs.field(factory=dict)

    def write(self, line: str, pair: tuple[str, str] | None, near: Near) -> str:
        """Return a new line's body in the file's form.

        `pair` is the old line in the hunk and in the file, `near` the old lines whose indentation it follows.
        """
        body = without_end(line)
        indent, text = indentation(body), body.lstrip(" \t")
        if pair is not None:
            text = _carried(text, *(without_end(old).strip(" \t") for old in pair))
            # A page break that the edit does not show stays where it is.
            feeds = _FEEDS.match(pair[1])
            if feeds and not pair[0].startswith(feeds[0]) and not body.startswith(feeds[0]):
                return feeds[0] + indent + text.translate(self.characters)
        body = indent + text.translate(self.characters)
        return body if self.indents is None else _settled(self.indents, body, near).translate(body)


def _form(file: Sequence[str], hunk: PatchHunk, placement: Placement) -> _Form:
    if placement.tolerance < Tolerance.CHARACTERS:
        return _Form(literal=placement.tolerance is Tolerance.EXACT)
    kinds = [kind for kind, _ in hunk.lines if kind != "+"]
    rows = zip(kinds, hunk.source, placement.rows, strict=True)
    marked = [(kind, line, file[row]) for kind, line, row in rows if row is not None]
    pairs = [(line, found) for _, line, found in marked]
    indents = None
    added = [line for kind, line in hunk.lines if kind == "+" and line.strip()]
    if (
        placement.tolerance >= Tolerance.INDENTATION
        and not (hunk.has_marks and _lost_marks(marked, added))
        and not _is_own(marked, added)
    ):
        least = min((indentation(line) for line, _ in pairs if line.strip()), key=width, default="")
        units = unit(hunk.target, least) or unit(hunk.source, least), unit(file)
        indents = Indents.of([line for line, _ in pairs], [line for _, line in pairs], units)
    return _Form(False, indents, _characters(pairs))


def _settled(indents: Indents, body: str, near: Near) -> Indents:
    """Return indentations of which none is in doubt for a line; raises `EditRejected` (`no-match`)."""
    disputed = indents.dispute(body)
    if disputed is None:
        return indents
    owns = {indentation(found) for line, found in near if indentation(line) == disputed}
    if len(owns) == 1:
        return indents.settled(disputed, owns.pop())
    if indents.kept and indents.known[disputed] == disputed:
        return indents
    raise EditRejected(
        f"The file indents the lines around {body.strip()[:60]!r} in several ways, and the edit in one.",
        remedy="Copy the lines with the file's indentation.",
        code="no-match",
    )


_Marked = Sequence[tuple[str, str, str]]
"""Kind, and the line in the hunk and in the file, of all old lines."""


def _lost_marks(marked: _Marked, added: Sequence[str]) -> bool:
    """Return whether only the context lacks a blank: the one that a diff puts before it."""
    is_drifted = False
    for kind, line, found in marked:
        indent, own = indentation(line), indentation(found)
        if not line.strip() or indent == own:
            continue
        if kind == "-" or own != indent + " ":
            return False
        is_drifted = True
    kept = (kind == " " and indentation(line) == indentation(found) != "" for kind, line, found in marked)
    if not is_drifted or any(kept):
        return False
    # New lines that are indented as the context is, and not as the file, drifted with it.
    context = {indentation(line) for _, line, _ in marked} - {indentation(found) for _, _, found in marked}
    return not added or not {indentation(line) for line in added} <= context


def _is_own(marked: _Marked, added: Sequence[str]) -> bool:
    """Return whether only the old lines drifted, and the new ones begin where the file's begin."""
    drifted = [
        (kind, line, found)
        for kind, line, found in marked
        if line.strip() and indentation(line) != indentation(found)
    ]
    if not drifted or not added or any(kind == " " for kind, _, _ in drifted):
        return False
    removed = [(line, found) for kind, line, found in marked if kind == "-" and line.strip()]
    old, own = (min((indentation(x[side]) for x in removed), key=width) for side in (0, 1))
    return min(map(indentation, added), key=width) == own != old


def _characters(pairs: Sequence[tuple[str, str]]) -> dict[int, str]:
    """Return which typographic characters of the edit are plain ones in the file, by class."""
    classes = set()
    for line, found in pairs:
        if line.isascii() or line == found:
            continue
        missing = set(line) - set(found)
        classes |= {PLAIN[c] for c in missing if c in PLAIN and PLAIN[c] in found}
    if classes & set(_QUOTES):
        classes |= set(_QUOTES)
    return {ord(character): mark for character, mark in PLAIN.items() if mark in classes}


def _carried(new: str, old: str, found: str) -> str:
    """Return a new line that keeps the file's characters where it says what the old line said."""
    if old == found or (old.isascii() and found.isascii()):
        return new
    old_units, found_units, new_units = _units(old), _units(found), _units(new)
    forms = {unit_: plain(unit_) for unit_ in {*old_units, *found_units}}
    if [forms[unit_] for unit_ in old_units] != [forms[unit_] for unit_ in found_units]:
        return new
    if max(len(old_units), len(new_units)) <= _LONG:
        return "".join(_merged(old_units, found_units, new_units))
    pieces: list[str] = []
    words, new_words = _words(old_units), _words(new_units)
    starts, new_starts = _starts(words), _starts(new_words)
    if starts[-1] != len(old_units) or new_starts[-1] != len(new_units):
        # A mark that combines with a blank makes one character of two words.
        return new
    at = 0
    for span in _apart(words, new_words, changed_spans(words, new_words)):
        pieces += found_units[starts[at] : starts[span.start]]
        rows, to_rows = (
            slice(starts[span.start], starts[span.end]),
            new_starts[span.to_start : span.to_end + 1],
        )
        changed = new_units[to_rows[0] : to_rows[-1]]
        is_short = max(rows.stop - rows.start, len(changed)) <= _LONG
        pieces += _merged(old_units[rows], found_units[rows], changed) if is_short else changed
        at = span.end
    return "".join([*pieces, *found_units[starts[at] :]])


def _apart(words: Sequence[str], new_words: Sequence[str], spans: Sequence[Span]) -> Iterator[Span]:
    """Yield spans of words that differ; a long one of as many old as new words is taken word by word."""
    for span in spans:
        n_words = span.end - span.start
        if n_words != span.to_end - span.to_start or n_words < _MANY:
            yield span
            continue
        for offset in range(n_words):
            row, to_row = span.start + offset, span.to_start + offset
            if words[row] != new_words[to_row]:
                yield Span(row, row + 1, to_row, to_row + 1)


def _merged(old: Sequence[str], found: Sequence[str], new: Sequence[str]) -> Iterator[str]:
    """Yield the new characters, as the file has them where they are old ones."""
    for tag, a1, a2, b1, b2 in BoundedMatcher(old, new).get_opcodes():
        yield from found[a1:a2] if tag == "equal" else new[b1:b2]


def _words(units: Sequence[str]) -> list[str]:
    """Split characters into words, each with the blanks behind it."""
    return _WORD.findall("".join(units))


def _starts(words: Sequence[str]) -> list[int]:
    """Return at which character each word begins, and where the last one ends."""
    has_marks = any(map(unicodedata.combining, {character for word in words for character in word}))
    return [0, *accumulate(len(_units(word)) if has_marks else len(word) for word in words)]


def _units(text: str) -> list[str]:
    """Split into characters with the marks that combine with them."""
    if not any(map(unicodedata.combining, set(text))):
        return list(text)
    units: list[str] = []
    for character in text:
        if units and unicodedata.combining(character):
            units[-1] += character
        else:
            units.append(character)
    return units


def _new_lines(
    file: Sequence[str], placement: Placement, form: _Form, change: _Change, end: str, matched: _Matched
) -> NewLines:
    if change.removed:
        start, stop = change.removed[0][1], change.removed[-1][1] + 1
    else:
        start = stop = _between(change.above, change.below, placement.start)
    if form.literal:
        return NewLines(start, stop, change.added)
    lines = []
    for offset, line in enumerate(change.added):
        pair = None
        if offset < len(change.removed):
            text, row = change.removed[offset]
            pair = (text, file[row])
        own_end = _end_near(file, start, pair[1] if pair else "") or end
        is_disputed = form.indents is not None and form.indents.disputed
        near = _near(file, change, offset, (start, stop), matched) if is_disputed else ()
        lines.append(form.write(line, pair, near) + own_end)
    return NewLines(start, stop, tuple(lines))


def _near(
    file: Sequence[str], change: _Change, offset: int, rows: tuple[int, int], matched: _Matched
) -> Near:
    """Return the old lines that a new one stands beside: those that it replaces, or its neighbours."""
    body = without_end(change.added[offset])
    removed = [(line, file[row]) for line, row in change.removed]
    if len(removed) == len(change.added) and indentation(removed[offset][0]) == indentation(body):
        return removed[offset : offset + 1]
    alike = [pair for pair in removed if body.startswith(indentation(pair[0])) and pair[0].strip()]
    if alike:
        return alike
    above = [(line, found) for row, line, found in matched if row < rows[0]][-2:]
    below = [(line, found) for row, line, found in matched if row >= rows[1]][:2]
    return [*above[-1:], *below[:1]] if above and below else [*above, *below]


def _between(above: int | None, below: int | None, start: int) -> int:
    if above is None:
        return start
    if below is not None and below != above + 1:
        raise EditRejected(
            f"The edit inserts between lines {above + 1} and {below + 1}, and leaves out what is there.",
            remedy="Copy all lines around the insertion from the file.",
            code="no-match",
            lines=(above + 1, below + 1),
        )
    return above + 1


def _end_near(file: Sequence[str], start: int, pair: str) -> str:
    """Return the line end of the line replaced, of the one above, or of the one below."""
    above = file[start - 1] if 0 < start <= len(file) else ""
    below = file[start] if start < len(file) else ""
    return line_end(pair) or line_end(above) or line_end(below)
