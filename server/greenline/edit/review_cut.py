"""Cuts a change into the hunks of a review: each makes sense alone where it can, and knows its needs."""

from __future__ import annotations

from collections.abc import Iterable

import attrs

from greenline.core.edit import FileChange, Hunk
from greenline.core.error import EditRejected, InvalidInput
from greenline.core.ids import new_id
from greenline.edit.hunk import split
from greenline.edit.link import ChangedText, linked
from greenline.edit.sense import sensible
from greenline.edit.text import text_hash
from greenline.workspace.encoding import TextFile, decode, encode


@attrs.frozen
class ReviewedChange:
    """One file's change with what a reviewer is told about it."""

    change: FileChange
    before: str | None
    """None where the file is created."""
    after: str | None
    """None where the file is deleted."""
    version: int | None = None
    """The open buffer's version that the change was made against."""
    why: str = ""
    plan_entry: int | None = None


def cut_for_review(changes: Iterable[ReviewedChange]) -> tuple[Hunk, ...]:
    """Return the hunks of all files in order; a change of mode bits alone is a hunk without text."""
    texts: list[ChangedText] = []
    for item in changes:
        hunks = split(
            item.change,
            item.before,
            item.after,
            item.version,
            item.why,
            item.plan_entry,
            sensible(item.change.path),
        )
        mode = item.change.mode
        if mode is not None and item.after is not None:
            hunks = (attrs.evolve(hunks[0], mode=mode), *hunks[1:]) if hunks else (_mode_alone(item, mode),)
        if hunks and (form := _form(item)):
            hunks = (attrs.evolve(hunks[0], form=form), *hunks[1:])
        moved_from = item.change.moved_from
        texts.append(ChangedText(item.change.path, item.before, item.after, hunks, moved_from))
    return linked(texts)


def _form(item: ReviewedChange) -> str:
    """Return the encoding and mark of the new bytes, where the text alone would come to other bytes."""
    if item.change.after is None:
        return ""
    try:
        file = decode(item.change.after)
        old = TextFile("") if item.before is None else decode(item.change.before or b"")
        if file.text != item.after or encode(attrs.evolve(old, text=file.text)) == item.change.after:
            return ""
    except InvalidInput:
        return ""
    except EditRejected:
        pass
    return file.form


def _mode_alone(item: ReviewedChange, mode: int) -> Hunk:
    base_hash = text_hash(item.before or "")
    return Hunk(
        new_id("h"),
        item.change.path,
        "edit",
        0,
        0,
        "",
        "",
        base_hash,
        item.version,
        item.why,
        item.plan_entry,
        mode=mode,
    )
