"""Opening the index file for writing: who wrote it, what has to be built anew, and what to throw away.

Invariant: a reader always finds a whole index. What other versions wrote goes on serving while a new file is
built beside it; its pages then replace the old file's in one transaction.
"""

from __future__ import annotations

import time
from pathlib import Path

import apsw

from greenline.index.chunker import CHUNKER_STAMP
from greenline.index.grammar import grammar_stamp
from greenline.index.schema import SCHEMA_STAMP, IndexUnusable, connect, stamps
from greenline.index.store import IndexStore
from greenline.index.vector import Embedder, VectorTable
from greenline.index.writer import IndexWriter

_KEEP_S = 7 * 24 * 3600
"""A version that was not live for so long is dropped when there is time."""
_MAX_KEPT = 2.0
"""Bytes of kept versions for each byte of live ones, at most.

In the middle of a checkout files are gone for a moment, and count as kept and not as live.
"""
_IDLE_KEPT = 0.5
_MAX_FREE = 0.2
"""Share of free pages past which the file is packed."""
_MAX_REMOVED = 0.25
"""Chunks removed since the file was packed, for each one it holds: their words stay until segments merge."""
_MIN_PACKED_PAGES = 64
_VECTOR_KEYS = ("embedder", "vectors", "dims")
"""What the file says of the vectors that serve; with `next_` before, of those that are being made."""
_RENAMED = ("", "-wal", "-shm")


class OpenIndex:
    """An index file that is open for writing, perhaps beside the one that serves."""

    def __init__(self, served: Path, path: Path, embedder: Embedder | None) -> None:
        self._served = served
        self._path = path
        self._embedder = embedder
        self._connection = connect(path, writable=True)
        vectors, serving = self._open_vectors()
        self.store = IndexStore(path, self._connection)
        self.writer = IndexWriter(self._connection, embedder, vectors, serving)
        self.writer.begin()
        for key, value in _own_stamps().items():
            self.writer.set_meta(key, value)
        self.writer.commit()

    def close(self) -> None:
        """Close the file; idempotent."""
        self._connection.close()

    def finish(self) -> OpenIndex:
        """Put an index that was built beside the old one in its place; return what to go on with."""
        if self._path == self._served:
            return self
        self.close()
        _replace(self._served, self._path)
        return OpenIndex(self._served, self._served, self._embedder)

    def compact(self, *, idle: bool) -> bool:
        """Drop kept versions past their limit, and give free pages back where those are many.

        Without `idle` only what must not wait is done.
        """
        live = self._number("SELECT coalesce(sum(size), 0) FROM files WHERE live")
        kept = self._number("SELECT coalesce(sum(size), 0) FROM files WHERE NOT live")
        limit = live * (_IDLE_KEPT if idle else _MAX_KEPT)
        oldest = int(time.time()) - _KEEP_S if idle else 0
        dropped = []
        for file_id, size, used in self._connection.execute(
            "SELECT id, size, used FROM files WHERE NOT live ORDER BY used, id"
        ):
            if kept <= limit and used >= oldest:
                break
            dropped.append(file_id)
            kept -= size
        if dropped:
            self.writer.remove_versions(dropped)
            self.writer.commit()
        if not idle:
            return bool(dropped)
        packed = self._pack()
        self._connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        return packed or bool(dropped)

    def _pack(self) -> bool:
        """Merge the full-text segments and rewrite the file where a share of it is free."""
        n_pages, n_free = self._number("PRAGMA page_count"), self._number("PRAGMA freelist_count")
        n_removed = int(stamps(self._connection).get("removed", "0"))
        n_chunks = self._number("SELECT count(*) FROM chunks")
        wasteful = n_free > n_pages * _MAX_FREE or n_removed > n_chunks * _MAX_REMOVED
        if n_pages < _MIN_PACKED_PAGES or not wasteful:
            return False
        self._connection.execute("INSERT INTO search (search) VALUES ('optimize')")
        self._connection.execute("INSERT INTO graph (graph) VALUES ('optimize')")
        self._connection.execute("DELETE FROM meta WHERE key = 'removed'")
        self._connection.execute("VACUUM")
        return True

    def serve_new_vectors(self) -> None:
        """Let the own embedder's vectors serve, and drop those of another one."""
        said = stamps(self._connection)
        if f"next_{_VECTOR_KEYS[0]}" not in said:
            return
        with self._connection:
            self._table(said, "").drop()
            for key in _VECTOR_KEYS:
                self.writer.set_meta(key, said[f"next_{key}"])
                self.writer.set_meta(f"next_{key}", None)
        self.writer = IndexWriter(self._connection, self._embedder, self._table(said, "next_"))

    def _open_vectors(self) -> tuple[VectorTable | None, VectorTable | None]:
        """Return the own embedder's vectors, made where there are none, and another's that still serve."""
        self._connection.execute("BEGIN IMMEDIATE")
        try:
            opened = self._choose_vectors(stamps(self._connection))
        except BaseException:
            self._connection.execute("ROLLBACK")
            raise
        self._connection.execute("COMMIT")
        return opened

    def _choose_vectors(self, said: dict[str, str]) -> tuple[VectorTable | None, VectorTable | None]:
        embedder = self._embedder
        if embedder is None or said.get("embedder") == embedder.stamp:
            self._drop_vectors(said, "next_")
            if embedder is not None:
                return self._table(said, ""), None
            self._drop_vectors(said, "")
            return None, None
        serving = self._table(said, "") if "embedder" in said else None
        prefix = "" if serving is None else "next_"
        if said.get(f"{prefix}embedder") != embedder.stamp:
            self._drop_vectors(said, prefix)
            generation = max(int(said.get(key, "0")) for key in ("vectors", "next_vectors")) + 1
            said = {
                **said,
                f"{prefix}embedder": embedder.stamp,
                f"{prefix}vectors": str(generation),
                f"{prefix}dims": str(embedder.dims),
            }
            self._table(said, prefix).create()
            self._connection.executemany(
                "INSERT OR REPLACE INTO meta VALUES (?, ?)",
                [(f"{prefix}{key}", said[f"{prefix}{key}"]) for key in _VECTOR_KEYS],
            )
        return self._table(said, prefix), serving

    def _table(self, said: dict[str, str], prefix: str) -> VectorTable:
        return VectorTable(self._connection, int(said[f"{prefix}vectors"]), int(said[f"{prefix}dims"]))

    def _drop_vectors(self, said: dict[str, str], prefix: str) -> None:
        if f"{prefix}vectors" in said:
            self._table(said, prefix).drop()
            self._connection.executemany(
                "DELETE FROM meta WHERE key = ?", [(f"{prefix}{key}",) for key in _VECTOR_KEYS]
            )

    def _number(self, sql: str) -> int:
        return int(self._connection.execute(sql).get)


