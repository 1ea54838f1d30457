"""`greenline search WORDS`: bring the index up to date, and print what fits best."""

from __future__ import annotations

import argparse
import contextlib
import json
import sys
from collections.abc import Sequence

from greenline.cli.console import root_of, say
from greenline.core.error import InvalidInput
from greenline.index.retrieve.retriever import Filter, Found, Hit


def run(arguments: argparse.Namespace) -> int:
    """Search the roots."""
    from greenline.app import index_path, make_embedder, make_retriever, open_indexer
    from greenline.config.settings import load_settings
    from greenline.index.live.lease import hold
    from greenline.index.store import IndexStore

    roots = [root_of(root) for root in arguments.root or ["."]]
    wanted = Filter(arguments.limit, _kinds(arguments.kind or ()), arguments.path)
    if not arguments.words.strip():
        raise InvalidInput(
            "There are no words to search for.", remedy='Say what to find: greenline search "WORDS".'
        )
    embedder = make_embedder(load_settings())
    with hold(index_path(roots)) as lease, contextlib.ExitStack() as stack:
        if lease.is_held:
            indexer = open_indexer(roots, embedder)
            stack.callback(indexer.close)
            indexer.scan()
            store = indexer.store
        else:
            # An editor keeps it up to date.
            store = IndexStore(index_path(roots))
            stack.callback(store.close)
        found = make_retriever(store, embedder).search(arguments.words, wanted)
    if found.completeness < 1:
        print(f"greenline: only {found.completeness:.0%} of the files are indexed yet", file=sys.stderr)
    if arguments.json:
        print(json.dumps([_row(hit, roots) for hit in found.hits]))
    else:
        _show(found, roots)
    return 0


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
