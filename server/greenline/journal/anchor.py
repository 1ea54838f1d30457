"""Anchors of accepted hunks in the journal's file: written with the accept, kept through undo and redo."""

from __future__ import annotations

import codecs
import json
import os
from collections.abc import Callable, Iterable, Sequence

import apsw

from greenline.core.anchor import Anchor, Owner, anchor_at
from greenline.core.edit import HunkState
from greenline.core.error import GreenlineError
from greenline.core.line import split_plain
from greenline.core.wire import from_json, to_json
from greenline.journal.checkpoint import Checkpoint, CheckpointFile
from greenline.journal.store import SqliteJournal
from greenline.workspace.encoding import decode

Fetch = Callable[[str], bytes]
"""Content hash → bytes; raises `GreenlineError` where they are damaged."""


def anchors_of(checkpoint: Checkpoint, fetch: Fetch, accepted: float) -> tuple[Anchor, ...]:
    """Return the anchors of the hunks that a change has put into files; none for lines that say nothing."""
    files = {file.path: file for file in checkpoint.files}
    texts: dict[str, Sequence[str] | None] = {}
    found: list[Anchor] = []
    for mark in checkpoint.marks:
        file = files.get(mark.path)
        if mark.after is not HunkState.ACCEPTED or file is None or file.after is None:
            continue
        if mark.end_line is None and file.before is not None:
            # An undo that was undone: the anchor of the first time stands again.
            continue
        if mark.path not in texts:
            texts[mark.path] = _lines(file, fetch)
        lines = texts[mark.path]
        if lines is None:
            continue
        owner = Owner(mark.hunk_id, mark.proposal_id, os.path.realpath(mark.path), accepted)
        end = len(lines) if mark.end_line is None else mark.end_line
        if (anchor := anchor_at(owner, lines, mark.start_line, end)) is not None:
            found.append(anchor)
    return tuple(found)


def settle_anchors(connection: apsw.Connection, checkpoint: Checkpoint, anchors: Iterable[Anchor]) -> None:
    """Store the anchors of a change, and let others stand or not as its marks say; in a transaction."""
    for mark in checkpoint.marks:
        connection.execute(
            "UPDATE anchors SET in_force = ? WHERE hunk_id = ?",
            (int(mark.after is HunkState.ACCEPTED), mark.hunk_id),
        )
    for anchor in anchors:
        connection.execute(
            "INSERT OR REPLACE INTO anchors VALUES (?, ?, 1, ?)",
            (anchor.hunk_id, os.fsencode(anchor.path), json.dumps(to_json(anchor))),
        )


def move_anchor(connection: apsw.Connection, anchor: Anchor) -> None:
    """Store where a hunk stands by now, if it still does; in a transaction."""
    connection.execute(
        "UPDATE anchors SET path = ?, anchor = ? WHERE hunk_id = ? AND in_force = 1",
        (os.fsencode(anchor.path), json.dumps(to_json(anchor)), anchor.hunk_id),
    )


def read_anchors(journal: SqliteJournal, path: str) -> list[Anchor]:
    """Return the anchors in a file (absolute path, links resolved) that are in force, the newest first."""
    rows = journal.query("SELECT anchor FROM anchors WHERE in_force = 1 AND path = ?", (os.fsencode(path),))
    found = [from_json(json.loads(text), Anchor) for (text,) in rows]
    return sorted(found, key=lambda anchor: (-anchor.accepted, anchor.hunk_id))


def anchored_paths(journal: SqliteJournal) -> list[str]:
    """Return the files that have anchors in force, those that are gone by now included."""
    rows = journal.query("SELECT DISTINCT path FROM anchors WHERE in_force = 1")
    return sorted(os.fsdecode(path) for (path,) in rows)


def _lines(file: CheckpointFile, fetch: Fetch) -> Sequence[str] | None:
    """Return the plain lines of a file after a change, or None where they cannot be read."""
    try:
        data = fetch(file.after or "")
        if not file.encoding:
            return split_plain(decode(data).text)
        codec, _, mark = file.encoding.partition("+")
        errors = "surrogatepass" if codecs.lookup(codec).name == "utf-8" else "strict"
        return split_plain(data[len(bytes.fromhex(mark)) :].decode(codec, errors))
    except (GreenlineError, UnicodeError, LookupError):
        return None
