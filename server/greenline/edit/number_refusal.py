"""Refuses new lines that begin with the line numbers of a tool's output. Pure.

Texts hold numbers of their own too: what a number stands before, where the line is, and what is around it
tell the two apart.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from difflib import SequenceMatcher
from pathlib import PurePosixPath
from typing import Literal

import attrs

from greenline.edit.fact import python_tree
from greenline.edit.hunk import changed_spans
from greenline.edit.line_number import ANY, CLEAR, FORMS, Row, is_run, malformed, row_of
from greenline.edit.text import line_end, without_end

_Kind = Literal["program", "keys", "prose", "table"]
_OF_LISTS = ("item", "bracket")
_PROGRAM = re.compile(
    r"\.(?:pyi?|[cm]?[jt]sx?|go|rs|rb|java|kts?|c|h|cc|cpp|cxx|hh|hpp|cs|php|swift|lua|scala|vue|svelte|css|scss"
    r"|less|html?|xml|svg|json[5c]?|sh|bash|zsh|sql|toml|dart|zig|r|pl|pm|ex|exs|erl|hs|ml|clj|tf|proto|graphql)$",
    re.IGNORECASE,
)
_KEYS = re.compile(r"\.(?:ya?ml|ini|cfg|conf|env|properties|asm|s)$", re.IGNORECASE)
_TABLE = re.compile(
    r"\.(?:tsv|tab|csv|psv|dat|data|lst|bas|vb|frm|for|f|f77|cob|cbl|nc|gcode)$", re.IGNORECASE
)
_MEMBER = re.compile(r"\s*(?:[\w-]+:(?:\s|$)|- )")
_MEMBERS = re.compile(r" \S.*,", re.DOTALL)
_ALIKE = 0.6
_MANY = 200_000
"""Letters of a text that is parsed to see whether the numbers are what breaks it."""
_MAX_PAIRS = 20_000
_LETTERS = 1_000
"""Letters of a line that is compared with others: the cost is their square."""


def refuse_numbers(path: str, before: Sequence[str], after: Sequence[str]) -> None:
    """Refuse new lines that begin with the line numbers of a tool's output; raises `malformed`."""
    old = set(before)
    if not any(ANY.match(line) for line in after if line not in old):
        return
    whole = _Whole(path, before, after)
    for span in changed_spans(before, after):
        piece = _Piece(whole, path, before, after, span.start, span.end, span.to_start, span.to_end)
        found = piece.numbered()
        if found is not None:
            raise malformed(f"The new line {without_end(found)[:60]!r} begins with a line number.")


@attrs.define
class _Whole:
    """What the pieces of a file share, so that none looks at all of it again."""

    path: str
    before: Sequence[str]
    after: Sequence[str]
    n_pairs: int = _MAX_PAIRS
    """How many lines may still be compared with one another."""
    _n_parses: int = 2
    _has_most: dict[str, bool] = attrs.field(factory=dict)
    _is_broken: dict[str, bool] = attrs.field(factory=dict)
    _is_python: bool | None = None
    _is_seen: bool = False

    def has_most(self, form: str) -> bool:
        """Return whether most lines of the old file have such numbers themselves."""
        if form not in self._has_most:
            n_lines = sum(1 for line in self.before if line.strip())
            n_rows = sum(1 for line in self.before if row_of(line, form)) if n_lines else 0
            self._has_most[form] = n_rows * 2 > n_lines
        return self._has_most[form]

    def is_python(self) -> bool | None:
        """Return whether the new file parses as Python; None where it is none, or too long to see."""
        if not self.path.endswith((".py", ".pyi")):
            return None
        if not self._is_seen:
            self._is_seen = True
            after = "".join(self.after)
            self._is_python = None if len(after) > _MANY else python_tree(after) is not None
        return self._is_python

    def breaks_python(self, form: str) -> bool:
        """Return whether the file is Python without all new numbers of a form, and with them no more."""
        if form in self._is_broken:
            return self._is_broken[form]
        if self.is_python() is not False or self._n_parses <= 0:
            return False
        old = set(self.before)
        rows = {
            n: row for n, line in enumerate(self.after) if line not in old and (row := row_of(line, form))
        }
        n_blanks = 1 if all(row.rest[:1].isspace() for row in rows.values()) else 0
        lines = list(self.after)
        for number, row in rows.items():
            lines[number] = row.rest[n_blanks:] if row.rest.strip() else line_end(row.rest)
        self._n_parses -= 1
        self._is_broken[form] = python_tree("".join(lines)) is not None
        return self._is_broken[form]


