"""The tables of the index file, and the stamps that say what wrote it.

Text is never stored: the full-text tables are contentless, and a chunk is read from its file by its offsets.
A file's versions (root, path, content hash) share their chunks; a version that is no longer live is kept for
a while, so that a switch back to it only flips a flag.
"""

from __future__ import annotations

from pathlib import Path

import apsw

from greenline.core.error import GreenlineError
from greenline.index.term import NAME_TOKENIZER, TOKENIZER

SCHEMA_STAMP = "2"
"""Changes with any table; a file with another stamp is rebuilt beside and swapped."""

BLOCK = 1024
"""Chunks whose signs share a row of `bits_N`."""

_BUSY_TIMEOUT_MS = 10_000
_CACHE_KIB = 32 * 1024
_MAX_LOG_BYTES = 8 * 1024 * 1024

_TABLES = f"""
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE roots (id INTEGER PRIMARY KEY, path TEXT NOT NULL UNIQUE);
CREATE TABLE files (
    id INTEGER PRIMARY KEY,
    root_id INTEGER NOT NULL,
    path TEXT NOT NULL,
    hash BLOB NOT NULL,
    live INTEGER NOT NULL,      -- 1 for what the workspace holds now, 0 for a kept version
    used INTEGER NOT NULL,      -- Unix seconds when it was last live
    language TEXT NOT NULL,
    size INTEGER NOT NULL,      -- bytes of UTF-8 text
    n_lines INTEGER NOT NULL,
    disk_size INTEGER NOT NULL, -- with the next three what the disk said; -1 for an open buffer
    mtime_ns INTEGER NOT NULL,
    ctime_ns INTEGER NOT NULL,
    inode INTEGER NOT NULL,
    UNIQUE (root_id, path, hash)
);
CREATE INDEX files_kept ON files (used) WHERE NOT live;
CREATE INDEX files_live ON files (live) WHERE live; -- counts them
CREATE TABLE changes (seq INTEGER PRIMARY KEY AUTOINCREMENT, file_id INTEGER NOT NULL);
CREATE TRIGGER file_came AFTER INSERT ON files WHEN new.live
    BEGIN INSERT INTO changes (file_id) VALUES (new.id); END;
CREATE TRIGGER file_went AFTER DELETE ON files WHEN old.live
    BEGIN INSERT INTO changes (file_id) VALUES (old.id); END;
CREATE TRIGGER file_turned AFTER UPDATE OF live ON files WHEN new.live <> old.live
    BEGIN INSERT INTO changes (file_id) VALUES (new.id); END;
CREATE TABLE skips (
    root_id INTEGER NOT NULL,
    path TEXT NOT NULL,
    reason TEXT NOT NULL,
    detail TEXT NOT NULL,
    disk_size INTEGER NOT NULL,
    mtime_ns INTEGER NOT NULL,
    ctime_ns INTEGER NOT NULL,
    inode INTEGER NOT NULL,
    PRIMARY KEY (root_id, path)
) WITHOUT ROWID;
CREATE TABLE chunks (
    id INTEGER PRIMARY KEY,
    hash INTEGER NOT NULL UNIQUE, -- 64 bits over all that is indexed of it
    symbol TEXT NOT NULL,
    kind TEXT NOT NULL,
    n_tokens INTEGER NOT NULL
);
CREATE TABLE free (chunk_id INTEGER PRIMARY KEY); -- ids of removed chunks, given out again
CREATE TABLE places (
    file_id INTEGER NOT NULL,
    ordinal INTEGER NOT NULL,
    chunk_id INTEGER NOT NULL,
    start_byte INTEGER NOT NULL,
    end_byte INTEGER NOT NULL,
    start_line INTEGER NOT NULL,
    end_line INTEGER NOT NULL,
    PRIMARY KEY (file_id, ordinal)
) WITHOUT ROWID;
CREATE INDEX places_chunk ON places (chunk_id);
CREATE TABLE symbols (
    file_id INTEGER NOT NULL,
    ordinal INTEGER NOT NULL,
    name TEXT NOT NULL,
    parent INTEGER NOT NULL,    -- ordinal of the definition that encloses it, or -1
    owner TEXT NOT NULL,        -- what else encloses it: a Go receiver, a Rust `impl`
    kind TEXT NOT NULL,
    line INTEGER NOT NULL,
    start_line INTEGER NOT NULL,
    end_line INTEGER NOT NULL,
    PRIMARY KEY (file_id, ordinal)
) WITHOUT ROWID;
CREATE INDEX symbols_name ON symbols (name COLLATE NOCASE);
CREATE TABLE imports (
    file_id INTEGER NOT NULL,
    ordinal INTEGER NOT NULL,
    module TEXT NOT NULL,
    stem TEXT NOT NULL,         -- last part of the module, folded; finds the importers of a file
    names TEXT NOT NULL,        -- separated by spaces
    line INTEGER NOT NULL,
    PRIMARY KEY (file_id, ordinal)
) WITHOUT ROWID;
CREATE INDEX imports_stem ON imports (stem);
CREATE VIRTUAL TABLE search USING fts5(
    name, path, doc, body,
    content='', contentless_delete=1, tokenize="{TOKENIZER}"
);
CREATE VIRTUAL TABLE graph USING fts5(
    calls, imports,
    content='', contentless_delete=1, detail=column, tokenize="{NAME_TOKENIZER}"
);
"""


