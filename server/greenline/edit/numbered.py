"""Knows the line numbers that a tool shows before lines, so that none is taken for a part of them. Pure.

Texts hold numbers of their own too, such as the keys of a table: what a number stands before, where the line
is, and what is around it tell the two apart.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from difflib import SequenceMatcher
from pathlib import PurePosixPath
from typing import Literal

import attrs

from greenline.core.error import EditRejected
from greenline.edit.fact import python_tree
from greenline.edit.hunk import changed_spans
from greenline.edit.operation import PatchHunk
from greenline.edit.text import line_end, split_lines, without_end

_Kind = Literal["program", "keys", "prose", "table"]
_FORMS: Mapping[str, re.Pattern[str]] = {
    "arrow": re.compile(r"[ \t]*\+?(\d{1,7}) ?[→⟶➜⇥](.*)", re.DOTALL),
    "padded": re.compile(r" +(\d{1,7})\t(.*)", re.DOTALL),
    "tab": re.compile(r"(\d{1,7})\t(.*)", re.DOTALL),
    "word": re.compile(r"[ \t]*\+?(?:[Ll]|[Ll]ine )(\d{1,7}) ?[:|→](.*)", re.DOTALL),
    "bar": re.compile(r"[ \t]*\+?(\d{1,7})[ \t]*[|│┃¦](.*)", re.DOTALL),
    "colon": re.compile(r"[ \t]*\+?(?!\d\d?:[0-5]\d(?!\d))(\d{1,7}):(.*)", re.DOTALL),
    "path": re.compile(r"[\w./+-]*\w\.\w+:(\d{1,7}):(.*)", re.DOTALL),
    "bracket": re.compile(r"[ \t]*\[(\d{1,7})\](.*)", re.DOTALL),
    "item": re.compile(r"[ \t]*(\d{1,7})[.)] (.*)", re.DOTALL),
}
"""How tools put a number before a line; `colon` is also that of a table's key, `item` that of a list."""
_ANY = re.compile(
    r"^(?:[ \t]*\+?(?:[Ll]|[Ll]ine )?\d{1,7}(?:[ \t]*[→⟶➜⇥|│┃¦:\t]|[.)] )|[ \t]*\[\d+\]|[\w./+-]+:\d+:)",
    re.MULTILINE,
)
_OF_LISTS = ("item", "bracket")
_ALONE = re.compile(r"[ \t]*(\d{1,7})[ \t]*")
"""The number of an empty line whose end was cut off."""
_CLEAR = ("arrow", "padded")
"""Forms that hardly any text but a tool's output has."""
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
_LETTER = re.compile(r"[^\W\d_]")
_ALIKE = 0.6
_MANY = 200_000
"""Letters of a text that is parsed to see whether the numbers are what breaks it."""
_MAX_PAIRS = 20_000
_LETTERS = 1_000
"""Letters of a line that is compared with others: the cost is their square."""


@attrs.frozen
class _Row:
    """A line behind a number."""

    form: str
    number: int
    rest: str
    width: int
    """Up to which column the number reaches."""
    is_flush: bool
    """Whether it begins at the left edge, as code and data with numbers of their own seldom do."""


@attrs.frozen
class Plain:
    """A search and its replacement without the numbers before their lines."""

    search: str
    replace: str
    start: int
    """0-based line that the first number states."""
    is_sure: bool
    """Whether several lines, or a form that only tools have, show that these are line numbers."""


def may_be_numbered(text: str) -> bool:
    """Return whether any line of a text begins as a numbered one does."""
    return _ANY.search(text) is not None


def plain(search: str, replace: str, lines: Sequence[str] = ()) -> tuple[Plain, ...]:
    """Return both texts without the numbers before their lines, likeliest first; nothing where none are.

    There are none where the file's `lines` have such numbers themselves.
    A blank after the number may be the form's or the line's own, so there may be two readings.
    Raises `EditRejected` (`malformed`) where the numbers stand before some new lines alone.
    """
    source, target = split_lines(search), split_lines(replace)
    form = _form(source)
    if form is None or _is_own(source, form, lines):
        return ()
    is_in_both = _refuse_some(source, target, form)
    rows = [row for line in source if (row := _row(line, form))]
    is_sure = len(rows) > 1 or form in _CLEAR
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
    form = _form(old)
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
    if form in _CLEAR:
        return False
    rests = {row.rest.strip() for line in lines if (row := _row(line, form))} - {""}
    return any((row := _row(line, form)) and row.rest.strip() in rests for line in wanted)


