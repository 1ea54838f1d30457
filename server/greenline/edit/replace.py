"""Replaces the one place where a text stands, in the file's own form."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Sequence

from greenline.core.error import EditRejected
from greenline.edit import elision
from greenline.edit.hunk import changed_spans
from greenline.edit.operation import PatchHunk
from greenline.edit.patch import put
from greenline.edit.place import Evidence, Placement, ambiguous, choose, placements
from greenline.edit.text import line_end, split_lines, without_end
from greenline.edit.tolerance import FileLines, Tolerance

_MAX_PIECES = 50


def replace_once(text: str, search: str, replacement: str, start: int | None = None, path: str = "") -> str:
    """Replace the one place where `search`, which may be a piece of a line, stands in `text`.

    A search that ends with a line end stands for whole lines, one of several lines never begins or ends in a
    word, and no two lines are joined because the search has a line end that the replacement lacks.
    Tolerates other line ends, then typography and trailing blanks, then another indentation, each only where
    it is unique; `start` (0-based) is the line where the search is said to begin.
    Raises `EditRejected` with `no-match`, `ambiguous` or `elision`.
    """
    _refuse_empty(search)
    place = _piece(text, search, replacement, start)
    if place is None:
        lines = split_lines(text)
        view = _replace_in_view(lines, search, replacement, start)
        return replace_lines(text, search, replacement, start, path) if view is None else view
    elision.check(_lines_of(text), split_lines(search), split_lines(replacement))
    new = replacement
    if "\r" not in search:
        new = new.replace("\r\n", "\n").replace("\n", _end_at(text, place))
    return text[:place] + new + text[place + len(search) :]


def replace_lines(text: str, search: str, replacement: str, start: int | None = None, path: str = "") -> str:
    """Replace whole lines; otherwise as `replace_once`."""
    _refuse_empty(search)
    if start is None and (exact := _exactly(text, search, replacement)) is not None:
        return exact
    file = FileLines(split_lines(text), path)
    hunk = _hunk(split_lines(search), split_lines(replacement), start)
    try:
        placement = choose(file, hunk, placements(file, hunk, Tolerance.BLANKS), Evidence())
    except EditRejected as error:
        trimmed = _trimmed(search, replacement) if error.code == "no-match" else None
        if trimmed is None:
            raise
        return replace_lines(text, *trimmed, start, path)
    return put(file, (hunk,), (placement,))


def _exactly(text: str, search: str, replacement: str) -> str | None:
    """Return what comes of lines that stand in one place as they are; None where that takes a closer look.

    It is what the long way comes to, without cutting the text into lines.
    """
    is_plain = "\r" not in search + replacement and search.endswith("\n") and replacement[-1:] in ("", "\n")
    if not is_plain or ("\n" + text).endswith("\n" + search[:-1]):
        return None
    found: list[int] = []
    at = text.find(search)
    for _ in range(_MAX_PIECES):
        if at < 0:
            break
        found += [at] if _begins_line(text, at) else []
        at = text.find(search, at + 1)
    if len(found) != 1 or at >= 0:
        return None
    lines = tuple(_lines(split_lines(search), split_lines(replacement)))
    removed, added = ([line for kind, line in lines if kind == mark] for mark in "-+")
    elision.check(_lines_of(text), removed, added)
    return text[: found[0]] + replacement + text[found[0] + len(search) :]


def _lines_of(text: str) -> Iterator[str]:
    """Yield a text's lines, cut only where somebody asks for them."""
    yield from split_lines(text)


def _refuse_empty(search: str) -> None:
    if not search:
        raise EditRejected(
            "The text to search for is empty.", remedy="Name the lines to change.", code="no-match"
        )


def _piece(text: str, search: str, replacement: str, start: int | None) -> int | None:
    """Return the one offset of a text; None where it is not there, or only lines can tell what is meant."""
    if _joins(search, replacement):
        return None
    offsets = _offsets(text, search)
    if start is not None and "\n" in search and not any(text.count("\n", 0, at) == start for at in offsets):
        # The stated line may have it in another form, which only lines can tell.
        return None
    if search.endswith(("\n", "\r")):
        # Whole lines were copied, so the same text at the end of a longer line is not meant.
        offsets = [at for at in offsets if _begins_line(text, at)]
        if offsets and ("\n" + text).endswith("\n" + search[:-1]):
            # The last line of the file is the same but for its missing end.
            return None
    if len(offsets) < 2:
        return next((at for at in offsets if not _cuts_word(text, search, at)), None)
    rows = {at: text.count("\n", 0, at) for at in offsets}
    if start is not None:
        stated = [at for at, row in rows.items() if row == start]
        if len(stated) == 1:
            return stated[0]
    raise ambiguous(sorted(rows.values()))


