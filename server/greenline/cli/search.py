"""`greenline search WORDS`: bring the index up to date, and print what fits best."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

from greenline.cli.console import root_of, say
from greenline.core.error import InvalidInput
from greenline.index.retrieve.retriever import Filter, Found, Hit

if TYPE_CHECKING:
    from greenline.index.vector import Embedder


def run(arguments: argparse.Namespace) -> int:
    """Search the roots."""
    from greenline.app import make_embedder
    from greenline.config.settings import load_settings

    roots = [root_of(root) for root in arguments.root or ["."]]
    wanted = Filter(arguments.limit, _kinds(arguments.kind or ()), arguments.path)
    if not arguments.words.strip():
        raise InvalidInput(
            "There are no words to search for.", remedy='Say what to find: greenline search "WORDS".'
        )
    found = _search(roots, make_embedder(load_settings()), arguments.words, wanted)
    if found.completeness < 1:
        print(f"greenline: only {found.completeness:.0%} of the files are indexed yet", file=sys.stderr)
    if arguments.json:
        print(json.dumps([_row(hit, roots) for hit in found.hits]))
    else:
        _show(found, roots)
    return 0


def _search(roots: Sequence[str], embedder: Embedder | None, words: str, wanted: Filter) -> Found:
    """Search an index that an editor's server keeps up to date, or else that is brought up to date here."""
    from greenline.app import index_path, make_retriever, open_indexer
    from greenline.index.live.lease import Lease
    from greenline.index.store import IndexStore

    path = index_path(roots)
    lease = Lease(path.with_name(f"{path.name}.lease"))
    if not lease.beat("greenline search") and path.exists():
        store = IndexStore(path)
        try:
            return make_retriever(store, embedder).search(words, wanted)
        finally:
            store.close()
    indexer = open_indexer(roots, embedder)
    try:
        indexer.scan()
        return make_retriever(indexer.store, embedder).search(words, wanted)
    finally:
        indexer.close()
        lease.release()


def _kinds(given: Sequence[str]) -> frozenset[str]:
    from greenline.index.chunk import SymbolKind

    known = {kind.value for kind in SymbolKind} | {"text"}
    for kind in given:
        if kind not in known:
            raise InvalidInput(f"There is no kind {kind!r}.", remedy=f"Kinds are {', '.join(sorted(known))}.")
    return frozenset(given)


def _row(hit: Hit, roots: Sequence[str]) -> dict[str, object]:
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


def _show(found: Found, roots: Sequence[str]) -> None:
    if not found.hits:
        say("Nothing fits.")
    for hit in found.hits:
        chunk = hit.chunk
        place = f"{chunk.file.path}:{chunk.start_line}-{chunk.end_line}"
        where = place if len(roots) == 1 else f"{chunk.file.root}/{place}"
        say(f"{hit.score:7.3f}  {where}  {chunk.symbol}  [{', '.join(hit.sources)}]")