class IndexUnusable(GreenlineError):
    """The index file cannot be opened or written."""

    code = "indexUnusable"


def connect(path: Path, *, writable: bool) -> apsw.Connection:
    """Open the index file, and make its tables where it is new; raises `IndexUnusable`.

    A reader of a file that does not exist yet is an error too.
    """
    flags = apsw.SQLITE_OPEN_READWRITE | apsw.SQLITE_OPEN_CREATE if writable else apsw.SQLITE_OPEN_READWRITE
    try:
        connection = apsw.Connection(str(path), flags=flags)
        connection.set_busy_timeout(_BUSY_TIMEOUT_MS)
        connection.execute(f"PRAGMA cache_size = -{_CACHE_KIB}; PRAGMA temp_store = MEMORY")
        if writable:
            connection.execute(
                "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;"
                f"PRAGMA journal_size_limit = {_MAX_LOG_BYTES}"
            )
            if not connection.execute("SELECT count(*) FROM sqlite_schema").get:
                create_tables(connection)
        else:
            connection.execute("PRAGMA query_only = ON")
    except apsw.Error as error:
        raise IndexUnusable(
            f"The index {path} cannot be opened: {error}.",
            remedy="Delete the file; the next `greenline index` builds it again.",
        ) from error
    return connection


def create_tables(connection: apsw.Connection) -> None:
    """Make all tables in one transaction."""
    with connection:
        connection.execute(_TABLES)
        connection.execute("INSERT INTO meta VALUES ('schema', ?)", (SCHEMA_STAMP,))
        # Whoever follows the changes of a file knows by this that another one took its place.
        connection.execute("INSERT INTO meta VALUES ('born', hex(randomblob(8)))")
        # One segment per large transaction instead of one per megabyte saves most of the merging.
        connection.execute("INSERT INTO search (search, rank) VALUES ('hashsize', 16000000)")
        connection.execute("INSERT INTO graph (graph, rank) VALUES ('hashsize', 2000000)")


def create_vector_tables(connection: apsw.Connection, generation: int) -> None:
    """Make the vector tables of one embedder.

    `vectors_N` holds int8 components by chunk, each vector scaled to its own largest component.
    `bits_N` holds their signs for the coarse pass, `BLOCK` chunks to a row: bit 0 of a vector is the lowest
    bit of its first byte, and the chunk's place is its id modulo `BLOCK`.

    sqlite-vec was measured and is not used: its table cannot update a quantised row, does not give the space
    of a deleted one back, and took 26 to 318 ms a query on 100,000 chunks where this takes 5.
    """
    connection.execute(
        f"CREATE TABLE vectors_{generation} (chunk_id INTEGER PRIMARY KEY, vector BLOB NOT NULL);"
        f"CREATE TABLE bits_{generation} (block INTEGER PRIMARY KEY, bits BLOB NOT NULL)"
    )


def stamps(connection: apsw.Connection) -> dict[str, str]:
    """Return all that the file says about itself; empty where it has no tables."""
    try:
        return dict(connection.execute("SELECT key, value FROM meta"))
    except apsw.SQLError:
        return {}
