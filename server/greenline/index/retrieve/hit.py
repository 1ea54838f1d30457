"""What may be asked of a search, and its hits as the JSON value that programs read."""

from __future__ import annotations

from collections.abc import Sequence

from greenline.core.error import InvalidInput
from greenline.index.chunk import SymbolKind
from greenline.index.retrieve.retriever import Hit

KINDS = tuple(sorted({kind.value for kind in SymbolKind} | {"text"}))
"""Kinds of chunks that a search can be narrowed to."""


def kinds_of(given: Sequence[str]) -> frozenset[str]:
    """Return kinds of chunks as a filter takes them; raises `InvalidInput`."""
    for kind in given:
        if kind not in KINDS:
            raise InvalidInput(f"There is no kind {kind!r}.", remedy=f"Kinds are {', '.join(KINDS)}.")
    return frozenset(given)


def hit_json(hit: Hit, roots: Sequence[str]) -> dict[str, object]:
    """Return a hit as JSON; with several roots it names its own."""
    row: dict[str, object] = {
        "path": hit.chunk.file.path,
        "startLine": hit.chunk.start_line,
        "endLine": hit.chunk.end_line,
        "symbol": hit.chunk.symbol,
        "kind": hit.chunk.kind,
        "score": round(hit.score, 4),
        "sources": list(hit.sources),
    }
    return row if len(roots) == 1 else {**row, "root": hit.chunk.file.root}
