"""What an index says of the live files, in a form that two indexes can be compared in."""

from __future__ import annotations

import functools
import hashlib
from collections import Counter
from collections.abc import Sequence
from typing import Any

import apsw
import numpy as np

from greenline.index.store import IndexStore
from greenline.index.vector import Floats


class WordEmbedder:
    """A small embedder of which the words of a text alone decide; counts the texts that it is given."""

    def __init__(self, stamp: str = "words-1") -> None:
        self.stamp = stamp
        self.dims = 64
        self.n_texts = 0

    def embed(self, texts: Sequence[str]) -> Floats:
        self.n_texts += len(texts)
        return np.stack([self.embed_query(text) for text in texts])

    def embed_query(self, text: str) -> Floats:
        words = Counter(text.split())
        return np.sum([count * _word_vector(word, self.dims) for word, count in words.items()], axis=0)


@functools.cache
def _word_vector(word: str, dims: int) -> Floats:
    digest = hashlib.shake_128(word.encode()).digest(dims)
    return np.frombuffer(digest, np.uint8).astype(np.float32) - 127.5


def dump(store: IndexStore) -> dict[str, Any]:
    """Return all that searches can see of the live files, but for ids: two indexes may choose others."""
    connection = store.connection
    hashes = dict(connection.execute("SELECT id, hash FROM chunks"))
    vectors = store.vectors()
    found: dict[str, Any] = {"skipped": [(s.root, s.path, s.reason, s.detail) for s in store.skipped()]}
    live: set[int] = set()
    for file in store.files():
        chunks = store.chunks_of(file.id)
        live.update(chunk.id for chunk in chunks)
        found[f"{file.root}/{file.path}"] = {
            "file": (file.language, file.content_hash, file.size, file.n_lines, file.from_buffer),
            "chunks": [
                (
                    *(hashes[c.id], c.ordinal, c.start_line, c.end_line, c.start_byte, c.end_byte),
                    *(c.symbol, c.kind, c.n_tokens),
                )
                for c in chunks
            ],
            "symbols": [
                (s.qualified, s.name, s.kind, s.line, s.start_line, s.end_line)
                for s in store.symbols_of(file.id)
            ],
            "imports": [(i.module, i.names, i.line) for i in store.imports_of(file.id)],
        }
    for table in ("search", "graph"):
        found[table] = _words(connection, table, live, hashes)
    if vectors is not None:
        rows = connection.execute(f"SELECT chunk_id, vector FROM vectors_{store.stamps()['vectors']}")
        found["vectors"] = {hashes[i]: vector for i, vector in rows if i in live}
    return found


def check_whole(store: IndexStore) -> None:
    """Assert that no table holds anything that another one does not know."""
    connection = store.connection

    def ids(sql: str) -> set[int]:
        return {i for (i,) in connection.execute(sql)}

    chunks = ids("SELECT id FROM chunks")
    files = ids("SELECT id FROM files")
    assert ids("SELECT chunk_id FROM places") == chunks
    assert ids("SELECT file_id FROM places") <= files
    assert ids("SELECT file_id FROM symbols") <= files
    assert ids("SELECT rowid FROM search") == chunks
    assert ids("SELECT rowid FROM graph") <= chunks
    assert not ids("SELECT chunk_id FROM free") & chunks
    if store.vectors() is not None:
        embedded = ids(f"SELECT chunk_id FROM vectors_{store.stamps()['vectors']}")
        live = ids("SELECT p.chunk_id FROM places p JOIN files f ON f.id = p.file_id WHERE f.live")
        assert live <= embedded <= chunks
    assert connection.execute("PRAGMA integrity_check").get == "ok"
    connection.execute("INSERT INTO search (search) VALUES ('integrity-check')")


def _words(connection: apsw.Connection, table: str, live: set[int], hashes: dict[int, int]) -> Counter[Any]:
    vocabulary = f"temp.{table}_words"
    connection.execute(f"CREATE VIRTUAL TABLE {vocabulary} USING fts5vocab(main, {table}, instance)")
    try:
        rows = connection.execute(f"SELECT doc, term, col, offset FROM {vocabulary}")
        return Counter((hashes[doc], *word) for doc, *word in rows if doc in live)
    finally:
        connection.execute(f"DROP TABLE {vocabulary}")