@attrs.frozen
class _Piece:
    """New lines in a file."""

    whole: _Whole
    path: str
    before: Sequence[str]
    after: Sequence[str]
    start: int
    end: int
    to_start: int
    to_end: int

    def numbered(self) -> str | None:
        """Return a line with a tool's number before it; None where there is none."""
        kind = _kind_of(self.path)
        for form in FORMS:
            rows = self._rows(form)
            if not rows or (form in _OF_LISTS and kind != "program"):
                continue
            is_table_form = kind == "table" and form in ("tab", "bar", "colon")
            if not is_table_form and (
                line := next((n for n, row in rows.items() if self._copies(row)), None)
            ):
                return self.after[line - 1]
            if form not in CLEAR and self.whole.is_python():
                # Numbers before lines of Python break it, but in a text or as keys.
                continue
            if not self._goes_on(form, rows) and self._is_told(form, rows, kind):
                return self.after[min(rows) - 1]
            if self.whole.breaks_python(form):
                return self.after[min(rows) - 1]
        return None

    def _rows(self, form: str) -> dict[int, Row]:
        """Return the numbered new lines by their number in the new file, which counts from 1."""
        lines = enumerate(self.after[self.to_start : self.to_end], self.to_start + 1)
        return {number: row for number, line in lines if (row := row_of(line, form))}

    def _copies(self, row: Row) -> bool:
        """Return whether a line is the old file's of that very number, behind the number."""
        there = self.before[row.number - 1 : row.number] if row.number else ()
        text = row.rest.strip()
        return len(text) > 1 and any(line.strip() == text for line in there)

    def _goes_on(self, form: str, rows: Mapping[int, Row]) -> bool:
        """Return whether the file has such lines itself, around or in place of the new ones."""
        edges = {row.is_flush for row in rows.values()}
        around = (row_of(line, form) for line in self.before[max(self.start - 1, 0) : self.end + 1])
        if any(row is not None and row.is_flush in edges for row in around):
            return True
        return self.whole.has_most(form)

    def _is_told(self, form: str, rows: Mapping[int, Row], kind: _Kind) -> bool:
        """Return whether numbers are those of the lines, or can be nothing else."""
        own = [row for n, row in rows.items() if row.number in (n, n + self.start - self.to_start)]
        is_own = len(own) == len(rows)
        if not is_run(self.after[self.to_start : self.to_end], form):
            # Other new lines stand between them.
            is_plain = len(own) > 1 and all(row.is_flush for row in own)
            return kind == "program" and bool(own) and (form in CLEAR or (is_plain and form not in _OF_LISTS))
        if kind == "table":
            return is_own and form in CLEAR
        if kind == "prose":
            if not is_own or form == "arrow" or not self.before:
                # A listing's own text may be all that a new file has.
                return is_own and form == "arrow"
            return form in CLEAR or len(rows) > 1 or any(map(self._is_like_old, rows.values()))
        if kind == "keys" and form in ("colon", "word"):
            is_nested = any(_MEMBER.match(row.rest) and row.rest.strip() != "-" for row in rows.values())
            shown = [row for row in rows.values() if row.rest.strip()]
            is_aligned = len({row.width + _width(row.rest) for row in shown}) == 1
            return is_nested or (not is_aligned and len({_width(row.rest) for row in shown}) > 1)
        if form in _OF_LISTS:
            return is_own and _has_indents(rows)
        if form == "word" and len(rows) < 2:
            # One row may have a label.
            return is_own and any(map(self._is_like_old, rows.values()))
        if form == "colon" and not any(row.is_flush for row in rows.values()) and _are_members(rows):
            return False
        if is_own or form in CLEAR or (_has_indents(rows) and not (form == "tab" and len(rows) < 2)):
            return True
        # Numbers of a file that was another then are line numbers all the same.
        return any(self._is_like_old(row) for row in rows.values() if row.is_flush or form != "colon")

    def _is_like_old(self, row: Row) -> bool:
        """Return whether a line is much like one that it replaces, behind the number."""
        wanted = row.rest.strip()
        self.whole.n_pairs -= self.end - self.start
        if not wanted or len(wanted) > _LETTERS or self.whole.n_pairs < 0:
            return False
        matcher = SequenceMatcher(None, "", wanted)
        for line in self.before[self.start : self.end]:
            text = line.strip()
            if not text or len(text) > _LETTERS:
                continue
            matcher.set_seq1(text)
            if (
                matcher.real_quick_ratio() > _ALIKE
                and matcher.quick_ratio() > _ALIKE
                and matcher.ratio() > _ALIKE
            ):
                return True
        return False


def _are_members(rows: Mapping[int, Row]) -> bool:
    """Return whether lines may be keys with their values, one by one, in a table of a program's."""
    rests = [row.rest for _, row in sorted(rows.items())]
    return all(
        _MEMBERS.fullmatch(rest.rstrip() + ("," if n == len(rests) else ""))
        for n, rest in enumerate(rests, 1)
    )


def _has_indents(rows: Mapping[int, Row]) -> bool:
    """Return whether lines are indented behind their numbers, as code is and a table's values are not."""
    return any(_width(row.rest) > 1 and row.rest.strip() and row.is_flush for row in rows.values())


def _kind_of(path: str) -> _Kind:
    name = PurePosixPath(path).name
    if _PROGRAM.search(name) or name in ("Makefile", "Dockerfile"):
        return "program"
    if _KEYS.search(name):
        return "keys"
    return "table" if _TABLE.search(name) else "prose"


def _width(rest: str) -> int:
    text = rest.expandtabs()
    return len(text) - len(text.lstrip(" "))
