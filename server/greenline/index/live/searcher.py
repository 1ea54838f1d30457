"""Searches in the index while it is kept, by this process or by another one's; one at a time."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Protocol

import apsw

from greenline.core.error import GreenlineError
from greenline.core.index_port import IndexHit, SymbolHit
from greenline.index.chunk import Symbol
from greenline.index.retrieve.retriever import Filter, Retriever
from greenline.index.schema import IndexUnusable
from greenline.index.store import IndexStore
from greenline.workspace.regular import read_regular

_MAX_SYMBOLS = 500
_MAX_LINE = 1000


class Finder(Protocol):
    """Finds chunks in one open index."""

    def find(self, query: str, limit: int, kinds: Sequence[str], glob: str) -> list[IndexHit]:
        """Return what fits best, best first; raises `InvalidInput`."""


class RetrieverFinder:
    """Finds by everything that the retriever weighs."""

    def __init__(self, retriever: Retriever) -> None:
        self._retriever = retriever

    def find(self, query: str, limit: int, kinds: Sequence[str], glob: str) -> list[IndexHit]:
        """Return what fits best, best first; raises `InvalidInput`."""
        found = self._retriever.search(query, Filter(limit, frozenset(kinds), glob))
        return [
            IndexHit(
                path=os.path.join(hit.chunk.file.root, hit.chunk.file.path),  # noqa: PTH118
                start_line=hit.chunk.start_line,
                end_line=hit.chunk.end_line,
                symbol=hit.chunk.symbol,
                kind=hit.chunk.kind,
                score=hit.score,
                sources=hit.sources,
            )
            for hit in found.hits
        ]


class Searcher:
    """Answers from the index file; may be called from any thread."""

    def __init__(self, path: Path, make_finder: Callable[[IndexStore], Finder]) -> None:
        """Search the index at `path`, which need not be there yet."""
        self._path = path
        self._make_finder = make_finder
        self._lock = threading.Lock()
        self._open: tuple[IndexStore, Finder] | None = None

    def search(self, query: str, limit: int, kinds: Sequence[str], glob: str) -> list[IndexHit]:
        """Return what fits best; nothing where there is no index yet."""
        with self._lock:
            opened = self._opened()
            if opened is None:
                return []
            try:
                return opened[1].find(query, limit, kinds, glob)
            except apsw.Error as error:
                raise self._unusable(error) from error

    def symbols(self, query: str, limit: int) -> list[SymbolHit]:
        """Return definitions whose name holds the query, those that are named so first."""
        with self._lock:
            opened = self._opened()
            if opened is None or not query.strip():
                return []
            try:
                found = opened[0].symbols_like(query.strip(), min(limit, _MAX_SYMBOLS))
            except apsw.Error as error:
                raise self._unusable(error) from error
        lines: dict[str, list[str]] = {}
        return [_symbol_hit(symbol, lines) for symbol in found]

    def _opened(self) -> tuple[IndexStore, Finder] | None:
        if self._open is None:
            if not self._path.exists():
                return None
            try:
                store = IndexStore(self._path)
            except IndexUnusable:
                # Whoever keeps it builds another one beside it.
                return None
            if not store.stamps():
                store.close()
                return None
            self._open = (store, self._make_finder(store))
        return self._open

    def _shut(self) -> None:
        if self._open is not None:
            self._open[0].close()
            self._open = None

    def _unusable(self, error: apsw.Error) -> GreenlineError:
        self._shut()
        return IndexUnusable(
            f"The index {self._path} cannot be read now: {error}.",
            remedy="It is being built anew; ask again in a moment.",
        )


def _symbol_hit(symbol: Symbol, lines: dict[str, list[str]]) -> SymbolHit:
    path = os.path.join(symbol.file.root, symbol.file.path)  # noqa: PTH118
    if path not in lines:
        try:
            text = read_regular(path).decode("utf-8", "replace")
        except OSError:
            text = ""
        lines[path] = text.split("\n")
    line = lines[path][symbol.line - 1] if symbol.line <= len(lines[path]) else ""
    column = line.find(symbol.name)
    before = line[:column] if 0 <= column <= _MAX_LINE else ""
    return SymbolHit(path, symbol.name, symbol.container, symbol.kind.value, symbol.line - 1, before)
