"""The map of a repository: its most telling files and what they define, within a budget of tokens."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import attrs
import numpy as np

from greenline.index.chunk import Symbol, SymbolKind
from greenline.index.retrieve.file_table import FileTable, Floats
from greenline.index.retrieve.fusion import factors
from greenline.index.retrieve.query import understand
from greenline.index.retrieve.retriever import Retriever
from greenline.index.store import IndexStore
from greenline.index.token import count_tokens

_SHOWN = frozenset(
    [
        SymbolKind.CLASS,
        SymbolKind.INTERFACE,
        SymbolKind.ENUM,
        SymbolKind.TYPE,
        SymbolKind.FUNCTION,
        SymbolKind.METHOD,
        SymbolKind.MODULE,
    ]
)
_MAX_SYMBOLS = 24
_MAX_METHODS = 8
_MAX_FILE_SHARE = 0.25
"""Of the budget, so that one large file does not fill the map."""


@attrs.frozen
class RepoMap:
    """A ranked outline."""

    text: str
    """One line a file, its definitions indented below with their lines."""
    paths: tuple[str, ...]
    """The files shown, best first."""
    n_tokens: int
    """Estimated; at most the budget."""


def repo_map(
    store: IndexStore,
    retriever: Retriever,
    budget_tokens: int,
    task: str = "",
    shown: Callable[[str, str], str | None] = lambda root, path: path,
) -> RepoMap:
    """Return the outline of the files that matter most: for a task, or for the project as a whole.

    `shown` returns how a file, by its root and path, is named; None leaves it out.
    """
    if task.strip():
        files, scores = retriever.rank_files(task)
        scores = scores + 0.05 * _standing(files)
    else:
        files = retriever.files()
        scores = _standing(files)
    lines: list[str] = []
    paths: list[str] = []
    n_tokens = 0
    for number in np.argsort(-scores, kind="stable").tolist():
        if n_tokens >= budget_tokens:
            break
        name = shown(files.roots[number], files.paths[number]) if files.is_live[number] else None
        if name is None:
            continue
        entry = _entry(name, store.symbols_of(files.ids[number]))
        taken, cost = _fitting(entry, budget_tokens - n_tokens, budget_tokens)
        if taken:
            lines.extend(taken)
            paths.append(files.paths[number])
            n_tokens += cost
        elif n_tokens > budget_tokens * (1 - _MAX_FILE_SHARE):
            break
    return RepoMap("\n".join(lines), tuple(paths), n_tokens)


def _standing(files: FileTable) -> Floats:
    """Return how much of the project rests on each file, whatever is asked."""
    standing: Floats = (files.importers + 0.3 * files.size) * factors(files, understand(""))
    return standing


def _entry(name: str, symbols: Sequence[Symbol]) -> list[str]:
    lines = [name]
    n_methods: dict[str, int] = {}
    for symbol in symbols:
        if symbol.kind not in _SHOWN:
            continue
        depth = symbol.container.count(".") + 1 if symbol.container else 0
        if depth > 1:
            continue
        if depth:
            n_methods[symbol.container] = n_methods.get(symbol.container, 0) + 1
            if n_methods[symbol.container] > _MAX_METHODS or symbol.name.startswith("__"):
                continue
        lines.append(f"{'  ' * (depth + 1)}{symbol.kind.value} {symbol.name}:{symbol.line}")
        if len(lines) > _MAX_SYMBOLS:
            break
    return lines


def _fitting(entry: Sequence[str], left: int, budget: int) -> tuple[list[str], int]:
    """Return the lines of an entry that fit, the file's own line at least, and their cost."""
    taken: list[str] = []
    cost = 0
    allowed = min(left, max(int(budget * _MAX_FILE_SHARE), 1))
    for line in entry:
        n = count_tokens(f"{line}\n".encode())
        if cost + n > (allowed if taken else left):
            break
        taken.append(line)
        cost += n
    return taken, cost
