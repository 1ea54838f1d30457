"""Reading the index: everything that a search, an outline or a graph question needs from the file.

Any number of processes may read while one writes; each call sees one committed state.
Chunks, symbols and imports that are returned are of live files only, unless a method says otherwise.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import apsw

from greenline.index.chunk import Chunk, File, Import, Scored, Skipped, SkipReason, Stats, Symbol, SymbolKind
from greenline.index.schema import SCHEMA_STAMP, IndexUnusable, connect, stamps

if TYPE_CHECKING:
    from greenline.index.vector import Floats, VectorTable

DEFAULT_WEIGHTS = (4.0, 3.0, 2.0, 1.0)
"""BM25 weights of the columns name, path, doc and body."""

_FILE = "f.id, r.path, f.path, f.language, f.hash, f.size, f.n_lines, f.disk_size"
_LIVE = "files f JOIN roots r ON r.id = f.root_id WHERE f.live"
_OVERSAMPLE = 3


class IndexStore:
    """An index file, open for reading; used by one thread at a time."""

    def __init__(self, path: Path, connection: apsw.Connection | None = None) -> None:
        """Open the file for reading, or take a connection that is open; raises `IndexUnusable`.

        A file with other tables, which another version wrote, is unusable too.
        """
        self.path = path
        self.connection = connect(path, writable=False) if connection is None else connection
        schema = stamps(self.connection).get("schema")
        if schema not in (None, SCHEMA_STAMP):
            self.connection.close()
            raise IndexUnusable(
                f"The index {path} was written by another version of greenline.",
                remedy="Bring it up to date with `greenline index`.",
            )
        self._vectors: VectorTable | None = None
        self._generation = ""

    def close(self) -> None:
        """Close the file; idempotent."""
        self.connection.close()

    # --- files ------------------------------------------------------------------------------------------

    def stamps(self) -> dict[str, str]:
        """Return what wrote the file: `schema`, `grammar`, `chunker`, `embedder`, `pending`, …"""
        return stamps(self.connection)

    def roots(self) -> list[str]:
        """Return the workspace's folders, absolute."""
        return [path for (path,) in self.connection.execute("SELECT path FROM roots ORDER BY id")]

    def files(self, root: str | None = None) -> list[File]:
        """Return all live files, or those of one root, by path."""
        rows = self.connection.execute(
            f"SELECT {_FILE} FROM {_LIVE} AND (? IS NULL OR r.path = ?) ORDER BY f.path, r.id", (root, root)
        )
        return [_file(row) for row in rows]

    def file(self, root: str, path: str) -> File | None:
        """Return a live file by its root and relative path."""
        row = self._row(f"SELECT {_FILE} FROM {_LIVE} AND r.path = ? AND f.path = ?", (root, path))
        return None if row is None else _file(row)

    def file_by_id(self, file_id: int) -> File | None:
        """Return a live file by its id."""
        row = self._row(f"SELECT {_FILE} FROM {_LIVE} AND f.id = ?", (file_id,))
        return None if row is None else _file(row)

    def skipped(self, root: str | None = None) -> list[Skipped]:
        """Return the files that are not indexed, by path."""
        rows = self.connection.execute(
            "SELECT r.path, s.path, s.reason, s.detail FROM skips s JOIN roots r ON r.id = s.root_id"
            " WHERE ? IS NULL OR r.path = ? ORDER BY s.path, r.id",
            (root, root),
        )
        return [Skipped(r, path, SkipReason(reason), detail) for r, path, reason, detail in rows]

    # --- chunks -----------------------------------------------------------------------------------------

    def chunks_of(self, file_id: int) -> list[Chunk]:
        """Return a live file's chunks in the order of the text."""
        return self._chunks("p.file_id = ? ORDER BY p.ordinal", (file_id,))

    def chunks(self, chunk_ids: Sequence[int]) -> dict[int, Chunk]:
        """Return live chunks by id; ids of kept versions are left out.

        Where several files or places share a chunk (two roots, a repeated text), the first one is returned.
        """
        found: dict[int, Chunk] = {}
        for chunk_id in chunk_ids:
            if chunk_id not in found:
                places = self.places(chunk_id)
                if places:
                    found[chunk_id] = places[0]
        return found

    def places(self, chunk_id: int) -> list[Chunk]:
        """Return every live place of a chunk."""
        return self._chunks("p.chunk_id = ? ORDER BY f.path, p.ordinal, r.id", (chunk_id,))

    def chunk_at(self, file_id: int, line: int) -> Chunk | None:
        """Return the live chunk that holds a line (1-based)."""
        found = self._chunks(
            "p.file_id = ? AND p.start_line <= ? AND p.end_line >= ? ORDER BY p.ordinal LIMIT 1",
            (file_id, line, line),
        )
        return found[0] if found else None

    # --- words and vectors ------------------------------------------------------------------------------

    def match(self, expression: str, limit: int, weights: Sequence[float] = DEFAULT_WEIGHTS) -> list[Scored]:
        """Return live chunks for an FTS5 expression over name, path, doc and body, by BM25, best first.

        Words of the expression must have gone through `greenline.index.term`; raises `apsw.SQLError` for one
        that FTS5 cannot read. Scores are positive.
        """
        weight = ", ".join(str(float(w)) for w in weights)
        sql = (
            f"SELECT rowid, -bm25(search, {weight}) AS score FROM search WHERE search MATCH ?"
            " ORDER BY score DESC, rowid LIMIT ?"
        )
        return self._live(
            lambda n: [Scored(*row) for row in self.connection.execute(sql, (expression, n))], limit
        )

    def nearest(self, vectors: VectorTable, query: Floats, limit: int) -> list[Scored]:
        """Return live chunks by the cosine of their vectors with a query's (`VectorTable.nearest`)."""
        return self._live(lambda n: vectors.nearest(query, n), limit)

    def vectors(self) -> VectorTable | None:
        """Return the vectors that serve now; None where nothing was embedded yet. Imports numpy."""
        said = self.stamps()
        generation = said.get("vectors", "")
        if not generation:
            return None
        if self._vectors is None or generation != self._generation:
            from greenline.index.vector import VectorTable

            self._vectors = VectorTable(self.connection, int(generation), int(said["dims"]))
            self._generation = generation
        return self._vectors

    # --- graph ------------------------------------------------------------------------------------------

    def symbols_of(self, file_id: int) -> list[Symbol]:
        """Return a live file's definitions in the order of the text."""
        return self._symbols("s.file_id = ? ORDER BY s.ordinal", (file_id,))

    def symbols_named(self, name: str, limit: int = 100) -> list[Symbol]:
        """Return live definitions of a name, whatever its case; those of the same case come first."""
        return self._symbols(
            "s.name = ? COLLATE NOCASE ORDER BY s.name <> ?, f.path, s.ordinal LIMIT ?", (name, name, limit)
        )

    def symbols_like(self, query: str, limit: int = 100) -> list[Symbol]:
        """Return live definitions whose name holds the query's letters in a row, whatever their case."""
        escaped = query.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")
        return self._symbols(
            "s.name LIKE ? ESCAPE '\\' ORDER BY length(s.name), s.name, f.path, s.ordinal LIMIT ?",
            (f"%{escaped}%", limit),
        )

    def symbol_at(self, file_id: int, line: int) -> Symbol | None:
        """Return the innermost definition of a live file that holds a line (1-based)."""
        found = self._symbols(
            "s.file_id = ? AND s.start_line <= ? AND s.end_line >= ?"
            " ORDER BY s.end_line - s.start_line, s.ordinal DESC LIMIT 1",
            (file_id, line, line),
        )
        return found[0] if found else None

    def imports_of(self, file_id: int) -> list[Import]:
        """Return a live file's imports in the order of the text."""
        return self._imports("i.file_id = ? ORDER BY i.ordinal", (file_id,))

    def imports_by_stem(self, stem: str, limit: int = 1000) -> list[Import]:
        """Return live imports whose module's last part is `stem`, whatever its case.

        `greenline.index.graph` resolves them to files.
        """
        return self._imports("i.stem = ? ORDER BY f.path, i.ordinal LIMIT ?", (stem.casefold(), limit))

    def calling(self, name: str, limit: int = 200) -> list[int]:
        """Return ids of live chunks that call something of this name, whatever its case."""
        return self._graph("calls", name, limit)

    def importing(self, name: str, limit: int = 200) -> list[int]:
        """Return ids of live chunks that import this name or a module with this part."""
        return self._graph("imports", name, limit)

    def mentioning(self, name: str, limit: int = 500) -> list[int]:
        """Return ids of live chunks that hold an identifier; stems are folded, so the text decides."""
        return [hit.chunk_id for hit in self.match(f"body : {quoted(name)}", limit, (0.0, 0.0, 0.0, 1.0))]

    # --- figures ----------------------------------------------------------------------------------------

    def stats(self) -> Stats:
        """Return what the index holds and costs."""
        said = self.stamps()
        get = self._number
        n_pages, n_free = (get(f"PRAGMA {name}") for name in ("page_count", "freelist_count"))
        kept = get("SELECT coalesce(sum(size), 0) FROM files WHERE NOT live")
        live = get("SELECT coalesce(sum(size), 0) FROM files WHERE live")
        free = n_free / n_pages if n_pages else 0.0
        vectors = self.vectors()
        languages = self.connection.execute(
            "SELECT language, count(*) FROM files WHERE live GROUP BY language"
            " ORDER BY count(*) DESC, language"
        )
        return Stats(
            n_files=get("SELECT count(*) FROM files WHERE live"),
            n_chunks=get(
                "SELECT count(DISTINCT p.chunk_id) FROM places p JOIN files f ON f.id = p.file_id"
                " WHERE f.live"
            ),
            n_symbols=get("SELECT count(*) FROM symbols s JOIN files f ON f.id = s.file_id WHERE f.live"),
            n_imports=get("SELECT count(*) FROM imports i JOIN files f ON f.id = i.file_id WHERE f.live"),
            n_vectors=0 if vectors is None else vectors.count(),
            n_skipped=get("SELECT count(*) FROM skips"),
            n_pending=int(said.get("pending", "0")),
            source_bytes=live,
            index_bytes=n_pages * get("PRAGMA page_size"),
            waste=free + (1 - free) * (kept / (kept + live) if kept else 0.0),
            languages=tuple((language, count) for language, count in languages),
        )

    # --- helpers ----------------------------------------------------------------------------------------

    def _live(self, ask: Callable[[int], list[Scored]], limit: int) -> list[Scored]:
        """Ask for more than `limit`, drop what is not live, and widen while that leaves too few."""
        n_asked = limit
        while True:
            n_asked *= _OVERSAMPLE
            found = ask(n_asked)
            live = self._live_ids([hit.chunk_id for hit in found])
            kept = [hit for hit in found if hit.chunk_id in live]
            if len(kept) >= limit or len(found) < n_asked:
                return kept[:limit]

    def _live_ids(self, chunk_ids: Iterable[int]) -> set[int]:
        sql = (
            "SELECT EXISTS (SELECT 1 FROM places p JOIN files f ON f.id = p.file_id"
            " WHERE p.chunk_id = ? AND f.live)"
        )
        return {i for i in chunk_ids if self.connection.execute(sql, (i,)).get}

    def _graph(self, column: str, name: str, limit: int) -> list[int]:
        sql = "SELECT rowid FROM graph WHERE graph MATCH ? LIMIT ?"
        expression = f"{column} : {quoted(name)}"
        hits = self._live(
            lambda n: [Scored(i, 0.0) for (i,) in self.connection.execute(sql, (expression, n))], limit
        )
        return [hit.chunk_id for hit in hits]

    def _chunks(self, where: str, bindings: Sequence[object]) -> list[Chunk]:
        rows = self.connection.execute(
            f"SELECT {_FILE}, c.id, p.ordinal, p.start_line, p.end_line, p.start_byte, p.end_byte,"
            " c.symbol, c.kind, c.n_tokens"
            " FROM places p JOIN files f ON f.id = p.file_id JOIN roots r ON r.id = f.root_id"
            f" JOIN chunks c ON c.id = p.chunk_id WHERE f.live AND {where}",
            tuple(bindings),
        )
        return [Chunk(row[8], _file(row), *row[9:]) for row in rows]

    def _symbols(self, where: str, bindings: Sequence[object]) -> list[Symbol]:
        rows = list(
            self.connection.execute(
                f"SELECT {_FILE}, s.name, s.parent, s.owner, s.kind, s.line, s.start_line, s.end_line"
                " FROM symbols s JOIN files f ON f.id = s.file_id JOIN roots r ON r.id = f.root_id"
                f" WHERE f.live AND {where}",
                tuple(bindings),
            )
        )
        known: dict[tuple[int, int], str] = {}
        return [
            Symbol(
                _file(row),
                row[8],
                self._container(row[0], row[9], row[10], known),
                SymbolKind(row[11]),
                *row[12:],
            )
            for row in rows
        ]

    def _container(self, file_id: int, parent: int, owner: str, known: dict[tuple[int, int], str]) -> str:
        """Return the dotted names that enclose a definition; `known` remembers those of enclosing ones."""
        names = []
        if parent >= 0:
            if (file_id, parent) not in known:
                sql = "SELECT name, parent, owner FROM symbols WHERE file_id = ? AND ordinal = ?"
                name, above, between = next(iter(self.connection.execute(sql, (file_id, parent))))
                outer = self._container(file_id, above, between, known)
                known[file_id, parent] = f"{outer}.{name}" if outer else name
            names.append(known[file_id, parent])
        if owner:
            names.append(owner)
        return ".".join(names)

    def _imports(self, where: str, bindings: Sequence[object]) -> list[Import]:
        rows = self.connection.execute(
            f"SELECT {_FILE}, i.module, i.names, i.line"
            " FROM imports i JOIN files f ON f.id = i.file_id JOIN roots r ON r.id = f.root_id"
            f" WHERE f.live AND {where}",
            tuple(bindings),
        )
        return [Import(_file(row), row[8], tuple(row[9].split()), row[10]) for row in rows]

    def _row(self, sql: str, bindings: Sequence[object]) -> tuple[object, ...] | None:
        return next(iter(self.connection.execute(sql, tuple(bindings))), None)

    def _number(self, sql: str) -> int:
        return int(self.connection.execute(sql).get)


def quoted(word: str) -> str:
    """Return a word as an FTS5 string."""
    return '"' + word.replace('"', '""') + '"'


def chunk_text(source: bytes, chunk: Chunk) -> str:
    """Cut a chunk out of its file's text as UTF-8."""
    return source[chunk.start_byte : chunk.end_byte].decode("utf-8", "replace")


def _file(row: Sequence[object]) -> File:
    file_id, root, path, language, content_hash, size, n_lines, disk_size = row[:8]
    return File(file_id, root, path, language, content_hash, size, n_lines, disk_size == -1)  # type: ignore[arg-type]