def _refuse_some(old: Sequence[str], new: Sequence[str], form: str) -> bool:
    """Return whether new lines are numbered as old ones; raises `EditRejected` where only some are."""
    known = [row for line in old if (row := _row(line, form))]
    n_rows = sum(1 for line in new if _is_alike(_row(line, form), known))
    if n_rows and not _are_all_numbered(old, new, form):
        raise _malformed("Line numbers stand before some of the new lines and not before the others.")
    return n_rows > 0


def _are_all_numbered(old: Sequence[str], new: Sequence[str], form: str) -> bool:
    """Return whether new lines are blank, numbered as old ones, or a lone number that is the next one's."""
    known = [row for line in old if (row := _row(line, form))]
    first = _alone(next(line for line in old if line.strip()))
    last = known[0].number - 1 if first is None else first - 1
    for line in new:
        row = _row(line, form)
        number = row.number if row is not None and _is_alike(row, known) else None
        if number is None and line.strip():
            number = _alone(line)
            if number is None or number not in (last, last + 1):
                return False
        last = last if number is None else number
    return True


def _is_alike(row: _Row | None, known: Sequence[_Row]) -> bool:
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
    rests = [row.rest for line in lines if (row := _row(line, form)) and row.rest.strip()]
    return (1, 0) if all(rest.startswith(" ") for rest in rests) else (0,)


def has_numbers(wanted: Sequence[str], lines: Sequence[str]) -> bool:
    """Return whether a wanted line is one of the file's but for a number before it."""
    known = {line.strip() for line in lines}
    return any(
        row.rest.strip() in known and _LETTER.search(row.rest) and line.strip() not in known
        for line in wanted
        for row in _readings(line)
    )


def refuse_numbers(path: str, before: Sequence[str], after: Sequence[str]) -> None:
    """Refuse new lines that begin with the line numbers of a tool's output; raises `malformed`."""
    old = set(before)
    if not any(_ANY.match(line) for line in after if line not in old):
        return
    whole = _Whole(path, before, after)
    for span in changed_spans(before, after):
        piece = _Piece(whole, path, before, after, span.start, span.end, span.to_start, span.to_end)
        found = piece.numbered()
        if found is not None:
            raise _malformed(f"The new line {without_end(found)[:60]!r} begins with a line number.")


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
            n_rows = sum(1 for line in self.before if _row(line, form)) if n_lines else 0
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
        rows = {n: row for n, line in enumerate(self.after) if line not in old and (row := _row(line, form))}
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
        for form in _FORMS:
            rows = self._rows(form)
            if not rows or (form in _OF_LISTS and kind != "program"):
                continue
            is_table_form = kind == "table" and form in ("tab", "bar", "colon")
            if not is_table_form and (
                line := next((n for n, row in rows.items() if self._copies(row)), None)
            ):
                return self.after[line - 1]
            if form not in _CLEAR and self.whole.is_python():
                # Numbers before lines of Python break it, but in a text or as keys.
                continue
            if not self._goes_on(form, rows) and self._is_told(form, rows, kind):
                return self.after[min(rows) - 1]
            if self.whole.breaks_python(form):
                return self.after[min(rows) - 1]
        return None

    def _rows(self, form: str) -> dict[int, _Row]:
        """Return the numbered new lines by their number in the new file, which counts from 1."""
        lines = enumerate(self.after[self.to_start : self.to_end], self.to_start + 1)
        return {number: row for number, line in lines if (row := _row(line, form))}

    def _copies(self, row: _Row) -> bool:
        """Return whether a line is the old file's of that very number, behind the number."""
        there = self.before[row.number - 1 : row.number] if row.number else ()
        text = row.rest.strip()
        return len(text) > 1 and any(line.strip() == text for line in there)

    def _goes_on(self, form: str, rows: Mapping[int, _Row]) -> bool:
        """Return whether the file has such lines itself, around or in place of the new ones."""
        edges = {row.is_flush for row in rows.values()}
        around = (_row(line, form) for line in self.before[max(self.start - 1, 0) : self.end + 1])
        if any(row is not None and row.is_flush in edges for row in around):
            return True
        return self.whole.has_most(form)

    def _is_told(self, form: str, rows: Mapping[int, _Row], kind: _Kind) -> bool:
        """Return whether numbers are those of the lines, or can be nothing else."""
        own = [row for n, row in rows.items() if row.number in (n, n + self.start - self.to_start)]
        is_own = len(own) == len(rows)
        if not _is_run(self.after[self.to_start : self.to_end], form):
            # Other new lines stand between them.
            is_plain = len(own) > 1 and all(row.is_flush for row in own)
            return (
                kind == "program" and bool(own) and (form in _CLEAR or (is_plain and form not in _OF_LISTS))
            )
        if kind == "table":
            return is_own and form in _CLEAR
        if kind == "prose":
            if not is_own or form == "arrow" or not self.before:
                # A listing's own text may be all that a new file has.
                return is_own and form == "arrow"
            return form in _CLEAR or len(rows) > 1 or any(map(self._is_like_old, rows.values()))
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
        if is_own or form in _CLEAR or (_has_indents(rows) and not (form == "tab" and len(rows) < 2)):
            return True
        # Numbers of a file that was another then are line numbers all the same.
        return any(self._is_like_old(row) for row in rows.values() if row.is_flush or form != "colon")

    def _is_like_old(self, row: _Row) -> bool:
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


