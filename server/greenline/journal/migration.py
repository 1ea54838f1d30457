"""The journal's schema as ordered, named, forward-only steps; a step that was released never changes."""

from __future__ import annotations

import time
from pathlib import Path

import apsw

from greenline.core.error import GreenlineError


class JournalUnusable(GreenlineError):
    """The journal's file cannot be read or written."""

    code = "journalUnusable"


MIGRATIONS: tuple[tuple[str, str], ...] = (
    (
        "0001-runs",
        """
        CREATE TABLE runs (
            id TEXT PRIMARY KEY,
            task TEXT NOT NULL,
            state TEXT NOT NULL,
            note TEXT NOT NULL DEFAULT '',
            created REAL NOT NULL,
            last_seq INTEGER NOT NULL DEFAULT 0,
            owner TEXT NOT NULL DEFAULT ''
        ) STRICT;
        CREATE INDEX runs_by_creation ON runs (created);
        CREATE TABLE events (
            run_id TEXT NOT NULL REFERENCES runs (id),
            seq INTEGER NOT NULL,
            time REAL NOT NULL,
            kind TEXT NOT NULL,
            data TEXT NOT NULL,
            PRIMARY KEY (run_id, seq)
        ) STRICT, WITHOUT ROWID;
        CREATE TABLE plans (
            run_id TEXT NOT NULL REFERENCES runs (id),
            version INTEGER NOT NULL,
            plan TEXT NOT NULL,
            PRIMARY KEY (run_id, version)
        ) STRICT, WITHOUT ROWID;
        CREATE TABLE proposals (
            id TEXT PRIMARY KEY,
            run_id TEXT NOT NULL REFERENCES runs (id),
            saved REAL NOT NULL,
            proposal TEXT NOT NULL
        ) STRICT;
        CREATE INDEX proposals_by_run ON proposals (run_id, saved);
        """,
    ),
    (
        "0002-checkpoints",
        """
        CREATE TABLE checkpoints (
            number INTEGER PRIMARY KEY,
            id TEXT NOT NULL UNIQUE,
            created REAL NOT NULL,
            kind TEXT NOT NULL,
            place TEXT NOT NULL,
            reason TEXT NOT NULL,
            run_id TEXT REFERENCES runs (id),
            state TEXT NOT NULL,
            note TEXT NOT NULL DEFAULT '',
            owner TEXT NOT NULL,
            marks TEXT NOT NULL,
            roots TEXT NOT NULL,
            folders TEXT NOT NULL,
            undoes TEXT NOT NULL,
            undone_by TEXT
        ) STRICT;
        CREATE INDEX checkpoints_by_run ON checkpoints (run_id);
        CREATE INDEX checkpoints_by_state ON checkpoints (state);
        CREATE TABLE checkpoint_files (
            checkpoint_id TEXT NOT NULL REFERENCES checkpoints (id) ON DELETE CASCADE,
            position INTEGER NOT NULL,
            path BLOB NOT NULL,
            before_hash TEXT,
            before_size INTEGER NOT NULL,
            before_mode INTEGER,
            after_hash TEXT,
            after_size INTEGER NOT NULL,
            after_mode INTEGER,
            encoding TEXT NOT NULL,
            PRIMARY KEY (checkpoint_id, position)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX checkpoint_files_by_before ON checkpoint_files (before_hash);
        CREATE INDEX checkpoint_files_by_after ON checkpoint_files (after_hash);
        """,
    ),
    (
        "0003-anchors",
        """
        CREATE TABLE anchors (
            hunk_id TEXT PRIMARY KEY,
            path BLOB NOT NULL,
            in_force INTEGER NOT NULL,
            anchor TEXT NOT NULL
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX anchors_by_path ON anchors (in_force, path);
        """,
    ),
    (
        "0004-kept",
        """
        ALTER TABLE checkpoint_files ADD COLUMN kept TEXT NOT NULL DEFAULT '';
        """,
    ),
)


def migrate(connection: apsw.Connection, path: str) -> None:
    """Bring the file to the newest schema; raises `JournalUnusable` where a newer program wrote it.

    Must run in a transaction that holds the write lock, so that two processes never migrate at once.
    """
    connection.execute(
        "CREATE TABLE IF NOT EXISTS migrations (name TEXT PRIMARY KEY, applied REAL NOT NULL) STRICT"
    )
    applied = {name for (name,) in connection.execute("SELECT name FROM migrations")}
    unknown = sorted(applied - {name for name, _ in MIGRATIONS})
    if unknown:
        raise JournalUnusable(
            f"The journal {path} was written by a newer Greenline (it holds {unknown[-1]}).",
            remedy="Update Greenline, or move the file away to start a new journal.",
        )
    for name, script in MIGRATIONS:
        if name in applied:
            continue
        connection.execute(script)
        connection.execute("INSERT INTO migrations VALUES (?, ?)", (name, time.time()))


def unusable(path: Path, error: Exception) -> JournalUnusable:
    """Return what is wrong with the journal's file, with the remedy."""
    if isinstance(error, apsw.NotADBError | apsw.CorruptError):
        return JournalUnusable(
            f"The journal {path} is not a sound database ({error}).",
            remedy="Move the file away to start a new journal; the runs in it are lost.",
        )
    if isinstance(error, apsw.BusyError | apsw.LockedError):
        return JournalUnusable(
            f"The journal {path} is locked by another process.", remedy="Try again when that process is done."
        )
    return JournalUnusable(
        f"The journal {path} cannot be used ({error}).",
        remedy="Check the folder's permissions and space, or set GREENLINE_STATE_DIR to another folder.",
    )
