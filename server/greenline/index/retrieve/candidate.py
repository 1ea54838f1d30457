"""Asking the index: chunks by words, by vectors and by names, as columns over chunks and files."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import apsw
import attrs
import numpy as np

from greenline.index.chunk import Symbol, SymbolKind
from greenline.index.retrieve.file_table import FileTable, Floats
from greenline.index.store import DEFAULT_WEIGHTS, IndexStore, quoted

if TYPE_CHECKING:
    from greenline.index.vector import Embedder

N_CHUNKS = 400
"""Chunks that are ranked in detail."""
N_NEAREST = 60
_MAX_POSTINGS = 5_000
"""Words that stand in more chunks than this, all together, make a search slow and change no ranking: on
13,000 chunks NDCG@10 was the same with 60,000."""
_MAX_COUNTED = 6_000
"""A word in more chunks than this weighs next to nothing, however many they are."""
_MIN_TERMS = 2
_MAX_RANKED = 6_000
"""More chunks than this are not ranked where a narrower question leaves enough."""
_ENOUGH_RANKED = 2_000
"""So many are left by a question that is narrow enough."""
_TOGETHER = (2, 3, 4)
_COLUMNS = ("{name doc}", "name")
_MATCH = "SELECT rowid, -rank FROM search WHERE search MATCH ? AND rank MATCH ? ORDER BY rank LIMIT ?"
_BM25 = f"bm25({', '.join(map(str, DEFAULT_WEIGHTS))})"
_FURTHER = 5
_DECAY = 0.5
_DEFINING = {
    SymbolKind.CLASS: 1.0,
    SymbolKind.INTERFACE: 1.0,
    SymbolKind.ENUM: 1.0,
    SymbolKind.TYPE: 1.0,
    SymbolKind.FUNCTION: 1.0,
    SymbolKind.MODULE: 0.8,
    SymbolKind.METHOD: 0.7,
}
_OTHER_KIND = 0.4
_OTHER_CASE = 0.5


@attrs.frozen
class Words:
    """Chunks that hold words of the query."""

    weights: Mapping[str, float]
    """Term → its weight (idf)."""
    scores: Mapping[int, float]
    """Chunk → BM25 as a share of the best."""


def find_words(store: IndexStore, terms: Sequence[str], n_all: int, limit: int = N_CHUNKS) -> Words:
    """Rank chunks by BM25; of a query with many common words, the rarest are asked for."""
    n_holding = {term: _n_holding(store, term) for term in terms}
    weights = {
        term: math.log(1 + (n_all - n + 0.5) / (n + 0.5)) for term, n in n_holding.items() if 0 < n <= n_all
    }
    asked: list[str] = []
    n_postings = 0
    for term in sorted(weights, key=lambda term: n_holding[term]):
        if n_postings + n_holding[term] > _MAX_POSTINGS and len(asked) >= _MIN_TERMS:
            break
        n_postings += n_holding[term]
        asked.append(term)
    if not asked:
        return Words(weights, {})
    # Chunks of kept versions are among them: `files_of` leaves them out, at a third of the cost of asking.
    expression = _any_of(asked)
    if n_postings > _MAX_RANKED or max(n_holding[term] for term in asked) >= _MAX_COUNTED:
        expression = _narrowed(store, asked, sorted(weights, key=lambda term: n_holding[term]), limit)
    rows = list(store.connection.execute(_MATCH, (expression, _BM25, limit)))
    best = max((score for _, score in rows), default=0.0) or 1.0
    return Words(weights, {chunk_id: score / best for chunk_id, score in rows})


def _narrowed(store: IndexStore, asked: Sequence[str], terms: Sequence[str], limit: int) -> str:
    """Return an expression for words that stand in very many chunks, which matches enough and not too many.

    Chunks that hold more of the words come first by BM25, and those with one in their name, path or doc: so
    they alone are ranked.
    """
    narrower = [" AND ".join(map(quoted, terms[:count])) for count in _TOGETHER if count <= len(terms)]
    narrower += [f"{columns} : ({_any_of(asked)})" for columns in _COLUMNS]
    best = _any_of(asked)
    for expression in narrower:
        n_matching = _n_matching(store, expression, _ENOUGH_RANKED)
        if n_matching >= limit:
            best = expression
        if limit <= n_matching < _ENOUGH_RANKED:
            break
    return best


def find_near(store: IndexStore, embedder: Embedder | None, text: str) -> dict[int, float]:
    """Return the chunks whose vectors are nearest to a query's, by cosine; empty without such vectors."""
    if embedder is None or store.stamps().get("embedder") != embedder.stamp:
        return {}
    vectors = store.vectors()
    if vectors is None:
        return {}
    query = embedder.embed_query(text)
    return {hit.chunk_id: hit.score for hit in vectors.nearest(query, N_NEAREST) if hit.score > 0}


def find_symbols(store: IndexStore, names: Sequence[str]) -> list[tuple[Symbol, float]]:
    """Return the definitions of the names, each by how much it is one, at most 1."""
    found = []
    for name in names:
        for symbol in store.symbols_named(name, 50):
            strength = _DEFINING.get(symbol.kind, _OTHER_KIND)
            if symbol.name != name:
                strength *= _OTHER_CASE
            found.append((symbol, strength))
    return found


def files_of(store: IndexStore, chunk_ids: Sequence[int]) -> dict[int, list[int]]:
    """Return the live files that hold each chunk, by id."""
    found: dict[int, list[int]] = {}
    if not chunk_ids:
        return found
    for chunk_id, file_id in store.connection.execute(
        "SELECT p.chunk_id, p.file_id FROM places p JOIN files f ON f.id = p.file_id"
        " WHERE f.live AND p.chunk_id IN (SELECT value FROM carray(?))",
        (apsw.carray(np.array(chunk_ids, dtype=np.int64)),),
    ):
        found.setdefault(chunk_id, []).append(file_id)
    return found


def by_file(
    scores: Mapping[int, float], files: FileTable, holders: Mapping[int, list[int]]
) -> tuple[Floats, Floats]:
    """Return each file's best chunk's score, and the sum of the next ones, each counting half of the last."""
    best, more = files.zeros(), files.zeros()
    n_seen: dict[int, int] = {}
    for chunk_id, score in sorted(scores.items(), key=lambda item: (-item[1], item[0])):
        for file_id in holders.get(chunk_id, ()):
            number = files.number.get(file_id)
            if number is None:
                continue
            rank = n_seen.get(number, 0)
            n_seen[number] = rank + 1
            if rank == 0:
                best[number] = score
            elif rank <= _FURTHER:
                more[number] += score * _DECAY ** (rank - 1)
    return best, more


def _any_of(terms: Sequence[str]) -> str:
    return " OR ".join(map(quoted, terms))


def _n_holding(store: IndexStore, term: str) -> int:
    return _n_matching(store, quoted(term), _MAX_COUNTED)


def _n_matching(store: IndexStore, expression: str, at_most: int) -> int:
    """Return how many chunks match, counted no further than told: counting costs a fiftieth of ranking."""
    sql = "SELECT count(*) FROM (SELECT 1 FROM search WHERE search MATCH ? LIMIT ?)"
    return int(store.connection.execute(sql, (expression, at_most)).get)