def open_index(path: Path, embedder: Embedder | None) -> OpenIndex:
    """Open the index for writing; where its stamps are others, what is opened lies beside it.

    Raises `IndexUnusable`.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    beside = path.with_name(f"{path.name}.new")
    if not _fits(path):
        if beside.exists() and not _fits(beside):
            _remove(beside)
        return OpenIndex(path, beside, embedder)
    _remove(beside)
    return OpenIndex(path, path, embedder)


def condemn(path: Path) -> None:
    """Have a file that contradicts itself built anew at the next opening; it serves until then, if it can."""
    _remove(path.with_name(f"{path.name}.new"))
    try:
        connection = connect(path, writable=True)
        try:
            connection.execute("UPDATE meta SET value = 'damaged' WHERE key = 'chunker'")
        finally:
            connection.close()
    except (apsw.Error, IndexUnusable):
        _remove(path)


def _fits(path: Path) -> bool:
    """Return whether this version can go on with a file; a new or empty one fits."""
    if not path.exists() or path.stat().st_size == 0:
        return True
    try:
        connection = connect(path, writable=False)
    except IndexUnusable:
        return False
    try:
        said = stamps(connection)
    except apsw.Error:
        return False
    finally:
        connection.close()
    return not said or all(said.get(key, value) == value for key, value in _own_stamps().items())


def _own_stamps() -> dict[str, str]:
    return {"schema": SCHEMA_STAMP, "chunker": CHUNKER_STAMP, "grammar": grammar_stamp()}


def _replace(served: Path, built: Path) -> None:
    """Copy the built file's pages over the served one in one transaction, which readers see whole."""
    source = connect(built, writable=True)
    try:
        target = apsw.Connection(str(served))
        try:
            target.set_busy_timeout(10_000)
            with target.backup("main", source, "main") as backup:
                while not backup.done:
                    backup.step(-1)
            target.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        finally:
            target.close()
    except apsw.NotADBError:
        # What lies there is no database, and nobody can be reading it.
        source.close()
        _remove(served)
        built.rename(served)
        return
    finally:
        source.close()
    _remove(built)


def _remove(path: Path) -> None:
    for suffix in _RENAMED:
        Path(f"{path}{suffix}").unlink(missing_ok=True)