def _are_members(rows: Mapping[int, _Row]) -> bool:
    """Return whether lines may be keys with their values, one by one, in a table of a program's."""
    rests = [row.rest for _, row in sorted(rows.items())]
    return all(
        _MEMBERS.fullmatch(rest.rstrip() + ("," if n == len(rests) else ""))
        for n, rest in enumerate(rests, 1)
    )


def _has_indents(rows: Mapping[int, _Row]) -> bool:
    """Return whether lines are indented behind their numbers, as code is and a table's values are not."""
    return any(_width(row.rest) > 1 and row.rest.strip() and row.is_flush for row in rows.values())


def _kind_of(path: str) -> _Kind:
    name = PurePosixPath(path).name
    if _PROGRAM.search(name) or name in ("Makefile", "Dockerfile"):
        return "program"
    if _KEYS.search(name):
        return "keys"
    return "table" if _TABLE.search(name) else "prose"


def _row(line: str, form: str) -> _Row | None:
    found = _FORMS[form].match(line)
    if found is None:
        return None
    return _Row(form, int(found[1]), found[2], found.end(1), not line[:1].isspace())


def _readings(line: str) -> Iterator[_Row]:
    return (row for form in _FORMS if (row := _row(line, form)))


def _form(lines: Sequence[str]) -> str | None:
    """Return the form of the numbers before all lines, which count up; None where there are none."""
    return next((form for form in _FORMS if _is_run(lines, form)), None)


def _is_run(lines: Sequence[str], form: str) -> bool:
    """Return whether each line with text has a number, one more than the last but for empty lines."""
    last: int | None = None
    n_empty = n_rows = 0
    for line in lines:
        if not line.strip():
            n_empty += 1
            continue
        row = _row(line, form)
        number = _alone(line) if row is None else row.number
        if number is None:
            return False
        if last is not None and not last < number <= last + 1 + n_empty:
            return False
        last, n_empty = number, 0
        n_rows += row is not None
    return n_rows > 0


def _without(lines: Sequence[str], form: str, n_blanks: int) -> list[str]:
    """Return lines without their numbers, and without so many blanks after each."""
    found = []
    for line in lines:
        row = _row(line, form)
        if row is not None:
            found.append(row.rest.removeprefix(" " * n_blanks))
        else:
            found.append(line_end(line) if line.strip() else line)
    return found


def _alone(line: str) -> int | None:
    """Return the number that is all that a line holds."""
    found = _ALONE.fullmatch(without_end(line))
    return None if found is None else int(found[1])


def _width(rest: str) -> int:
    text = rest.expandtabs()
    return len(text) - len(text.lstrip(" "))


def _malformed(message: str) -> EditRejected:
    return EditRejected(
        message,
        remedy="Give the lines as they are in the file, without the line numbers that a tool shows.",
        code="malformed",
    )
