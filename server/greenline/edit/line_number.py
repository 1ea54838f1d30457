"""The forms in which tools show line numbers, and the numbers of lines; pure."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

import attrs

from greenline.core.error import EditRejected
from greenline.edit.text import without_end

FORMS: Mapping[str, re.Pattern[str]] = {
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
ANY = re.compile(
    r"^(?:[ \t]*\+?(?:[Ll]|[Ll]ine )?\d{1,7}(?:[ \t]*[→⟶➜⇥|│┃¦:\t]|[.)] )|[ \t]*\[\d+\]|[\w./+-]+:\d+:)",
    re.MULTILINE,
)
_ALONE = re.compile(r"[ \t]*(\d{1,7})[ \t]*")
"""The number of an empty line whose end was cut off."""
CLEAR = ("arrow", "padded")
"""Forms that hardly any text but a tool's output has."""


@attrs.frozen
class Row:
    """A line behind a number."""

    form: str
    number: int
    rest: str
    width: int
    """Up to which column the number reaches."""
    is_flush: bool
    """Whether it begins at the left edge, as code and data with numbers of their own seldom do."""


def may_be_numbered(text: str) -> bool:
    """Return whether any line of a text begins as a numbered one does."""
    return ANY.search(text) is not None


def row_of(line: str, form: str) -> Row | None:
    """Return a line as one behind a number of that form, if it is."""
    found = FORMS[form].match(line)
    if found is None:
        return None
    return Row(form, int(found[1]), found[2], found.end(1), not line[:1].isspace())


def readings(line: str) -> Iterator[Row]:
    """Yield a line in each form in which it has a number."""
    return (row for form in FORMS if (row := row_of(line, form)))


def form_of(lines: Sequence[str]) -> str | None:
    """Return the form of the numbers before all lines, which count up; None where there are none."""
    return next((form for form in FORMS if is_run(lines, form)), None)


def is_run(lines: Sequence[str], form: str) -> bool:
    """Return whether each line with text has a number, one more than the last but for empty lines."""
    last: int | None = None
    n_empty = n_rows = 0
    for line in lines:
        if not line.strip():
            n_empty += 1
            continue
        row = row_of(line, form)
        number = alone(line) if row is None else row.number
        if number is None:
            return False
        if last is not None and not last < number <= last + 1 + n_empty:
            return False
        last, n_empty = number, 0
        n_rows += row is not None
    return n_rows > 0


def alone(line: str) -> int | None:
    """Return the number that is all that a line holds."""
    found = _ALONE.fullmatch(without_end(line))
    return None if found is None else int(found[1])


def malformed(message: str) -> EditRejected:
    """Return the error for lines that an edit has with a tool's numbers."""
    return EditRejected(
        message,
        remedy="Give the lines as they are in the file, without the line numbers that a tool shows.",
        code="malformed",
    )
