"""Refuses an answer of which only a part would be applied: edits in more than one form, or one unreadable.

A reader of a form passes over what is not of it, since answers hold prose and examples. What it passes over
is looked through here for what can only be an edit.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence

from greenline.core.error import EditRejected
from greenline.edit.about import gives_text, makes_file, other_file
from greenline.edit.block import spans as block_spans
from greenline.edit.envelope import BEGIN
from greenline.edit.envelope import spans as envelope_spans
from greenline.edit.name import clean
from greenline.edit.naming import (
    PROMPT,
    Exists,
    is_session,
    mentions,
    path_above,
    path_in_comment,
    path_of_fence,
)
from greenline.edit.whole import Fenced, fences

_NUMBERED = re.compile(r"\s*@@+ -\d+(?:,\d+)? \+\d")
_COUNTS = re.compile(r"@@+ -\d+(?:,(\d+))? \+\d+(?:,(\d+))?")
_INDENTED = re.compile(r"\s+(?:--- \S|diff --git |@@+ -\d)")
_OLD, _NEW = re.compile(r"\s*--- \S"), re.compile(r"\s*\+\+\+ \S")
_MARKER = re.compile(r"\s*(?:<{4,} ?[A-Z]+|>{4,} ?[A-Z]+)\b")
_BODY = (" ", "+", "-", "@@", "\\")
_EXAMPLE = re.compile(
    r"(?:ba|z|fi)?sh|shell|console|terminal|powershell|text|txt|plain\w*|output|log|json|none|", re.IGNORECASE
)
_DIFF_FORM = "a diff"
_EDIT_KEY = re.compile(r'"(?:search|replace|old_string|new_string|move_to|edits|writes|ops)"\s*:')
_DIFF = re.compile(r"diff|patch|udiff", re.IGNORECASE)

Span = tuple[int, int]
"""First line of a part and the line after it, 0-based."""


def refuse_beside_blocks(text: str, exists: Exists) -> None:
    """Raise `EditRejected` (`malformed`) where SEARCH/REPLACE blocks are not all that a text asks for."""
    lines = text.split("\n")
    _refuse(lines, block_spans(lines), exists, "SEARCH/REPLACE blocks")


def refuse_beside_patches(text: str, exists: Exists) -> None:
    """Raise `EditRejected` (`malformed`) where `*** Begin Patch` is not all that a text asks for."""
    lines = text.split("\n")
    _refuse(lines, envelope_spans(lines), exists, f"{BEGIN} parts")


def refuse_beside_json(text: str, parts: Iterable[Span], exists: Exists) -> None:
    """Raise `EditRejected` (`malformed`) where its JSON, at these characters, is not all that a text asks."""
    spans = [(text.count("\n", 0, start), text.count("\n", 0, end) + 1) for start, end in parts]
    _refuse(text.split("\n"), spans, exists, "JSON")


def refuse_beside_diff(text: str, exists: Exists) -> None:
    """Raise `EditRejected` (`malformed`) where a unified diff is not all that a text asks for."""
    lines = text.split("\n")
    spans = tuple(_hunk_spans(lines))
    _refuse(lines, spans, exists, _DIFF_FORM)
    path: str | None = None
    below = 0
    for start, end in spans:
        other = None if path is None else other_file(lines[below:start], path, exists)
        if other is not None and lines[start].startswith("@@"):
            raise _unread(start + 1, f"a hunk without a header, below words about {other}")
        heads = [line[4:] for line in lines[start:end] if line.startswith(("--- ", "+++ "))]
        path, below = (clean(heads[-1]).removeprefix("b/") if heads else path), end


def refuse_beside_files(text: str, path: str | None, exists: Exists) -> None:
    """Raise `EditRejected` (`malformed`) where a fence beside those that name a file may be a file too."""
    lines = text.split("\n")
    free = 0
    unnamed: list[tuple[int, Fenced]] = []
    languages: set[str] = set()
    for fence in fences(lines):
        if _name(lines, free, fence, exists) is None:
            unnamed.append((free, fence))
        else:
            languages.add(_language(fence))
        free = fence.end + 1
    if not languages and (path is None or len(unnamed) < 2):
        return
    for first, fence in unnamed:
        _refuse_part(lines, first, fence, exists)
        if _language(fence) and _language(fence) in languages and not _is_example(fence):
            raise _unread(fence.start, "a fence that names no file")


def _refuse(lines: Sequence[str], spans: Iterable[Span], exists: Exists, form: str) -> None:
    rows = sorted({row for start, end in spans for row in range(start, end)})
    owned = frozenset(rows)
    rest = ["" if row in owned else line for row, line in enumerate(lines)]
    for row, line in enumerate(rest):
        below = rest[row + 1] if row + 1 < len(rest) else ""
        if (
            _NUMBERED.match(line)
            or line.startswith("diff --git ")
            or (_OLD.match(line) and _NEW.match(below))
        ):
            if form == _DIFF_FORM:
                raise _unread(row + 1, "a diff that is indented, or has no @@ lines")
            raise _other(row, form, "a diff")
        if _MARKER.match(line):
            raise _unread(row + 1, "a marker of a block that is none of the form's")
        if line.strip() == BEGIN:
            raise _other(row, form, BEGIN)
    try:
        found = tuple(fences(rest))
    except EditRejected:
        # A fence that is not closed, or not clearly, is a fault of the prose alone.
        return
    free = 0
    for fence in found:
        is_own = any(row in owned for row in range(fence.start - 1, fence.end + 1))
        if not is_own and any(line.strip() for line in rest[fence.start : fence.end]):
            if _name(rest, free, fence, exists) is not None:
                raise _other(fence.start - 1, form, "a whole file")
            first = bisect_left(rows, fence.start)
            _refuse_part(rest, max(free, rows[first - 1] + 1 if first else 0), fence, exists)
        free = fence.end + 1


def _refuse_part(lines: Sequence[str], free: int, fence: Fenced, exists: Exists) -> None:
    """Refuse a fence that is a diff without a head, or that stands below a line about a file."""
    content = lines[fence.start : fence.end]
    if _DIFF.fullmatch(_language(fence)) and any(line.startswith(("+", "-")) for line in content):
        raise _unread(fence.start, "a diff without @@ lines")
    if _language(fence).startswith("json") and any(_EDIT_KEY.search(line) for line in content):
        raise _unread(fence.start, "JSON that is no edit as it stands")
    above = next((line for line in reversed(lines[free : fence.start - 1]) if line.strip()), "")
    if above.rstrip().endswith(":") and mentions(above, exists) and not _is_example(fence):
        raise _unread(fence.start, "a fence below a line that is about a file and no path alone")
    if _is_example(fence):
        is_session = any(map(PROMPT.match, content))
        named = above if not is_session and gives_text(above, _language(fence), exists) else None
    else:
        named = makes_file(lines[free : fence.start - 1], exists)
    if named is not None:
        raise _unread(fence.start, f"a fence below words about a file, and no path alone ({named.strip()})")


def _name(lines: Sequence[str], free: int, fence: Fenced, exists: Exists) -> str | None:
    named = path_of_fence(fence.info, exists) or path_above(lines[free:], fence.start - 1 - free, exists)
    if named is None and fence.end > fence.start:
        named = path_in_comment(lines[fence.start], exists)
    if named is None or is_session(fence.info, named, lines[fence.start : fence.end]):
        return None
    return named


def _is_example(fence: Fenced) -> bool:
    return bool(_EXAMPLE.fullmatch(_language(fence)))


def _language(fence: Fenced) -> str:
    return (fence.info.split() or [""])[0].lower()


def _hunk_spans(lines: Sequence[str]) -> Iterator[Span]:
    """Yield the headers and hunks of a diff; a line without a mark ends one."""
    row = 0
    while row < len(lines):
        line = lines[row]
        below = lines[row + 1] if row + 1 < len(lines) else ""
        is_header = line.startswith("--- ") and below.startswith("+++ ")
        if not (line.startswith(("@@", "diff --git ")) or is_header or _lone(line, below)):
            row += 1
            continue
        start = row
        row += 1
        while row < len(lines) and not lines[row].startswith(("```", "~~~")):
            if lines[row].strip() and not lines[row].startswith(_BODY) and not _goes_on(lines, row):
                break
            if not lines[row].strip() and _is_indented_next(lines, start, row):
                break
            row += 1
        if not is_header or any(line.startswith("@@") for line in lines[start:row]):
            yield start, row


def _lone(line: str, below: str) -> bool:
    return line.startswith(("--- ", "+++ ")) and below.startswith("@@")


def _is_indented_next(lines: Sequence[str], start: int, row: int) -> bool:
    """Return whether a whole hunk ends at a blank line, and an indented diff follows."""
    below = next((n for n in range(row, len(lines)) if lines[n].strip()), len(lines))
    if not lines[below : below + 1] or not _INDENTED.match(lines[below]):
        return False
    head = next((n for n in range(row - 1, start - 1, -1) if lines[n].startswith("@@")), None)
    claimed = None if head is None else _COUNTS.match(lines[head])
    if head is None or claimed is None:
        return True
    kinds = [line[:1] or " " for line in lines[head + 1 : row] if not line.startswith("\\")]
    found = sum(kind != "+" for kind in kinds), sum(kind != "-" for kind in kinds)
    return found == (int(claimed[1] or "1"), int(claimed[2] or "1"))


def _goes_on(lines: Sequence[str], row: int) -> bool:
    """Return whether a line without a mark stands in a diff: before more of it, in the same paragraph."""
    for line in lines[row + 1 :]:
        if line.startswith(("```", "~~~")) or not line.strip():
            return False
        if line.startswith(("+", "-", "@@")):
            return True
    return False


def _other(row: int, form: str, other: str) -> EditRejected:
    return EditRejected(
        f"The edit holds edits in more than one form: {form}, and {other} at line {row + 1}.",
        remedy="Give all of it in one form, or each form by itself.",
        code="malformed",
    )


def _unread(line: int, what: str) -> EditRejected:
    return EditRejected(
        f"The edit has a part at line {line} that could not be read: {what}.",
        remedy="Give it in the form of the rest, with the path alone on the line above, or leave it out.",
        code="malformed",
    )
