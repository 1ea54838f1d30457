"""Writing the index: rows are gathered for many files and written in few transactions.

Invariant: each transaction leaves an index that is right for the files it has seen, so that a process may die
at any moment. Only one process writes; it runs no two calls at once.
"""

from __future__ import annotations

import time
from collections.abc import Sequence

import apsw
import attrs

from greenline.index.analysis import Analysis, ChunkDraft
from greenline.index.chunk import SkipReason
from greenline.index.imported import module_stem
from greenline.index.scope import UNKNOWN, Disk, Found
from greenline.index.source import Refused
from greenline.index.term import split_terms
from greenline.index.vector import Embedder, VectorTable

_MAX_KEPT_VERSIONS = 4
"""Versions of one path that are kept besides the live one."""
_KEPT_CHANGES = 10_000
"""Changes that searches can follow; past them they read all files again."""
_WITHHELD = frozenset({SkipReason.IGNORED.value, SkipReason.SECRET.value})
"""What the gate says of a path and the disk does not."""


@attrs.frozen
class Known:
    """What the index holds of a path."""

    disk: Disk
    file_id: int | None
    """None where the path is skipped."""
    content_hash: bytes = b""
    is_withheld: bool = False
    """Whether it is skipped because the gate says so, whatever the disk says."""

    def is_current(self, found: Found) -> bool:
        """Return whether the index holds what is there now."""
        if found.disk == UNKNOWN or self.disk != found.disk:
            return False
        return self.is_withheld == (found.refused is not None and found.refused.reason.value in _WITHHELD)


@attrs.define
class _Batch:
    """Rows that wait for the next flush."""

    chunks: list[tuple[int, int, str, str, int]] = attrs.field(factory=list)
    search: list[tuple[int, str, str, str, str]] = attrs.field(factory=list)
    graph: list[tuple[int, str, str]] = attrs.field(factory=list)
    places: list[tuple[int, ...]] = attrs.field(factory=list)
    symbols: list[tuple[object, ...]] = attrs.field(factory=list)
    imports: list[tuple[object, ...]] = attrs.field(factory=list)
    embedded: list[tuple[int, str]] = attrs.field(factory=list)
    ids: dict[int, int] = attrs.field(factory=dict)
    """Chunk hash → id of what is gathered here."""


