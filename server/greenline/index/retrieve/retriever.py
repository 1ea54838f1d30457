"""One search: the query understood, every signal asked, one ranking of files and of their chunks."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
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
_NEAR_SHARE = 0.5
"""What the nearest chunk's vector counts, in parts of the best match by words."""


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


class _Chunks:
    """Scores of chunks, gathered from several signals."""

    def __init__(self, files: FileTable, holders: Mapping[int, Sequence[int]]) -> None:
        self._files = files
        self._holders = holders
        self._scores: dict[int, dict[int, float]] = defaultdict(lambda: defaultdict(float))

    def add(self, scores: Mapping[int, float], weight: float) -> None:
        """Add what one signal says of the chunks."""
        for chunk_id, score in scores.items():
            for file_id in self._holders.get(chunk_id, ()):
                number = self._files.number.get(file_id)
                if number is not None:
                    self._scores[number][chunk_id] += weight * score

    def add_one(self, number: int, chunk_id: int, score: float) -> None:
        """Add what speaks for one chunk of a file."""
        self._scores[number][chunk_id] += score

    def of(self, number: int) -> list[tuple[int, float]]:
        """Return a file's chunks with their scores, best first."""
        return sorted(self._scores.get(number, {}).items(), key=lambda item: (-item[1], item[0]))


@attrs.frozen
class _Asked:
    signals: Signals
    chunks: _Chunks


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
        return files, fuse(self._ask(query, files).signals, files, query, WEIGHTS[query.kind])

    def files(self) -> FileTable:
        """Return the live files; of an index that changed only what changed is read again."""
        connection = self._store.connection
        # A save point is a transaction that may lie in another one: all is read as it was at one moment.
        with connection:
            files = self._files
            if files is None or not files.follow(self._store):
                files = FileTable(self._store)
            # Ids are dense: the highest tells how many there are without counting them.
            self._n_chunks = int(connection.execute("SELECT coalesce(max(id), 0) FROM chunks").get)
        assert files is not None
        self._files = files
        return files

    def _ranked(self, query: Query, wanted: Filter) -> list[Hit]:
        files = self.files()
        asked = self._ask(query, files)
        signals, weights = asked.signals, WEIGHTS[query.kind]
        scores = fuse(signals, files, query, weights)
        signals.neighbours = near_files(self._store, files, scores, self._history)
        scores = scores + weights.neighbours * signals.neighbours
        allowed = _allowed(files, wanted.path)
        scores = scores * allowed
        hits = self._places(query, files, allowed, float(scores.max(initial=0.0)))
        known = {hit.chunk.id for hit in hits}
        n_files = 0
        for number in np.argsort(-scores, kind="stable").tolist():
            if scores[number] <= 0 or n_files >= wanted.limit:
                break
            chunks = self._chunks(files.ids[number], asked.chunks.of(number), wanted)
            n_files += bool(chunks)
            why = reasons(signals, weights, number)
            for rank, (chunk, share) in enumerate(chunks):
                score = float(scores[number]) * (_FURTHER_CHUNK * share if rank else 1.0)
                if chunk.id not in known:
                    hits.append(Hit(chunk, score, why))
        return sorted(hits, key=lambda hit: -hit.score)

    def _ask(self, query: Query, files: FileTable) -> _Asked:
        # Before a project's first scan there are none, and then no word could weigh anything.
        n_chunks = max(1, self._n_chunks)
        words = find_words(self._store, query.terms, n_chunks)
        near = find_near(self._store, self._embedder, query.text)
        holders = files_of(self._store, list({*words.scores, *near}))
        best, more = by_file(words.scores, files, holders)
        nearest, _ = by_file(near, files, holders)
        path = files.match(words.weights)
        chunks = _Chunks(files, holders)
        chunks.add(words.scores, 1.0)
        chunks.add(near, _NEAR_SHARE / max(near.values(), default=1.0))
        signals = Signals(
            words=best,
            more_words=more,
            name=path.name,
            folder=path.folder,
            above=path.above,
            covered=path.covered,
            named=files.named(query.compounds, words.weights, math.log(1 + n_chunks)),
            symbol=self._defined(query, files, chunks),
            vectors=nearest,
            history=self._touched(query, files),
            neighbours=files.zeros(),
        )
        return _Asked(signals, chunks)

    def _defined(self, query: Query, files: FileTable, chunks: _Chunks) -> Floats:
        column = files.zeros()
        for symbol, strength in find_symbols(self._store, query.names):
            number = files.number.get(symbol.file.id)
            if number is None:
                continue
            column[number] = max(column[number], strength)
            chunk = self._store.chunk_at(symbol.file.id, symbol.line)
            if chunk:
                chunks.add_one(number, chunk.id, strength)
        return column

    def _touched(self, query: Query, files: FileTable) -> Floats:
        column = files.zeros()
        if self._history is None or query.kind is QueryKind.SYMBOL:
            return column
        for root in self._store.roots():
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
        self, file_id: int, scored: Sequence[tuple[int, float]], wanted: Filter
    ) -> list[tuple[Chunk, float]]:
        """Return a file's best chunks, each with its share of the best one's score."""
        found: list[tuple[Chunk, float]] = []
        for chunk_id, score in scored:
            chunk = next((c for c in self._store.places(chunk_id) if c.file.id == file_id), None)
            if chunk is not None and (not wanted.kinds or chunk.kind in wanted.kinds):
                found.append((chunk, score / (scored[0][1] or 1.0)))
            if len(found) == _MAX_CHUNKS_OF_FILE:
                break
        if not found and not scored:
            # Only its path or its history speaks for the file: its beginning stands for it.
            chunks = self._store.chunks_of(file_id)
            found = [(c, 1.0) for c in chunks if not wanted.kinds or c.kind in wanted.kinds][:1]
        return found

    def _completeness(self) -> float:
        pending = int(self._store.stamps().get("pending", "0"))
        n_files = self.files().n_live
        return n_files / (n_files + pending) if n_files + pending else 1.0


def _allowed(files: FileTable, glob: str) -> Floats:
    if not glob:
        return files.is_live.astype(np.float64)
    try:
        spec = pathspec.GitIgnoreSpec.from_lines([glob])
    except ValueError as error:
        raise InvalidInput(
            f"The glob {glob!r} cannot be read: {error}.", remedy="Write it as in .gitignore."
        ) from error
    allowed: Floats = files.is_live * np.array([float(spec.match_file(path)) for path in files.paths])
    return allowed
