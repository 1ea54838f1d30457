"""An index as a run reads it: opened at the first question, and made current first where nobody keeps it."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path

from greenline.core.cancel import Cancellation
from greenline.index.indexer import Indexer
from greenline.index.live.lease import hold
from greenline.index.retrieve.retriever import Retriever
from greenline.index.store import IndexStore


class IndexReader:
    """One run's view of one index; its questions are asked one at a time."""

    def __init__(
        self,
        path: Path,
        open_indexer: Callable[[], Indexer],
        make_retriever: Callable[[IndexStore], Retriever],
    ) -> None:
        """Read the index at `path`; `open_indexer` makes it current where no editor keeps it."""
        self.path = path
        self._open_indexer = open_indexer
        self._make_retriever = make_retriever
        self._lock = threading.Lock()
        self._retriever: Retriever | None = None
        self._store: IndexStore | None = None

    @property
    def is_there(self) -> bool:
        """Whether there is an index already: the first question makes one where there is none."""
        return self.path.exists()

    def store(self, cancellation: Cancellation) -> IndexStore:
        """Return the index, open for reading; raises `Cancelled`, `IndexUnusable`."""
        with self._lock:
            if self._store is None:
                self._bring_up_to_date(cancellation)
                self._store = IndexStore(self.path)
            return self._store

    def retriever(self, cancellation: Cancellation) -> Retriever:
        """Return what searches the index; raises `Cancelled`, `IndexUnusable`."""
        store = self.store(cancellation)
        if self._retriever is None:
            self._retriever = self._make_retriever(store)
        return self._retriever

    def _bring_up_to_date(self, cancellation: Cancellation) -> None:
        with hold(self.path) as lease:
            if not lease.is_held:
                # An editor's worker keeps it.
                return
            indexer = self._open_indexer()
            indexer.pause = cancellation.raise_if_cancelled
            try:
                indexer.scan()
            finally:
                indexer.close()