class IndexWriter:
    """The only writer of an index file; `vectors` and `embedder` go together."""

    def __init__(
        self,
        connection: apsw.Connection,
        embedder: Embedder | None = None,
        vectors: VectorTable | None = None,
        serving: VectorTable | None = None,
    ) -> None:
        """Take an open connection; `serving` are another embedder's vectors that searches still use."""
        self._connection = connection
        self._embedder = embedder
        self._vectors = vectors
        self._serving = serving
        self._may_lack_vectors = vectors is not None and vectors.lacks_some()
        self._batch = _Batch()
        self._next_chunk = 1
        self._next_file = 1
        self._free: list[tuple[int]] = []

    # --- transactions -----------------------------------------------------------------------------------

    def begin(self) -> None:
        """Start a transaction, unless one is open."""
        if not self._connection.in_transaction:
            self._connection.execute("BEGIN IMMEDIATE")
            # Another process may have written since; in a transaction nobody else does.
            # Free ids may be the highest of all, and are given out first.
            self._next_chunk = self._number(
                "SELECT coalesce(max(id), 0) + 1 FROM"
                " (SELECT max(id) AS id FROM chunks UNION ALL SELECT max(chunk_id) FROM free)"
            )
            self._next_file = self._number("SELECT coalesce(max(id), 0) + 1 FROM files")
            self._free = list(self._connection.execute("SELECT chunk_id FROM free ORDER BY chunk_id DESC"))

    def commit(self, n_pending: int | None = None) -> None:
        """Write what was gathered; `n_pending` is how many files are still outdated."""
        self.begin()
        if n_pending is not None:
            self.set_meta("pending", str(n_pending))
        self.flush()
        self._connection.execute(
            "DELETE FROM changes WHERE seq <= (SELECT max(seq) FROM changes) - ?", (_KEPT_CHANGES,)
        )
        self._connection.execute("COMMIT")

    def rollback(self) -> None:
        """Forget what was not committed."""
        self._batch = _Batch()
        if self._connection.in_transaction:
            self._connection.execute("ROLLBACK")

    def set_meta(self, key: str, value: str | None) -> None:
        """Set or remove one thing that the file says about itself."""
        if value is None:
            self._connection.execute("DELETE FROM meta WHERE key = ?", (key,))
        else:
            self._connection.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (key, value))

    def root_id(self, root: str) -> int:
        """Return a root's id, made where it is new."""
        self._connection.execute("INSERT OR IGNORE INTO roots (path) VALUES (?)", (root,))
        return self._number("SELECT id FROM roots WHERE path = ?", (root,))

    # --- what is known ----------------------------------------------------------------------------------

    def known(self, root_id: int) -> dict[str, Known]:
        """Return every live and skipped path of a root."""
        found = {
            path: Known(Disk(*disk), file_id, content_hash)
            for path, file_id, content_hash, *disk in self._connection.execute(
                "SELECT path, id, hash, disk_size, mtime_ns, ctime_ns, inode FROM files"
                " WHERE root_id = ? AND live",
                (root_id,),
            )
        }
        for path, reason, *disk in self._connection.execute(
            "SELECT path, reason, disk_size, mtime_ns, ctime_ns, inode FROM skips WHERE root_id = ?",
            (root_id,),
        ):
            found[path] = Known(Disk(*disk), None, is_withheld=reason in _WITHHELD)
        return found

    def known_path(self, root_id: int, path: str) -> Known | None:
        """Return what is known of one path."""
        for file_id, content_hash, *disk in self._connection.execute(
            "SELECT id, hash, disk_size, mtime_ns, ctime_ns, inode FROM files"
            " WHERE root_id = ? AND path = ? AND live",
            (root_id, path),
        ):
            return Known(Disk(*disk), file_id, content_hash)
        for reason, *disk in self._connection.execute(
            "SELECT reason, disk_size, mtime_ns, ctime_ns, inode FROM skips WHERE root_id = ? AND path = ?",
            (root_id, path),
        ):
            return Known(Disk(*disk), None, is_withheld=reason in _WITHHELD)
        return None

    def paths_below(self, root_id: int, folder: str) -> list[str]:
        """Return the live and skipped paths below a folder; `.` is all of a root."""
        where = "root_id = ?" if folder == "." else "root_id = ? AND path >= ? AND path < ?"
        # `0` is the character after `/`.
        bindings = (root_id,) if folder == "." else (root_id, f"{folder}/", f"{folder}0")
        rows = self._connection.execute(
            f"SELECT path FROM files WHERE {where} AND live UNION SELECT path FROM skips WHERE {where}",
            (*bindings, *bindings),
        )
        return [path for (path,) in rows]

    # --- one file ---------------------------------------------------------------------------------------

    def touch(self, known: Known, disk: Disk) -> None:
        """Note that a live file's content is what it was, whatever the disk says of its times."""
        self.begin()
        self._connection.execute(
            "UPDATE files SET disk_size = ?, mtime_ns = ?, ctime_ns = ?, inode = ? WHERE id = ?",
            (*attrs.astuple(disk), known.file_id),
        )

    def revive(self, root_id: int, path: str, content_hash: bytes, disk: Disk, before: Known | None) -> bool:
        """Make a kept version live again in place of what was known; False where none is complete."""
        self.begin()
        row = self._connection.execute(
            "SELECT id FROM files WHERE root_id = ? AND path = ? AND hash = ?", (root_id, path, content_hash)
        ).get
        if row is None or (self._may_lack_vectors and not self._has_vectors(int(row))):
            return False
        if before is not None:
            self._put_away(root_id, path, before)
        self._connection.execute(
            "UPDATE files SET live = 1, disk_size = ?, mtime_ns = ?, ctime_ns = ?, inode = ? WHERE id = ?",
            (*attrs.astuple(disk), int(row)),
        )
        return True

    def put(
        self, root_id: int, path: str, content_hash: bytes, disk: Disk, what: Analysis, before: Known | None
    ) -> None:
        """Add a version of a file and make it the live one in place of what was known."""
        self.begin()
        if before is not None:
            self._put_away(root_id, path, before)
        self._forget_versions(root_id, path, content_hash)
        file_id = self._next_file
        self._next_file += 1
        self._connection.execute(
            "INSERT INTO files VALUES (?, ?, ?, ?, 1, ?, ?, ?, ?, ?, ?, ?, ?)",
            (
                *(file_id, root_id, path, content_hash, int(time.time())),
                *(what.language, what.size, what.n_lines, *attrs.astuple(disk)),
            ),
        )
        path_terms = split_terms(path)
        for ordinal, draft in enumerate(what.chunks):
            chunk_id = self._chunk_id(draft, path_terms)
            part = draft.part
            self._batch.places.append(
                (file_id, ordinal, chunk_id, part.start_byte, part.end_byte, part.start_line, part.end_line)
            )
        self._batch.symbols.extend(
            (file_id, i, d.name, d.parent, d.owner, d.kind.value, d.line, d.start_line, d.end_line)
            for i, d in enumerate(what.definitions)
        )
        self._batch.imports.extend(
            (file_id, n, i.module, module_stem(i.module), " ".join(i.names), i.line)
            for n, i in enumerate(what.imports)
        )

    def retire(self, root_id: int, path: str) -> None:
        """Make a path neither live nor skipped; its version is kept for a while, a buffer's is not."""
        self.begin()
        before = self.known_path(root_id, path)
        if before is not None:
            self._put_away(root_id, path, before)

    def skip(self, root_id: int, path: str, refused: Refused, disk: Disk) -> None:
        """Note that a path is not indexed, and why."""
        self.begin()
        self.retire(root_id, path)
        self._connection.execute(
            "INSERT OR REPLACE INTO skips VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            (root_id, path, refused.reason.value, refused.detail, *attrs.astuple(disk)),
        )

    def remove_root(self, root: str) -> None:
        """Forget a folder with all that it held."""
        self.begin()
        root_id = self.root_id(root)
        files = self._connection.execute("SELECT id FROM files WHERE root_id = ?", (root_id,))
        self.remove_versions([i for (i,) in files])
        self._connection.execute("DELETE FROM skips WHERE root_id = ?", (root_id,))
        self._connection.execute("DELETE FROM roots WHERE id = ?", (root_id,))

    def remove_versions(self, file_ids: Sequence[int]) -> None:
        """Remove versions, and the chunks that no other version shares."""
        if not file_ids:
            return
        self.begin()
        self.flush()
        execute = self._connection.execute
        chunk_ids: set[int] = set()
        for file_id in file_ids:
            chunk_ids.update(
                i for (i,) in execute("SELECT chunk_id FROM places WHERE file_id = ?", (file_id,))
            )
            for table in ("places", "symbols", "imports"):
                execute(f"DELETE FROM {table} WHERE file_id = ?", (file_id,))
            execute("DELETE FROM files WHERE id = ?", (file_id,))
        unused = [
            (i,)
            for i in sorted(chunk_ids)
            if execute("SELECT 1 FROM places WHERE chunk_id = ? LIMIT 1", (i,)).get is None
        ]
        for sql in (
            "DELETE FROM search WHERE rowid = ?",
            "DELETE FROM graph WHERE rowid = ?",
            "DELETE FROM chunks WHERE id = ?",
            "INSERT INTO free VALUES (?)",
        ):
            self._connection.executemany(sql, unused)
        execute(
            "INSERT INTO meta VALUES ('removed', ?) ON CONFLICT (key)"
            " DO UPDATE SET value = value + excluded.value",
            (len(unused),),
        )
        for vectors in (self._vectors, self._serving):
            if vectors is not None:
                vectors.remove([i for (i,) in unused])

    # --- vectors ----------------------------------------------------------------------------------------

    def files_without_vectors(self, limit: int) -> list[tuple[str, str, bytes]]:
        """Return root, path and content hash of live files of which some chunk has no vector."""
        if self._vectors is None or not self._may_lack_vectors:
            return []
        return list(
            self._connection.execute(
                "SELECT DISTINCT r.path, f.path, f.hash FROM files f JOIN roots r ON r.id = f.root_id"
                " JOIN places p ON p.file_id = f.id"
                f" WHERE f.live AND p.chunk_id NOT IN (SELECT chunk_id FROM {self._vectors.name}) LIMIT ?",
                (limit,),
            )
        )

    def add_vectors(self, what: Analysis) -> bool:
        """Gather the texts of an analysis whose chunks are known and have no vector; False for none."""
        self.begin()
        n_before = len(self._batch.embedded)
        for draft in what.chunks:
            chunk_id = self._connection.execute("SELECT id FROM chunks WHERE hash = ?", (draft.hash,)).get
            if chunk_id is not None and self._vectors is not None and not self._vectors.has(int(chunk_id)):
                self._batch.embedded.append((int(chunk_id), draft.embedded))
        return len(self._batch.embedded) > n_before

    # --- helpers ----------------------------------------------------------------------------------------

    def flush(self) -> None:
        """Write the gathered rows into the open transaction."""
        batch, self._batch = self._batch, _Batch()
        many = self._connection.executemany
        many("INSERT INTO chunks VALUES (?, ?, ?, ?, ?)", batch.chunks)
        many("INSERT INTO search (rowid, name, path, doc, body) VALUES (?, ?, ?, ?, ?)", batch.search)
        many("INSERT INTO graph (rowid, calls, imports) VALUES (?, ?, ?)", batch.graph)
        many("INSERT INTO places VALUES (?, ?, ?, ?, ?, ?, ?)", batch.places)
        many("INSERT INTO symbols VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", batch.symbols)
        many("INSERT INTO imports VALUES (?, ?, ?, ?, ?, ?)", batch.imports)
        self.embed(batch.embedded)

    def embed(self, texts: Sequence[tuple[int, str]]) -> None:
        """Store the vectors of chunks by id and text."""
        if texts and self._embedder is not None and self._vectors is not None:
            self._vectors.put([i for i, _ in texts], self._embedder.embed([text for _, text in texts]))

    def _chunk_id(self, draft: ChunkDraft, path_terms: str) -> int:
        """Return the id of a chunk, which may be known already, or gather its rows."""
        batch = self._batch
        known = batch.ids.get(draft.hash)
        if known is not None:
            return known
        stored = self._connection.execute("SELECT id FROM chunks WHERE hash = ?", (draft.hash,)).get
        if stored is not None:
            chunk_id = int(stored)
            if self._may_lack_vectors and self._vectors is not None and not self._vectors.has(chunk_id):
                batch.embedded.append((chunk_id, draft.embedded))
            batch.ids[draft.hash] = chunk_id
            return chunk_id
        chunk_id = self._new_chunk_id()
        batch.ids[draft.hash] = chunk_id
        batch.chunks.append((chunk_id, draft.hash, draft.symbol, draft.kind, draft.part.n_tokens))
        batch.search.append((chunk_id, draft.name_terms, path_terms, draft.doc_terms, draft.body_terms))
        if draft.calls or draft.imports:
            batch.graph.append((chunk_id, draft.calls, draft.imports))
        if self._vectors is not None:
            batch.embedded.append((chunk_id, draft.embedded))
        return chunk_id

    def _new_chunk_id(self) -> int:
        """Return a free id, so that ids stay dense and the blocks of signs full."""
        if self._free:
            (chunk_id,) = self._free.pop()
            self._connection.execute("DELETE FROM free WHERE chunk_id = ?", (chunk_id,))
            return chunk_id
        self._next_chunk += 1
        return self._next_chunk - 1

    def _put_away(self, root_id: int, path: str, before: Known) -> None:
        if before.file_id is None:
            self._connection.execute("DELETE FROM skips WHERE root_id = ? AND path = ?", (root_id, path))
        elif before.disk.size == -1:
            self.remove_versions([before.file_id])
        else:
            self._connection.execute(
                "UPDATE files SET live = 0, used = ? WHERE id = ?", (int(time.time()), before.file_id)
            )

    def _forget_versions(self, root_id: int, path: str, content_hash: bytes) -> None:
        """Remove what would be there twice, and the path's oldest versions past the limit."""
        kept = list(
            self._connection.execute(
                "SELECT id, hash FROM files WHERE root_id = ? AND path = ? ORDER BY used DESC, id DESC",
                (root_id, path),
            )
        )
        same = [file_id for file_id, known_hash in kept if known_hash == content_hash]
        others = [file_id for file_id, known_hash in kept if known_hash != content_hash]
        self.remove_versions([*same, *others[_MAX_KEPT_VERSIONS:]])

    def _has_vectors(self, file_id: int) -> bool:
        rows = list(self._connection.execute("SELECT chunk_id FROM places WHERE file_id = ?", (file_id,)))
        return self._vectors is None or all(self._vectors.has(chunk_id) for (chunk_id,) in rows)

    def _number(self, sql: str, bindings: Sequence[object] = ()) -> int:
        return int(self._connection.execute(sql, tuple(bindings)).get)
