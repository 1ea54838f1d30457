"""The lines of a file under each tolerance, so that texts that differ in form alone compare equal."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from enum import IntEnum

from greenline.edit.lexical import has_tokens, same_tokens, text_rows
from greenline.edit.text import without_end

_CLASSES = {
    "'": "\u2018\u2019\u201a\u201b\u2032",
    '"': "\u201c\u201d\u201e\u201f\u2033",
    "-": "\u2010\u2011\u2012\u2013\u2014\u2015\u2212",
    " ": "\u00a0\u202f\u2007\u2009\u3000",
}
PLAIN = {character: plain for plain, characters in _CLASSES.items() for character in characters}
"""Typographic character → the plain one that models put for it, and the other way round."""
_TABLE = str.maketrans(PLAIN)
_SPACE = re.compile(r"[ \t\f\v]+")
_LOOSE = re.compile(r"(?<!\w) | (?!\w)")
"""A blank beside anything but a word: there may be none as well."""
_LITERAL = re.compile(
    r"""("(?:[^"\\]|\\.)*"|(?:(?<!\w)|(?<=\b[bBrRuUfF])|(?<=\b[bBrRuUfF]{2}))'(?:[^'\\]|\\.)*'|`[^`]*`)"""
)


_MANY = 1_000_000
"""Comparisons of a line past which a text of few different lines is searched in one pass."""


class Tolerance(IntEnum):
    """How much of a line's form may differ, strictest first; each includes those before it."""

    EXACT = 0
    LINE_ENDS = 1
    CHARACTERS = 2
    """Typography, Unicode normal form, and blanks at the end of a line."""
    INDENTATION = 3
    BLANKS = 4
    """More or fewer blanks, also none beside punctuation; never within quotes or between two words.
    A place counts only where `FileLines.says_the_same`."""
    GAPS = 5
    """A line or two that the edit leaves out, or says twice, in its context."""


def plain(line: str) -> str:
    """Return a line as `CHARACTERS` compares it."""
    if line.isascii():
        return line.rstrip(" \t\r\n\f\v")
    return unicodedata.normalize("NFC", line).translate(_TABLE).rstrip(" \t\r\n\f\v")


class FileLines:
    """A file's lines, and their keys under each tolerance, made when first asked for."""

    def __init__(self, lines: Sequence[str], path: str = "") -> None:
        """Hold the lines of the file `path`, whose name says what blanks mean in it."""
        self.lines = lines
        self._path = path
        self._text_rows: frozenset[int] | None = None
        self._keys: dict[Tolerance, list[str]] = {Tolerance.EXACT: list(lines)}
        self._places: dict[Tolerance, dict[str, list[int]]] = {}

    def keys(self, tolerance: Tolerance) -> list[str]:
        """Return each line's key."""
        found = self._keys.get(tolerance)
        if found is None:
            found = self._keys[tolerance] = keys_of(self.lines, tolerance)
        return found

    def says_the_same(self, wanted: Sequence[str], start: int) -> bool:
        """Return whether lines with the same keys but for blanks are the same tokens as those at `start`."""
        for row, line in enumerate(wanted, start):
            if plain(line).lstrip(" \t") == plain(self.lines[row]).lstrip(" \t"):
                continue
            if not has_tokens(self._path):
                return False
            if self._text_rows is None:
                self._text_rows = text_rows(self._path, self.lines)
            if row in self._text_rows or not same_tokens(self._path, plain(line), plain(self.lines[row])):
                return False
        return True

    def places(self, tolerance: Tolerance) -> dict[str, list[int]]:
        """Return the lines that have each key, in order."""
        found = self._places.get(tolerance)
        if found is None:
            found = self._places[tolerance] = {}
            for number, key in enumerate(self.keys(tolerance)):
                found.setdefault(key, []).append(number)
        return found

    def starts(self, wanted: Sequence[str], tolerance: Tolerance) -> list[int]:
        """Return where keys stand one after the other, in order."""
        places, keys = self.places(tolerance), self.keys(tolerance)
        rarest, fewest = 0, len(keys) + 1
        for offset, key in enumerate(wanted):
            count = len(places.get(key, ()))
            if count == 0:
                return []
            if count < fewest:
                rarest, fewest = offset, count
        size = len(wanted)
        if fewest * size > _MANY:
            return _runs(keys, wanted)
        found = (place - rarest for place in places[wanted[rarest]])
        return [start for start in found if start >= 0 and keys[start : start + size] == wanted]


def _runs(keys: Sequence[str], wanted: Sequence[str]) -> list[int]:
    """Return where `wanted` stands, overlaps too, in time proportional to both (Knuth, Morris and Pratt)."""
    back = [0]
    for key in wanted[1:]:
        length = back[-1]
        while length and key != wanted[length]:
            length = back[length - 1]
        back.append(length + (key == wanted[length]))
    found: list[int] = []
    length = 0
    for row, key in enumerate(keys):
        while length and (length == len(wanted) or key != wanted[length]):
            length = back[length - 1]
        length += key == wanted[length]
        if length == len(wanted):
            found.append(row + 1 - length)
    return found


def keys_of(lines: Sequence[str], tolerance: Tolerance) -> list[str]:
    """Return the keys of lines that are compared with a file's."""
    if tolerance is Tolerance.EXACT:
        return list(lines)
    if tolerance is Tolerance.LINE_ENDS:
        return [without_end(line) for line in lines]
    keys = [plain(line) for line in lines]
    if tolerance is Tolerance.INDENTATION:
        return [key.lstrip(" \t") for key in keys]
    if tolerance is Tolerance.BLANKS:
        return [_without_blanks(key) for key in keys]
    return keys


def _without_blanks(key: str) -> str:
    """Return a line without the blanks that say nothing: in a literal and between words they do."""
    if not any(quote in key for quote in "\"'`"):
        return _LOOSE.sub("", _SPACE.sub(" ", key))
    pieces = _LITERAL.split(key.strip(" \t\f\v"))
    # What is beside a literal is beside its quote.
    pieces[::2] = [_LOOSE.sub("", _SPACE.sub(" ", piece)) for piece in pieces[::2]]
    return "".join(pieces)
