"""From hunks to an edit of the user's buffers: placed on the current text, minimal, all or nothing. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

import attrs

from greenline.core.edit import Hunk
from greenline.core.error import EditRejected
from greenline.edit.hunk import apply_to_lines, end_before, rebase
from greenline.edit.text import split_lines, text_hash
from greenline.lsp.lines import lines_of, starts_of
from greenline.workspace.encoding import TextFile


@attrs.frozen
class Replacement:
    """Characters `start` … `end` of a text become `text`; offsets in code points."""

    start: int
    end: int
    text: str


@attrs.frozen
class FileEdit:
    """What happens to one file."""

    path: str
    op: Literal["edit", "create", "delete"]
    old_text: str
    """Empty where the file is created."""
    new_text: str
    """Empty where the file is deleted."""
    version: int | None
    """The open buffer's version, or None where the file is not open."""
    replacements: tuple[Replacement, ...] = ()
    mode: int | None = None
    """POSIX mode bits that the file is to have, or None to keep its own."""
    form: str = ""
    """Encoding and byte order mark of a file that is created or deleted (see `Hunk.form`); an editor gives an
    edit those of its buffer."""

    @property
    def is_for_editors(self) -> bool:
        """Whether an editor can make it: what an editor creates is a plain UTF-8 file."""
        return self.op != "create" or self.form in ("", TextFile("").form)

    @property
    def changes_text(self) -> bool:
        """Whether an editor has anything to do."""
        return self.op != "edit" or self.old_text != self.new_text


@attrs.frozen
class CurrentText:
    """The text of a file now, from the open buffer or the disk."""

    text: str
    version: int | None
    """None where the file is not open."""


def place(hunk: Hunk, base_text: str | None, current: str | None) -> Hunk | None:
    """Return the hunk moved onto the current text, or None where its base text is gone.

    `current` is None where the file does not exist. Without the base text, the replaced lines must occur
    exactly once.
    """
    if hunk.op == "create":
        return hunk if current is None else None
    if current is None:
        return None
    if hunk.op == "delete":
        return hunk if current == hunk.before else None
    if text_hash(current) == hunk.base_hash:
        return hunk
    if base_text is not None:
        return rebase(hunk, base_text, current)
    return find_once(hunk, split_lines(current), text_hash(current))


def find_once(hunk: Hunk, lines: Sequence[str], hash_of_lines: str) -> Hunk | None:
    """Return a hunk where the lines that it replaces occur once, for want of the text it was made for."""
    wanted = split_lines(hunk.before)
    if not hunk.before and not hunk.after:
        return hunk
    if not wanted:
        return None
    starts = [
        row
        for row in range(len(lines) - len(wanted) + 1)
        if lines[row] == wanted[0] and list(lines[row : row + len(wanted)]) == wanted
    ]
    if len(starts) != 1:
        return None
    return attrs.evolve(hunk, start_line=starts[0], end_line=starts[0] + len(wanted), base_hash=hash_of_lines)


def file_edits(hunks: Sequence[Hunk], current: Mapping[str, CurrentText]) -> tuple[FileEdit, ...]:
    """Return one edit a file from placed hunks, sorted by path; raises `EditRejected` where they clash."""
    by_path: dict[str, list[Hunk]] = {}
    for hunk in hunks:
        by_path.setdefault(hunk.path, []).append(hunk)
    return tuple(_file_edit(path, by_path[path], current.get(path)) for path in sorted(by_path))


def _file_edit(path: str, hunks: list[Hunk], now: CurrentText | None) -> FileEdit:
    first = hunks[0]
    mode = next((hunk.mode for hunk in hunks if hunk.mode is not None), None)
    if first.op == "create":
        return FileEdit(
            path, "create", "", first.after, None, (Replacement(0, 0, first.after),), mode, first.form
        )
    if now is None:
        raise EditRejected(f"{path} is gone.", remedy="Ask for the change again.", code="conflict")
    if first.op == "delete":
        return FileEdit(path, "delete", now.text, "", now.version)
    lines = lines_of(now.text)
    new_text = apply_to_lines(lines, hunks)
    starts = starts_of(now.text)
    replacements = tuple(
        _minimal(now.text, lines, starts, hunk)
        for hunk in sorted(hunks, key=lambda h: (h.start_line, h.end_line))
        if hunk.before or hunk.after
    )
    if apply_replacements(now.text, replacements) != new_text:
        replacements = (_trimmed(now.text, Replacement(0, len(now.text), new_text)),)
    return FileEdit(path, "edit", now.text, new_text, now.version, replacements, mode)


def apply_replacements(text: str, replacements: Sequence[Replacement]) -> str:
    """Return the text after replacements that are in order and do not overlap."""
    pieces: list[str] = []
    position = 0
    for replacement in replacements:
        pieces += [text[position : replacement.start], replacement.text]
        position = replacement.end
    return "".join([*pieces, text[position:]])


def _minimal(text: str, lines: Sequence[str], starts: Sequence[int], hunk: Hunk) -> Replacement:
    """Return a hunk's replacement without what stays, anchored inside the text that the client shows.

    `starts` are the offsets of the text's lines, and of its end.
    """
    start, end = starts[hunk.start_line], starts[hunk.end_line]
    after = hunk.after
    if hunk.start_line >= len(lines) and after:
        after = end_before(lines, len(lines)) + after
    return _anchored(text, _trimmed(text, Replacement(start, end, after)))


def _trimmed(text: str, replacement: Replacement) -> Replacement:
    """Drop the common prefix and suffix, never splitting a `\\r\\n`."""
    start, end, new = replacement.start, replacement.end, replacement.text
    old = text[start:end]
    limit = min(len(old), len(new))
    head = next((n for n in range(limit) if old[n] != new[n]), limit)
    if head and old[head - 1] == "\r":
        head -= 1
    limit -= head
    tail = next((n for n in range(limit) if old[-1 - n] != new[-1 - n]), limit)
    if tail and old[len(old) - tail] == "\n" and "\r" in (old + new):
        tail -= 1
    return Replacement(start + head, end - tail, new[head : len(new) - tail])


def _anchored(text: str, replacement: Replacement) -> Replacement:
    """Move an insertion or deletion at the end of the text before the last line end.

    Some editors have no line after the last line end: an edit there leaves a stray blank line in them.
    """
    start, end, new = replacement.start, replacement.end, replacement.text
    if end != len(text) or not start:
        return replacement
    line_end = "\r\n" if text[:start].endswith("\r\n") else text[start - 1]
    moved = new if start == end else text[start:end]
    pure = (start == end) != (new == "")
    if line_end[-1] not in "\r\n" or not pure or not moved.endswith(line_end):
        return replacement
    width = len(line_end)
    rotated = line_end + new[:-width] if new else ""
    return Replacement(start - width, end - width, rotated)
