"""Keeps the stored contents below a quota by dropping the oldest checkpoints that nothing waits for."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from greenline.core.edit import HunkState
from greenline.core.task import ACTIVE, RunState
from greenline.journal.blob import BlobStore
from greenline.journal.store import SqliteJournal

_SETTLED_S = 3600.0
DEFAULT_QUOTA_BYTES = 1024 * 1024 * 1024

_OPEN_STATES = ACTIVE | {RunState.AWAITING_APPROVAL, RunState.PROPOSED, RunState.INTERRUPTED}
_CONTENTS = (
    "SELECT before_hash AS hash, before_size AS size FROM checkpoint_files WHERE before_hash IS NOT NULL"
    " UNION SELECT after_hash, after_size FROM checkpoint_files WHERE after_hash IS NOT NULL"
)

_ATTACHED = (
    "SELECT json_extract(a.value, '$.content') FROM runs r, json_each(r.task, '$.context.attachments') a"
)
"""Contents that tasks refer to; they do not count, and stay as long as the run does."""


def stored_bytes(journal: SqliteJournal) -> int:
    """Return how much the contents of all checkpoints take, each counted once."""
    ((total,),) = journal.query(f"SELECT COALESCE(SUM(size), 0) FROM ({_CONTENTS})")
    return int(total)


def sweep(journal: SqliteJournal, blobs: BlobStore) -> None:
    """Remove what a process that died left half stored, and the contents that nothing names any more."""
    blobs.sweep()
    # A content is stored shortly before or after what names it: only one that has lain for long is left over.
    stored = blobs.names_older_than(_SETTLED_S)
    if stored:
        with journal.transaction():
            blobs.discard(stored - _names(journal) - open_texts(journal))


def prune(journal: SqliteJournal, blobs: BlobStore, quota_bytes: int) -> tuple[str, ...]:
    """Drop the oldest checkpoints until the rest fits; return their ids.

    Kept whatever the size: changes under way, the newest checkpoint, and those of runs that are not at an
    end or have hunks that wait for a review.
    """
    if stored_bytes(journal) <= quota_bytes:
        return ()
    dropped: list[str] = []
    # The write lock is held until the files are gone: no other process can begin to count on one meanwhile.
    with journal.transaction() as connection:
        before = _names(journal)
        for checkpoint_id in _droppable(journal):
            connection.execute("DELETE FROM checkpoints WHERE id = ?", (checkpoint_id,))
            dropped.append(checkpoint_id)
            if stored_bytes(journal) <= quota_bytes:
                break
        blobs.discard(before - _names(journal) - open_texts(journal))
    return tuple(dropped)


def open_texts(journal: SqliteJournal) -> set[str]:
    """Return the hashes of the texts that hunks which wait for a review were made against."""
    rows = journal.query(
        "SELECT DISTINCT json_extract(h.value, '$.baseHash') FROM proposals p,"
        " json_each(p.proposal, '$.hunks') h WHERE json_extract(h.value, '$.state') = 'pending'"
    )
    return {name for (name,) in rows if name}


def _names(journal: SqliteJournal) -> set[str]:
    return {name for (name,) in journal.query(f"SELECT hash FROM ({_CONTENTS}) UNION {_ATTACHED}")}


def _droppable(journal: SqliteJournal) -> Iterator[str]:
    """Yield the checkpoints that may go, oldest first, without the newest of all."""
    rows = journal.query(
        "SELECT id, run_id FROM checkpoints WHERE state <> 'intent'"
        " AND number < (SELECT MAX(number) FROM checkpoints) ORDER BY number"
    )
    is_open: dict[str, bool] = {}
    for checkpoint_id, run_id in rows:
        if run_id is not None and run_id not in is_open:
            is_open[run_id] = _is_open(journal, run_id)
        if run_id is None or not is_open[run_id]:
            yield checkpoint_id


def _is_open(journal: SqliteJournal, run_id: str) -> bool:
    ((state,),) = journal.query("SELECT state FROM runs WHERE id = ?", (run_id,))
    if RunState(state) in _OPEN_STATES:
        return True
    proposals: list[Any] = [
        json.loads(text)
        for (text,) in journal.query("SELECT proposal FROM proposals WHERE run_id = ?", (run_id,))
    ]
    return any(h["state"] == HunkState.PENDING.value for p in proposals for h in p["hunks"])
