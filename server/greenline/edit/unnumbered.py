"""Finds lines that an edit copied with their line numbers: where they are not in the file with them."""

from __future__ import annotations

import html
from collections.abc import Callable, Container, Sequence

from greenline.core.error import EditRejected
from greenline.edit.line_number import may_be_numbered
from greenline.edit.numbered import Plain, has_numbers, plain, plain_hunks
from greenline.edit.operation import PatchHunk
from greenline.edit.patch import apply_patch_hunks
from greenline.edit.replace import replace_lines
from greenline.edit.text import split_lines
from greenline.edit.tolerance import plain as compared

_Replace = Callable[[str, str, str, int | None, str], str]
"""Text, search, replacement, stated line, path → the new text; raises `EditRejected`."""


def unnumbered(replace: _Replace) -> _Replace:
    """Return a replacement that also finds lines without the line numbers that the search has before them.

    Raises what it raises, and `EditRejected` (`malformed`) where only some new lines have them.
    """

    def replaced(text: str, search: str, new: str, start: int | None, path: str) -> str:
        try:
            return replace(text, search, new, start, path)
        except EditRejected as error:
            if error.code != "no-match":
                raise
            lines = split_lines(text)
            known = set(lines)
            readings = plain(search, new, lines) if may_be_numbered(search) else ()
            for reading in sorted(readings, key=lambda found: -_n_known(split_lines(found.search), known)):
                if not reading.is_sure and not _stands(lines, reading):
                    continue
                try:
                    # The numbers may be of the file as it was, so they choose between no places.
                    return replace_lines(text, reading.search, reading.replace, start, path)
                except EditRejected as other:
                    if other.code != "no-match":
                        raise
            raise _told(error, split_lines(search), lines) from None

    return replaced


def apply_unnumbered(
    text: str, hunks: Sequence[PatchHunk], *, may_elide: bool = False, path: str = ""
) -> str:
    """Apply a file's hunks as `apply_patch_hunks` does, also without the line numbers before their lines."""
    try:
        return apply_patch_hunks(text, hunks, may_elide=may_elide, path=path)
    except EditRejected as error:
        shown = [line for hunk in hunks for line in hunk.source]
        if error.code != "no-match":
            raise
        lines = split_lines(text)
        known = set(lines)
        readings = plain_hunks(hunks, lines) if may_be_numbered("".join(shown)) else ()
        for reading in sorted(readings, key=lambda found: -sum(_n_known(h.source, known) for h in found)):
            try:
                return apply_patch_hunks(text, reading, may_elide=may_elide, path=path)
            except EditRejected as other:
                if other.code != "no-match":
                    raise
        raise _told(error, shown, lines) from None


def _n_known(lines: Sequence[str], known: Container[str]) -> int:
    """Return how many lines are the file's as they are."""
    return sum(1 for line in lines if line in known)


def _stands(lines: Sequence[str], found: Plain) -> bool:
    """Return whether lines stand where their numbers say, whatever their indentation."""
    wanted = [compared(line).strip() for line in split_lines(found.search)]
    there = lines[found.start : found.start + len(wanted)]
    return [compared(line).strip() for line in there] == wanted


def _told(error: EditRejected, wanted: Sequence[str], lines: Sequence[str]) -> EditRejected:
    """Return an error that says what lines have that are the file's but for it."""
    if has_numbers(wanted, lines):
        error.message += " Line numbers stand before its lines."
        error.remedy = "Copy the lines without the line numbers that a tool shows before them."
    known = {line.strip() for line in lines}
    escaped = (line.strip() for line in wanted if "&" in line)
    if any(line not in known and html.unescape(line) in known for line in escaped):
        error.message += " It holds escapes of HTML, such as &lt;, for characters of the file."
        error.remedy = "Write the characters themselves, such as <."
    return error
