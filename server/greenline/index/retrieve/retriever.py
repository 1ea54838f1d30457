"""One search: the query understood, every signal asked, one ranking of files and of their chunks."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

import attrs
import numpy as np
import pathspec

from greenline.core.error import InvalidInput
from greenline.index.chunk import Chunk
from greenline.index.retrieve.candidate import by_file, files_of, find_near, find_symbols, find_words
from greenline.index.retrieve.file_table import FileTable, Floats
from greenline.index.retrieve.fusion import WEIGHTS, Signals, fuse, reasons
from greenline.index.retrieve.history import History
from greenline.index.retrieve.neighbour import near_files
from greenline.index.retrieve.place import places_named
from greenline.index.retrieve.query import Query, QueryKind, understand
from greenline.index.store import IndexStore

if TYPE_CHECKING:
    from greenline.index.vector import Embedder

MAX_LIMIT = 1000
_FURTHER_CHUNK = 0.35
"""What a file's second chunk keeps of the file's score: a file that is nearly as good comes first."""
_MAX_CHUNKS_OF_FILE = 3
_N_FILES = 60


@attrs.frozen
class Filter:
    """What may be found."""

    limit: int = 10
    kinds: frozenset[str] = frozenset()
    """Kinds of chunks, in the words of `SymbolKind`, or `text`; empty for all."""
    path: str = ""
    """A glob as in `.gitignore`, relative to the root; empty for all."""


@attrs.frozen
class Hit:
    """A chunk that was found."""

    chunk: Chunk
    score: float
    """Higher is better; comparable within one search only."""
    sources: tuple[str, ...]
    """What speaks for it, strongest first: `words`, `vectors`, `symbol`, `path`, `history`, `neighbours`,
    `place`."""


@attrs.frozen
class Found:
    """What a search found, and how much it could see."""

    query: Query
    hits: tuple[Hit, ...]
    completeness: float
    """Share of the files that were indexed as they are when the search ran, 0 to 1."""


class Retriever:
    """Searches one index; used by one thread at a time, and fastest when it is kept."""

    def __init__(
        self,
        store: IndexStore,
        embedder: Embedder | None = None,
        history: Callable[[str], History] | None = None,
    ) -> None:
        """Search in `store`; `history` returns a root's history, and may be slow when it first does."""
        self._store = store
        self._embedder = embedder
        self._history = history
        self._files: FileTable | None = None
        self._seen: tuple[int, int] | None = None
        self._n_chunks = 0

    def search(self, text: str, filter_: Filter | None = None) -> Found:
        """Return the chunks that fit best, best first; raises `InvalidInput` for an unusable filter."""
        wanted = filter_ or Filter()
        if not 1 <= wanted.limit <= MAX_LIMIT:
            raise InvalidInput(
                f"The limit {wanted.limit} is not a number from 1 to {MAX_LIMIT}.",
                remedy="Give another limit.",
            )
        query = understand(text)
        hits = self._ranked(query, wanted) if query.terms or query.mentions else []
        return Found(query, tuple(hits[: wanted.limit]), self._completeness())

    def rank_files(self, text: str) -> tuple[FileTable, Floats]:
        """Return all files with their scores for a query."""
        query = understand(text)
        files = self.files()
        signals, _ = self._signals(query, files)
        return files, fuse(signals, files, query, WEIGHTS[query.kind])

    def files(self) -> FileTable:
        """Return the live files, read again only where the index changed."""
        connection = self._store.connection
        seen = (int(connection.execute("PRAGMA data_version").get), connection.total_changes())
        if self._files is None or seen != self._seen:
            self._files = FileTable(self._store)
            self._n_chunks = int(connection.execute("SELECT count(*) FROM chunks").get)
            self._seen = seen
        return self._files

    def _ranked(self, query: Query, wanted: Filter) -> list[Hit]:
        files = self.files()
        signals, chunk_scores = self._signals(query, files)
        weights = WEIGHTS[query.kind]
        scores = fuse(signals, files, query, weights)
        signals.neighbours = near_files(self._store, files, scores, self._history)
        scores = scores + weights.neighbours * signals.neighbours
        allowed = _allowed(files, wanted.path)
        scores = np.where(allowed, scores, 0.0)
        hits = self._places(query, files, allowed, float(scores.max(initial=0.0)))
        known = {hit.chunk.id for hit in hits}
        order = np.argsort(-scores, kind="stable")
        for number in order[: max(_N_FILES, wanted.limit)]:
            if scores[number] <= 0:
                break
            why = reasons(signals, weights, int(number))
            hits.extend(
                hit
                for hit in self._chunks(int(number), float(scores[number]), why, files, chunk_scores, wanted)
                if hit.chunk.id not in known
            )
        return sorted(hits, key=lambda hit: -hit.score)

    def _signals(self, query: Query, files: FileTable) -> tuple[Signals, dict[int, float]]:
        words = find_words(self._store, query.terms, max(1, self._n_chunks))
        near = find_near(self._store, self._embedder, query.text)
        symbols = find_symbols(self._store, query.names)
        holders = files_of(self._store, list({*words.scores, *near}))
        best, more = by_file(words.scores, files, holders)
        nearest, _ = by_file(near, files, holders)
        path = files.match(words.weights)
        symbol = files.zeros()
        chunk_scores = dict(words.scores)
        top = max(near.values(), default=1.0)
        for chunk_id, score in near.items():
            chunk_scores[chunk_id] = chunk_scores.get(chunk_id, 0.0) + 0.5 * score / top
        for definition, strength in symbols:
            number = files.number.get(definition.file.id)
            if number is not None:
                symbol[number] = max(symbol[number], strength)
                chunk = self._store.chunk_at(definition.file.id, definition.line)
                if chunk:
                    chunk_scores[chunk.id] = chunk_scores.get(chunk.id, 0.0) + strength
        signals = Signals(
            words=best,
            more_words=more,
            name=path.name,
            folder=path.folder,
            above=path.above,
            covered=path.covered,
            symbol=symbol,
            vectors=nearest,
            history=self._touched(query, files),
            neighbours=files.zeros(),
        )
        return signals, chunk_scores

    def _touched(self, query: Query, files: FileTable) -> Floats:
        column = files.zeros()
        if self._history is None or query.kind is QueryKind.SYMBOL:
            return column
        for root in sorted(set(files.roots)):
            for path, score in self._history(root).touched(query.terms).items():
                for number in files.by_path.get(path, ()):
                    if files.roots[number] == root:
                        column[number] = score
        return column

    def _places(self, query: Query, files: FileTable, allowed: Floats, top: float) -> list[Hit]:
        """Return what the query names outright, above all that is only like it."""
        found = places_named(self._store, query, files)
        hits = []
        for i, (number, chunk) in enumerate(found):
            if allowed[number]:
                hits.append(Hit(chunk, (top or 1.0) * (1.5 + (len(found) - i) / len(found)), ("place",)))
        return hits

    def _chunks(
        self,
        number: int,
        score: float,
        why: tuple[str, ...],
        files: FileTable,
        chunk_scores: dict[int, float],
        wanted: Filter,
    ) -> Iterable[Hit]:
        chunks = [
            chunk
            for chunk in self._store.chunks_of(files.ids[number])
            if not wanted.kinds or chunk.kind in wanted.kinds
        ]
        ranked = sorted(chunks, key=lambda chunk: (-chunk_scores.get(chunk.id, 0.0), chunk.ordinal))
        for rank, chunk in enumerate(ranked[:_MAX_CHUNKS_OF_FILE]):
            own = chunk_scores.get(chunk.id, 0.0)
            if rank == 0:
                yield Hit(chunk, score, why)
            elif own > 0:
                share = own / max(chunk_scores.get(ranked[0].id, 0.0), own)
                yield Hit(chunk, score * _FURTHER_CHUNK * share, why)

    def _completeness(self) -> float:
        pending = int(self._store.stamps().get("pending", "0"))
        n_files = len(self.files())
        return n_files / (n_files + pending) if n_files + pending else 1.0


def _allowed(files: FileTable, glob: str) -> Floats:
    if not glob:
        return np.ones(len(files))
    try:
        spec = pathspec.PathSpec.from_lines("gitwildmatch", [glob])
    except ValueError as error:
        raise InvalidInput(
            f"The glob {glob!r} cannot be read: {error}.", remedy="Write it as in .gitignore."
        ) from error
    return np.array([float(spec.match_file(path)) for path in files.paths])
