"""Files beside those that were found: what they import and what imports them, and what changes with them."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from greenline.index.retrieve.file_table import FileTable, Floats
from greenline.index.retrieve.history import History
from greenline.index.store import IndexStore

_N_SEEDS = 5
_MAX_IMPORTERS = 40
_MODULES = "SELECT module FROM imports WHERE file_id = ? LIMIT 200"
_IMPORTERS = "SELECT DISTINCT file_id FROM imports WHERE stem = ? LIMIT ?"


def near_files(
    store: IndexStore, files: FileTable, scores: Floats, history: Callable[[str], History] | None
) -> Floats:
    """Return how near each file is to the best ones: their scores, spread over their neighbours."""
    column = files.zeros()
    for number in np.argsort(-scores, kind="stable")[:_N_SEEDS]:
        score = float(scores[number])
        if score <= 0:
            break
        beside = _imported(store, files, int(number))
        for other in beside:
            column[other] += score / math.sqrt(max(3, len(beside)))
        if history is not None:
            root = files.roots[number]
            for path, share in history(root).companions(files.paths[number]).items():
                for other in files.by_path.get(path, ()):
                    if files.roots[other] == root:
                        column[other] += score * share
    return column


def _imported(store: IndexStore, files: FileTable, number: int) -> set[int]:
    """Return the files that a file's imports name and those that import it, where the name tells."""
    found: set[int] = set()
    modules = store.connection.execute(_MODULES, (files.ids[number],))
    for (module,) in modules:
        found.update(files.with_stem(module))
    importers = list(store.connection.execute(_IMPORTERS, (files.stems[number], _MAX_IMPORTERS + 1)))
    if len(importers) <= _MAX_IMPORTERS:
        found.update(files.number[file_id] for (file_id,) in importers if file_id in files.number)
    found.discard(number)
    return found
