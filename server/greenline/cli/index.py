"""`greenline index`: bring the index up to date, or say what it holds."""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

from rich.table import Table

from greenline.cli.console import console, known_settings, root_of, say
from greenline.core.error import GreenlineError, NotFound
from greenline.core.visible import visible

if TYPE_CHECKING:
    from greenline.index.chunk import Stats

_SETTLED = ("ready", "paused", "failed")
_WAIT_S = 0.2


def run(arguments: argparse.Namespace) -> int:
    """Index the roots, print the index's figures, or explain one file."""
    roots = [root_of(root) for root in arguments.root or ["."]]
    if arguments.why is not None:
        return _why(roots, arguments.why, as_json=arguments.json)
    if arguments.stats:
        return _stats(roots, as_json=arguments.json)
    return _index(roots, as_json=arguments.json)


def _index(roots: list[str], *, as_json: bool) -> int:
    from greenline.app import index_path
    from greenline.index.live.lease import hold, lease_path
    from greenline.workspace.state import check_writable

    path = index_path(roots)
    check_writable(path.parent)
    while True:
        with hold(path) as lease:
            if lease.is_held:
                return _write(roots, as_json=as_json)
            if lease.holder is None:
                raise GreenlineError(
                    f"The index {path} cannot be claimed.",
                    remedy=f"Try again; if that does not help, delete {lease_path(path)}.",
                )
            if lease.holder.what_it_said().status.state in _SETTLED:
                break
        time.sleep(_WAIT_S)
    print("greenline: an editor keeps this index up to date", file=sys.stderr)
    return _stats(roots, as_json=as_json)


def _write(roots: list[str], *, as_json: bool) -> int:
    from greenline.app import make_embedder, open_indexer
    from greenline.index.indexer import Progress

    def show(progress: Progress) -> None:
        if sys.stderr.isatty():
            print(f"\r  … {progress.n_done} of {progress.n_total} files", end="", file=sys.stderr, flush=True)

    began = time.monotonic()
    indexer = open_indexer(roots, make_embedder(known_settings()))
    try:
        report = indexer.scan(show)
        while not indexer.embed_pending():
            pass
        indexer.maintain()
        stats = indexer.store.stats()
    finally:
        indexer.close()
    if sys.stderr.isatty():
        print("\r\033[K", end="", file=sys.stderr, flush=True)
    seconds = time.monotonic() - began
    if as_json:
        row = {
            "files": stats.n_files,
            "chunks": stats.n_chunks,
            "read": report.n_parsed,
            "known": report.n_revived,
            "removed": report.n_removed,
            "skipped": stats.n_skipped,
            "seconds": round(seconds, 3),
        }
        print(json.dumps(row))
        return 0
    print(
        f"{stats.n_files} files in {stats.n_chunks} chunks; {report.n_parsed} read, "
        f"{report.n_revived} known from before, {report.n_removed} gone, {stats.n_skipped} skipped, "
        f"in {seconds:.1f} s"
    )
    return 0


def _stats(roots: list[str], *, as_json: bool) -> int:
    from greenline.app import index_path
    from greenline.index.store import IndexStore

    path = index_path(roots)
    if not path.exists():
        raise NotFound("There is no index of this workspace yet.", remedy="Make it with `greenline index`.")
    store = IndexStore(path)
    try:
        stats = store.stats()
    finally:
        store.close()
    if as_json:
        print(json.dumps(_stats_json(stats, path)))
        return 0
    table = Table(show_header=False, box=None)
    rows = (
        ("files", f"{stats.n_files}"),
        ("chunks", f"{stats.n_chunks}"),
        ("symbols", f"{stats.n_symbols}"),
        ("imports", f"{stats.n_imports}"),
        ("vectors", f"{stats.n_vectors}"),
        ("skipped", f"{stats.n_skipped}"),
        ("complete", f"{stats.completeness:.1%}"),
        ("source", f"{stats.source_bytes / 1e6:.1f} MB"),
        (
            "index",
            f"{stats.index_bytes / 1e6:.1f} MB, {stats.waste:.0%} of it for versions that are not live",
        ),
        ("languages", ", ".join(f"{name} {count}" for name, count in stats.languages)),
        ("file", visible(str(path))),
    )
    for name, value in rows:
        table.add_row(name, value)
    console().print(table)
    return 0


def _stats_json(stats: Stats, path: Path) -> dict[str, object]:
    return {
        "files": stats.n_files,
        "chunks": stats.n_chunks,
        "symbols": stats.n_symbols,
        "imports": stats.n_imports,
        "vectors": stats.n_vectors,
        "skipped": stats.n_skipped,
        "pending": stats.n_pending,
        "completeness": stats.completeness,
        "sourceBytes": stats.source_bytes,
        "indexBytes": stats.index_bytes,
        "waste": stats.waste,
        "languages": dict(stats.languages),
        "path": str(path),
    }


def _why(roots: list[str], path: str, *, as_json: bool) -> int:
    from greenline.guard.gate import Gate
    from greenline.index.scope import Scope
    from greenline.index.why import explain

    joined = os.path.join(roots[0], path) if len(roots) == 1 else os.path.abspath(path)  # noqa: PTH100, PTH118
    why = explain(Scope(roots, Gate(roots)), os.path.normpath(joined))
    if as_json:
        reason = None if why.reason is None else why.reason.value
        row = {"root": why.root, "path": why.path, "language": why.language, "reason": reason}
        print(json.dumps({**row, "detail": why.detail}))
    else:
        say(str(why))
    return 0
