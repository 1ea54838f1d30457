"""Vectors in the index: int8 components on the disk, their signs in memory for the coarse pass.

May be imported by the index worker and by a search, never by the front: it needs numpy.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import apsw
import numpy as np
from numpy.typing import NDArray

from greenline.index.chunk import Scored
from greenline.index.schema import BLOCK, create_vector_tables

Floats = NDArray[np.float32]

_OVERSAMPLE = 8
_MIN_CANDIDATES = 400


class Embedder(Protocol):
    """Text → vectors; the same text always gives the same vector."""

    @property
    def stamp(self) -> str:
        """Name and version of the weights; another one means that all is embedded again."""

    @property
    def dims(self) -> int:
        """Length of a vector, a multiple of 64."""

    def embed(self, texts: Sequence[str]) -> Floats:
        """Return one vector a text, shape (texts, dims); each text starts with a line `# path symbol`."""

    def embed_query(self, text: str) -> Floats:
        """Return a query's vector, shape (dims,)."""


class VectorTable:
    """The vectors of one embedder in an index file; `generation` is its number in the table names."""

    def __init__(self, connection: apsw.Connection, generation: int, dims: int) -> None:
        self._connection = connection
        self._generation = generation
        self.name = f"vectors_{generation}"
        """The table of the int8 vectors by `chunk_id`."""
        self._dims = dims
        self._bits: NDArray[np.uint64] | None = None
        self._blocks: list[int] = []
        self._seen: tuple[int, int] | None = None

    def create(self) -> None:
        """Make the tables."""
        create_vector_tables(self._connection, self._generation)

    def drop(self) -> None:
        """Remove the tables and all that they hold."""
        self._connection.execute(
            f"DROP TABLE IF EXISTS vectors_{self._generation}; DROP TABLE IF EXISTS bits_{self._generation}"
        )

    def put(self, chunk_ids: Sequence[int], vectors: Floats) -> None:
        """Store one vector a chunk, replacing what was there."""
        if not len(chunk_ids):
            return
        largest = np.maximum(np.abs(vectors).max(axis=1, keepdims=True), 1e-12)
        quantised = np.rint(vectors / largest * 127).astype(np.int8)
        self._connection.executemany(
            f"INSERT OR REPLACE INTO vectors_{self._generation} VALUES (?, ?)",
            ((chunk_id, quantised[i].tobytes()) for i, chunk_id in enumerate(chunk_ids)),
        )
        self._put_bits(chunk_ids, np.packbits(vectors > 0, axis=1, bitorder="little"))

    def remove(self, chunk_ids: Sequence[int]) -> None:
        """Forget chunks; their signs stay behind, and no search returns them."""
        self._connection.executemany(
            f"DELETE FROM vectors_{self._generation} WHERE chunk_id = ?", ((i,) for i in chunk_ids)
        )

    def has(self, chunk_id: int) -> bool:
        """Return whether a chunk has a vector."""
        sql = f"SELECT 1 FROM vectors_{self._generation} WHERE chunk_id = ?"
        return self._connection.execute(sql, (chunk_id,)).get is not None

    def count(self) -> int:
        """Return how many chunks have a vector."""
        return int(self._connection.execute(f"SELECT count(*) FROM {self.name}").get)

    def lacks_some(self) -> bool:
        """Return whether some chunk of the index has no vector."""
        sql = f"SELECT EXISTS (SELECT 1 FROM chunks WHERE id NOT IN (SELECT chunk_id FROM {self.name}))"
        return bool(self._connection.execute(sql).get)

    def nearest(self, query: Floats, limit: int) -> list[Scored]:
        """Return the chunks whose vectors are nearest to a query's, by cosine, best first.

        Chunks of kept, no longer live versions are among them.
        """
        bits = self._load_bits()
        if not len(bits):
            return []
        asked = np.packbits(query > 0, bitorder="little").view(np.uint64)
        counts = np.bitwise_count(bits ^ asked)
        # Adding a few columns takes a fifth of the time that a sum along so short an axis takes.
        distance = np.zeros(len(bits), np.uint16)
        for column in range(counts.shape[1]):
            distance += counts[:, column]
        n_candidates = min(len(distance), max(_MIN_CANDIDATES, limit * _OVERSAMPLE))
        nearest = np.argpartition(distance, n_candidates - 1)[:n_candidates]
        blocks = np.array(self._blocks, dtype=np.int64)
        chunk_ids = np.sort(blocks[nearest // BLOCK] * BLOCK + nearest % BLOCK)
        rows = self._rows(chunk_ids.tolist())
        if not rows:
            return []
        matrix = np.frombuffer(b"".join(vector for _, vector in rows), np.int8).reshape(len(rows), -1)
        floats = matrix.astype(np.float32)
        lengths = np.maximum(np.linalg.norm(floats, axis=1), 1e-9)
        scores = floats @ query.astype(np.float32) / (lengths * max(float(np.linalg.norm(query)), 1e-9))
        best = np.argsort(-scores, kind="stable")[:limit]
        return [Scored(rows[i][0], float(scores[i])) for i in best]

    def _rows(self, chunk_ids: Sequence[int]) -> list[tuple[int, bytes]]:
        return list(
            self._connection.execute(
                f"SELECT chunk_id, vector FROM vectors_{self._generation}"
                " WHERE chunk_id IN (SELECT value FROM carray(?))",
                (apsw.carray(np.array(chunk_ids, dtype=np.int64)),),
            )
        )

    def _put_bits(self, chunk_ids: Sequence[int], packed: NDArray[np.uint8]) -> None:
        width = self._dims // 8
        blocks: dict[int, bytearray] = {}
        for i, chunk_id in enumerate(chunk_ids):
            block, place = divmod(chunk_id, BLOCK)
            if block not in blocks:
                stored = self._connection.execute(
                    f"SELECT bits FROM bits_{self._generation} WHERE block = ?", (block,)
                ).get
                blocks[block] = bytearray(stored or bytes(BLOCK * width))
            blocks[block][place * width : (place + 1) * width] = packed[i].tobytes()
        self._connection.executemany(
            f"INSERT OR REPLACE INTO bits_{self._generation} VALUES (?, ?)",
            ((block, bytes(data)) for block, data in blocks.items()),
        )

    def _load_bits(self) -> NDArray[np.uint64]:
        """Return the signs of all blocks, read again only where some transaction changed the file."""
        seen = (
            int(self._connection.execute("PRAGMA data_version").get),
            self._connection.total_changes(),
        )
        if self._bits is None or seen != self._seen:
            rows = list(
                self._connection.execute(f"SELECT block, bits FROM bits_{self._generation} ORDER BY block")
            )
            self._blocks = [block for block, _ in rows]
            joined = np.frombuffer(b"".join(data for _, data in rows), np.uint64)
            self._bits = joined.reshape(-1, self._dims // 64)
            self._seen = seen
        return self._bits
