"""Texts as bags of rows, in the order that training wants them."""

from __future__ import annotations

from collections.abc import Sequence

import attrs
import numpy as np
from numpy.typing import NDArray

from greenline.index.embed.static_embedder import WordTable, bag_of
from greenline.index.embed.word import read_words

_BATCH = 2000


@attrs.frozen(eq=False)
class Bags:
    """Rows and weights of many texts, one text after the other."""

    starts: NDArray[np.int64]
    """Where each text begins, and the end."""
    rows: NDArray[np.int64]
    counts: NDArray[np.float32]
    """log(1 + how often)."""

    def __len__(self) -> int:
        return len(self.starts) - 1

    def take(
        self, texts: NDArray[np.int64]
    ) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float32]]:
        """Return (text, row, count) of some texts, which are numbered anew from 0."""
        lengths = self.starts[texts + 1] - self.starts[texts]
        ends = np.cumsum(lengths)
        at = np.arange(ends[-1]) - np.repeat(ends - lengths, lengths) + np.repeat(self.starts[texts], lengths)
        return np.repeat(np.arange(len(texts)), lengths), self.rows[at], self.counts[at]


def vocabulary(texts: Sequence[str], size: int) -> NDArray[np.uint32]:
    """Return the hashes of the words that stand in most texts."""
    found = []
    for start in range(0, len(texts), _BATCH):
        words = read_words(texts[start : start + _BATCH])
        key = words.texts.astype(np.uint64) << np.uint64(32) | words.hashes.astype(np.uint64)
        found.append((np.unique(key) & np.uint64(0xFFFFFFFF)).astype(np.uint32))
    hashes, n_texts = np.unique(np.concatenate(found), return_counts=True)
    return hashes[np.lexsort((hashes, -n_texts))[:size]]


def bags(texts: Sequence[str], keys: NDArray[np.uint32], n_shared: int) -> Bags:
    """Return the texts as bags, words of header lines counted as when searching."""
    table = WordTable(keys, n_shared)
    starts, rows, counts = [np.zeros(1, np.int64)], [], []
    total = 0
    for start in range(0, len(texts), _BATCH):
        batch = texts[start : start + _BATCH]
        number, row, count = bag_of(batch, table, len(keys) + n_shared)
        starts.append(total + np.searchsorted(number, np.arange(1, len(batch) + 1)))
        total += len(number)
        rows.append(row)
        counts.append(np.log1p(count).astype(np.float32))
    return Bags(np.concatenate(starts), np.concatenate(rows), np.concatenate(counts))
