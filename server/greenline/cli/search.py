"""`greenline search WORDS`: bring the index up to date, and print what fits best."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence

from greenline.cli.console import known_settings, root_of, say
from greenline.core.error import InvalidInput
from greenline.index.retrieve.hit import hit_json, kinds_of
from greenline.index.retrieve.retriever import Filter, Found


def run(arguments: argparse.Namespace) -> int:
    """Search the roots."""
    from greenline.app import index_path, search
    from greenline.workspace.state import check_writable

    roots = [root_of(root) for root in arguments.root or ["."]]
    wanted = Filter(arguments.limit, kinds_of(arguments.kind or ()), arguments.path)
    if not arguments.words.strip():
        raise InvalidInput(
            "There are no words to search for.", remedy='Say what to find: greenline search "WORDS".'
        )
    path = index_path(roots)
    if not path.exists():
        check_writable(path.parent)
    found = search(roots, known_settings(), arguments.words, wanted)
    if found.completeness < 1:
        print(f"greenline: only {found.completeness:.0%} of the files are indexed yet", file=sys.stderr)
    if arguments.json:
        print(json.dumps([hit_json(hit, roots) for hit in found.hits]))
    else:
        _show(found, roots)
    return 0


def _show(found: Found, roots: Sequence[str]) -> None:
    if not found.hits:
        say("Nothing fits.")
    for hit in found.hits:
        chunk = hit.chunk
        place = f"{chunk.file.path}:{chunk.start_line}-{chunk.end_line}"
        where = place if len(roots) == 1 else f"{chunk.file.root}/{place}"
        say(f"{hit.score:7.3f}  {where}  {chunk.symbol}  [{', '.join(hit.sources)}]")