def _joins(search: str, replacement: str) -> bool:
    """Return whether the search holds a line end at an edge where the replacement, if any, has none."""
    ends = ("\n", "\r")
    return replacement != "" and (
        (search.endswith(ends) and not replacement.endswith(ends))
        or (search.startswith(ends) and not replacement.startswith(ends))
    )


def _begins_line(text: str, at: int) -> bool:
    return at == 0 or text[at - 1] == "\n" or (text[at - 1] == "\r" and text[at] != "\n")


def _cuts_word(text: str, search: str, at: int) -> bool:
    """Return whether a search of several lines begins or ends inside a word: then it was copied elsewhere."""
    if not any(end in search for end in "\r\n"):
        return False
    edges = (at, at + len(search))
    return any(0 < edge < len(text) and _is_word(text[edge - 1 : edge + 1]) for edge in edges)


def _is_word(text: str) -> bool:
    return text.replace("_", "x").isalnum()


def _offsets(text: str, search: str) -> list[int]:
    offsets = []
    offset = text.find(search)
    while offset >= 0:
        end = offset + len(search)
        # A letter with an accent that combines with it is another letter.
        if end == len(text) or not unicodedata.combining(text[end]):
            offsets.append(offset)
        offset = text.find(search, offset + 1)
    return offsets


def _end_at(text: str, offset: int) -> str:
    r"""Return the end of the line at `offset`, of the line before it at the end of the text, or ``\n``."""
    for index in range(offset, len(text)):
        if text[index] in "\r\n":
            return "\r\n" if text[index : index + 2] == "\r\n" else text[index]
    return next((line_end(x) for x in reversed(split_lines(text[:offset])) if line_end(x)), "\n")


def _replace_in_view(lines: list[str], search: str, replacement: str, start: int | None) -> str | None:
    """Replace on a view with one kind of line end; None where `search` is not in it."""
    plain = [without_end(line) + ("\n" if line_end(line) else "") for line in lines]
    view = "".join(plain)
    wanted, new = _with_newlines(search), _with_newlines(replacement)
    offset = _piece(view, wanted, new, start)
    if offset is None:
        return None
    past = offset + len(wanted)
    first = view.count("\n", 0, offset)
    last = view.count("\n", 0, past - 1) + 1
    head = len("".join(plain[:first]))
    tail = len("".join(plain[:last]))
    target = split_lines(view[head:offset] + new + view[past:tail])
    hunk = _hunk(plain[first:last], target, first)
    placement = Placement(tuple(range(first, last)), Tolerance.LINE_ENDS, first)
    return put(FileLines(lines), (hunk,), (placement,))


def _with_newlines(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _hunk(source: Sequence[str], target: Sequence[str], start: int | None) -> PatchHunk:
    """Return what turns some lines into others; lines that they share are context."""
    return PatchHunk(start, tuple(_lines(source, target)), has_marks=False)


def _lines(source: Sequence[str], target: Sequence[str]) -> Iterator[tuple[str, str]]:
    position = 0
    for span in changed_spans(source, target):
        yield from ((" ", line) for line in source[position : span.start])
        yield from (("-", line) for line in source[span.start : span.end])
        yield from (("+", line) for line in target[span.to_start : span.to_end])
        position = span.end
    yield from ((" ", line) for line in source[position:])


def _trimmed(search: str, replacement: str) -> tuple[str, str] | None:
    """Return both texts without a blank line that they share at an end; None where they share none."""
    source, target = split_lines(search), split_lines(replacement)
    if len(source) > 1 and target and not source[0].strip() and not target[0].strip():
        return "".join(source[1:]), "".join(target[1:])
    if len(source) > 1 and target and not source[-1].strip() and not target[-1].strip():
        return "".join(source[:-1]), "".join(target[:-1])
    return None
