"""What a file should hold once changes are taken back: three-way, and never over what came later. Pure.

Undo works per region: where the user changed the very lines of a change, those lines stay as they are and are
a conflict, and every other change of the file is taken back. A file that was created or deleted, or is no
text, is taken back whole or not at all.
"""

from __future__ import annotations

from collections.abc import Callable

import attrs

from greenline.core.error import EditRejected, GreenlineError, InvalidInput
from greenline.edit.merge import merge_texts
from greenline.journal.blob import content_hash
from greenline.journal.checkpoint import Checkpoint, CheckpointFile, Mark
from greenline.workspace.encoding import TextFile, decode, encode


@attrs.frozen
class Content:
    """What a file holds: the bytes, and how they are text."""

    data: bytes
    form: str = ""
    """`codec+bom` (the mark in hex) of what was a buffer; empty for bytes of the disk, see `decode`."""

    @classmethod
    def of_text(cls, text: str, file: TextFile | None = None) -> Content:
        """Return a buffer's text as its file would hold it, else as UTF-8, which holds everything."""
        if file is not None:
            try:
                return cls(encode(attrs.evolve(file, text=text)), file.form)
            except EditRejected:
                pass
        return cls(text.encode("utf-8", "surrogatepass"), "utf-8+")

    def file(self) -> TextFile:
        """Return the text with its encoding; raises `InvalidInput` for bytes that are no text."""
        if not self.form:
            return decode(self.data)
        empty = TextFile.in_form(self.form)
        errors = "surrogatepass" if empty.encoding == "utf-8" else "strict"
        return attrs.evolve(empty, text=self.data[len(empty.bom) :].decode(empty.encoding, errors))


@attrs.frozen
class UndoConflict:
    """A place that was not taken back, and why."""

    path: str
    reason: str
    line: int | None = None
    """First line of the place in the file afterwards, 0-based; None: the whole file."""


@attrs.frozen
class Restored:
    """One file after changes were taken back."""

    content: Content | None
    """None: there is no such file."""
    conflicts: tuple[UndoConflict, ...] = ()
    kept: tuple[Mark, ...] = ()
    """Marks of the hunks that are still in the file."""
    mode: int | None = None
    """POSIX mode bits to go back to, or None."""
    kept_of_file: str = ""
    """Owner and extended attributes of a file that comes back."""


Fetch = Callable[[str], bytes]
"""Content hash → bytes; raises `GreenlineError` where they are damaged."""


def restore(
    current: Content | None,
    steps: list[tuple[Checkpoint, CheckpointFile]],
    fetch: Fetch,
    bits: int | None = None,
) -> Restored:
    """Take back the changes of one file, given newest first; each step merges into what the last one left.

    `bits` are the file's mode bits now, where the disk has them.
    """
    conflicts: list[UndoConflict] = []
    kept: list[Mark] = []
    mode: int | None = None
    kept_of_file = ""
    for checkpoint, file in steps:
        marks = [mark for mark in checkpoint.marks if mark.path == file.path]
        done = _step(current, file, marks, fetch)
        current = done.content
        conflicts += done.conflicts
        kept += done.kept
        if not done.conflicts and file.before_mode != file.after_mode and file.before_mode is not None:
            if file.after_mode is None or bits in (None, file.after_mode, file.before_mode):
                mode = bits = file.before_mode
            else:
                reason = "Its mode bits were changed since; they are left as they are."
                conflicts.append(UndoConflict(file.path, reason))
        if file.after is None:
            kept_of_file = file.kept
    return Restored(current, tuple(conflicts), tuple(kept), mode, kept_of_file)


def _step(current: Content | None, file: CheckpointFile, marks: list[Mark], fetch: Fetch) -> Restored:
    def content(name: str | None) -> Content | None:
        return None if name is None else Content(fetch(name), file.encoding)

    try:
        before = content(file.before)
        if _same(current, before):
            return Restored(current)
        # Where the file is as the change left it, the content after the change need not even be readable.
        if current is not None and not current.form and content_hash(current.data) == file.after:
            return Restored(before)
        after = content(file.after)
        if _same(current, after):
            return Restored(_in_form_of(before, current))
        if current is None or before is None or after is None:
            raise InvalidInput(_whole_reason(before, after))
        return _merged(file.path, current, before, after, marks)
    except GreenlineError as error:
        return Restored(current, (UndoConflict(file.path, str(error)),), tuple(marks))


def _merged(path: str, current: Content, before: Content, after: Content, marks: list[Mark]) -> Restored:
    now = current.file()
    merged = merge_texts(after.file().text, now.text, before.file().text)
    content = current if merged.text == now.text else _with_text(current, merged.text)
    conflicts = tuple(
        UndoConflict(path, "These lines were changed since; they are left as they are.", conflict.line)
        for conflict in merged.conflicts
    )
    kept = tuple(
        mark
        for mark in marks
        if any(_meets(mark, conflict.base_start, conflict.base_end) for conflict in merged.conflicts)
    )
    return Restored(content, conflicts, kept)


def _meets(mark: Mark, start: int, end: int) -> bool:
    """Return whether a hunk wrote some of the lines; a hunk that only removed some stands between lines."""
    if mark.end_line is None:
        return True
    return mark.start_line <= end and start <= mark.end_line


def _whole_reason(before: Content | None, after: Content | None) -> str:
    if before is None:
        return "The file was created by the change and was edited since; it is left as it is."
    if after is None:
        return "The file was deleted by the change, and there is another one now; it is left as it is."
    return "The file was deleted since; it is not made again."


def _in_form_of(content: Content | None, current: Content | None) -> Content | None:
    """Return a content in the encoding that its file has now."""
    if content is None or current is None or content.form == current.form:
        return content
    return _with_text(current, content.file().text)


def _with_text(current: Content, text: str) -> Content:
    """Return another text in a content's form; raises `EditRejected` where the disk's encoding lacks it."""
    if current.form:
        return Content.of_text(text, attrs.evolve(current.file(), text=""))
    return Content(encode(attrs.evolve(decode(current.data), text=text)))


def _same(one: Content | None, other: Content | None) -> bool:
    if one is None or other is None or one.form == other.form:
        return one == other
    try:
        return one.file().text == other.file().text
    except InvalidInput:
        return False
