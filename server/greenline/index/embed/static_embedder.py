"""The built-in embedder: a learned vector for each word, summed; numpy alone, offline, always the same.

The weights are `codewords.npz` beside this module; `docs/embedder.md` says how they were made and measured.
"""

from __future__ import annotations

import hashlib
import io
import zipfile
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from greenline.core.error import InvalidInput
from greenline.index.embed.word import read_words

Floats = NDArray[np.float32]

WEIGHTS = Path(__file__).with_name("codewords.npz")

_N_SLOTS = 1 << 18
_SHIFT = np.uint32(14)
_MIX = (np.uint32(0xD6E8FEB9), np.uint32(0xA0761D65))
_MIX_PREFIX = np.uint64(0xD6E8FEB86659FD93)
_HEADER_EXTRA = 2
"""A word of the header line counts once for standing there, and this often again."""
_BATCH = 48
"""Texts whose words are looked up together: more would not fit a processor's cache."""


class StaticEmbedder:
    """Implements `Embedder`; read-only after its making, so that threads may share it.

    Chunks should begin with one header line such as `# pkg/upload.py Uploader.send`.
    """

    def __init__(self, path: Path = WEIGHTS, dims: int | None = None) -> None:
        """Load weights; `dims` keeps only the first axes, which are the principal ones."""
        try:
            data = path.read_bytes()
            with np.load(io.BytesIO(data)) as stored:
                keys = stored["keys"]
                rows = np.ascontiguousarray(stored["emb"][:, :dims]).astype(np.float32)
                self._code_weights = stored["wd"].astype(np.float32)
                self._question_weights = stored["wq"].astype(np.float32)
        except (OSError, KeyError, ValueError, zipfile.BadZipFile) as error:
            raise InvalidInput(
                f"{path} holds no weights of an embedder: {error}.", remedy="Reinstall greenline."
            ) from error
        self._rows = rows
        self._words = WordTable(keys, len(rows) - len(keys))
        self.stamp = f"static-{hashlib.sha256(data).hexdigest()[:12]}-{rows.shape[1]}"
        self.dims = int(rows.shape[1])

    def embed(self, texts: Sequence[str]) -> Floats:
        """Embed chunks, shape (texts, dims); about 10,000 a second on one core."""
        return self._embed(texts, self._code_weights)

    def embed_query(self, text: str) -> Floats:
        """Embed a question, whose words weigh differently from those of code; shape (dims,)."""
        found: Floats = self._embed([text], self._question_weights)[0]
        return found

    def _embed(self, texts: Sequence[str], weights: NDArray[np.float32]) -> Floats:
        vectors = np.zeros((len(texts), self.dims), np.float32)
        for start in range(0, len(texts), _BATCH):
            batch = texts[start : start + _BATCH]
            number, row, count = bag_of(batch, self._words, len(self._rows))
            weight = weights[row] * np.log1p(count).astype(np.float32)
            ends = np.searchsorted(number, np.arange(len(batch) + 1))
            for k in range(len(batch)):
                words = slice(ends[k], ends[k + 1])
                # A product of its own for each text, so that a vector never depends on its neighbours.
                vectors[start + k] = weight[words] @ self._rows[row[words]]
        norms = np.linalg.norm(vectors, axis=1, keepdims=True)
        unit: Floats = vectors / np.maximum(norms, np.float32(1e-9))
        return unit


def bag_of(
    texts: Sequence[str], table: WordTable, n_rows: int
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Return (text number, row, count) of the distinct words of each text, ordered by both numbers."""
    words = read_words(texts)
    key = words.texts * n_rows + table.rows(words.hashes, words.prefixes)
    key = np.sort(np.concatenate([key] + [key[words.in_header]] * _HEADER_EXTRA))
    first = np.flatnonzero(np.diff(key, prepend=-1))
    return key[first] // n_rows, key[first] % n_rows, np.diff(np.append(first, len(key)))


class WordTable:
    """Which row a word has: one of its own, or one that it shares with others of the same prefix."""

    def __init__(self, keys: NDArray[np.uint32], n_shared: int) -> None:
        self._keys = keys
        self._n_shared = n_shared
        number = np.arange(len(keys), dtype=np.int32)
        first, second = _slots(keys)
        self._first = np.full(_N_SLOTS, -1, np.int32)
        self._first[first] = number
        crowded = np.flatnonzero(self._first[first] != number)
        self._second = np.full(_N_SLOTS, -1, np.int32)
        self._second[second[crowded]] = crowded
        self._rest = {int(keys[k]): int(k) for k in crowded if self._second[second[k]] != k}

    def rows(self, hashes: NDArray[np.uint32], prefixes: _Prefixes) -> NDArray[np.int64]:
        """Return the row of each word."""
        first, second = _slots(hashes)
        rows = self._first[first].astype(np.int64)
        missing = np.flatnonzero((rows < 0) | (self._keys[rows] != hashes))
        if not len(missing):
            return rows
        other = self._second[second[missing]]
        rows[missing] = np.where((other >= 0) & (self._keys[other] == hashes[missing]), other, -1)
        missing = missing[rows[missing] < 0]
        for k in missing if self._rest else ():
            rows[k] = self._rest.get(int(hashes[k]), -1)
        missing = missing[rows[missing] < 0]
        mixed = (prefixes(missing) * _MIX_PREFIX) >> np.uint64(32)
        rows[missing] = len(self._keys) + mixed.astype(np.int64) % self._n_shared
        return rows


def _slots(hashes: NDArray[np.uint32]) -> tuple[NDArray[np.uint32], NDArray[np.uint32]]:
    return (hashes * _MIX[0]) >> _SHIFT, (hashes * _MIX[1]) >> _SHIFT


if TYPE_CHECKING:
    from collections.abc import Callable

    _Prefixes = Callable[[NDArray[np.int64]], NDArray[np.uint64]]
