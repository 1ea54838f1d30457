"""From accepted hunks to what is written: file changes with exact bytes, and the marks that an undo needs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

import attrs

from greenline.core.edit import FileChange, Hunk, HunkState
from greenline.core.error import EditRejected
from greenline.edit.hunk import apply_hunks
from greenline.edit.text import split_lines, text_hash
from greenline.journal.checkpoint import Mark
from greenline.workspace.encoding import TextFile, decode, encode

Read = Callable[[str], bytes | None]
"""Absolute path → bytes, or None where there is no such file."""


def changes_from_hunks(hunks: Iterable[Hunk], read: Read) -> tuple[FileChange, ...]:
    """Return the changes that hunks make to the files that they were made against, sorted by path.

    Raises `EditRejected` (`stale`, `exists`) where a file is not the one of its hunks.
    """
    return tuple(_change(path, items, read(path)) for path, items in sorted(_by_path(hunks).items()))


def marks_of(proposal_id: str, hunks: Iterable[Hunk], paths: Callable[[str], str] = str) -> tuple[Mark, ...]:
    """Return the marks of hunks that are about to be accepted; their lines are those of the text before.

    `paths` turns a hunk's path into the one under which its checkpoint knows the file.
    """
    marks: list[Mark] = []
    for path, items in sorted(_by_path(hunks).items()):
        shift = 0
        for hunk in sorted(items, key=lambda h: (h.start_line, h.end_line)):
            start = hunk.start_line + shift
            height = len(split_lines(hunk.after))
            shift += height - (hunk.end_line - hunk.start_line)
            whole = hunk.op != "edit"
            marks.append(
                Mark(
                    proposal_id,
                    hunk.id,
                    paths(path),
                    HunkState.PENDING,
                    HunkState.ACCEPTED,
                    0 if whole else start,
                    None if whole else start + height,
                )
            )
    return tuple(marks)


def reversed_marks(marks: Iterable[Mark], kept: Sequence[Mark]) -> tuple[Mark, ...]:
    """Return the marks of taking back all but the `kept` ones; each stands for its whole file then."""
    return tuple(
        attrs.evolve(mark, before=mark.after, after=mark.before, start_line=0, end_line=None)
        for mark in marks
        if mark not in kept
    )


def _by_path(hunks: Iterable[Hunk]) -> dict[str, list[Hunk]]:
    by_path: dict[str, list[Hunk]] = {}
    for hunk in hunks:
        by_path.setdefault(hunk.path, []).append(hunk)
    return by_path


def _change(path: str, hunks: list[Hunk], before: bytes | None) -> FileChange:
    op = hunks[0].op
    if op == "create" and before is not None:
        raise EditRejected(f"{path} exists by now.", remedy="Run the request again.", code="exists")
    if op != "create" and (before is None or text_hash(decode(before).text) != hunks[0].base_hash):
        raise EditRejected(
            f"{path} was changed since the run.", remedy="Run the request again.", code="stale"
        )
    if op == "delete":
        return FileChange(path, before, None)
    mode = next((hunk.mode for hunk in hunks if hunk.mode is not None), None)
    file = TextFile("") if before is None else decode(before)
    text = apply_hunks(file.text, hunks)
    # A moved file keeps its bytes, so the form comes with the hunk and not from the path where it lands.
    form = next((hunk.form for hunk in hunks if hunk.form), "")
    after = encode(TextFile.in_form(form, text) if form else attrs.evolve(file, text=text))
    return FileChange(path, before, after, mode=mode)
