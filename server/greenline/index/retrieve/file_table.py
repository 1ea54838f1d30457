"""The live files as columns: what paths, sizes and importers say about each, whatever the query."""

from __future__ import annotations

import bisect
import math
import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
from functools import lru_cache

import attrs
import numpy as np
from numpy.typing import NDArray

from greenline.index.retrieve.path_kind import PathKind, kinds_of_path
from greenline.index.retrieve.word import folded_parts, stem
from greenline.index.store import IndexStore

Floats = NDArray[np.float64]

_BARRELS = frozenset(["index", "__init__", "mod", "lib", "main", "package-info"])
"""Names that stand for their folder."""
_LAST_PART = re.compile(r"[/.:\\\\]+(?!(?:[cm]?[jt]sx?|vue|h|hpp|py)$)")
_LIKE = 0.7
"""What a word of a name counts that only begins like the one asked for."""
_MIN_LIKE = 4


@attrs.frozen
class PathMatch:
    """How far each file's path holds the words of a query, 0 to 1."""

    name: Floats
    """By the file's own name."""
    folder: Floats
    """By the folder that it lies in."""
    above: Floats
    """By the folders above."""
    covered: Floats
    """The share of the name's words that are asked for."""


class FileTable:
    """All live files of an index at one moment; files are numbered from 0 in the order of their paths."""

    def __init__(self, store: IndexStore) -> None:
        rows = list(
            store.connection.execute(
                "SELECT f.id, r.path, f.path, f.n_lines FROM files f JOIN roots r ON r.id = f.root_id"
                " WHERE f.live ORDER BY f.path, r.id"
            )
        )
        self.ids: list[int] = [row[0] for row in rows]
        self.roots: list[str] = [row[1] for row in rows]
        self.paths: list[str] = [row[2] for row in rows]
        self.number: dict[int, int] = {file_id: i for i, file_id in enumerate(self.ids)}
        self.by_path: dict[str, list[int]] = defaultdict(list)
        for i, path in enumerate(self.paths):
            self.by_path[path].append(i)
        self.size = np.log1p(np.array([row[3] for row in rows], np.float64)) / 8
        self._words = [_path_words(path) for path in self.paths]
        self._n_name = np.array([max(1, len(words.name)) for words in self._words], np.float64)
        self._name = _inverted(words.name for words in self._words)
        self._folder = _inverted(words.folder for words in self._words)
        self._above = _inverted(words.above for words in self._words)
        self._names = sorted(self._name)
        self.kinds = {
            kind: np.array([kind in kinds_of_path(path) for path in self.paths], bool) for kind in PathKind
        }
        self.stems = [_module_stem(path) for path in self.paths]
        """The name by which other files import each file, folded."""
        self._by_stem: dict[str, list[int]] = defaultdict(list)
        for i, name in enumerate(self.stems):
            self._by_stem[name].append(i)
        self.importers = self._count_importers(store)

    def __len__(self) -> int:
        return len(self.ids)

    def zeros(self) -> Floats:
        """Return a column of zeros."""
        return np.zeros(len(self.ids))

    def with_stem(self, module: str) -> list[int]:
        """Return the file that a module's last part names; nothing where several files share the name."""
        last = _LAST_PART.split(module.rstrip("/"))[-1].casefold() if module else ""
        numbers = self._by_stem.get(last, [])
        return numbers if len(numbers) == 1 else []

    def match(self, weights: Mapping[str, float]) -> PathMatch:
        """Compare the paths with a query's words, each with its weight."""
        name, folder, above, covered = (self.zeros() for _ in range(4))
        total = sum(weights.values()) or 1.0
        seen: set[str] = set()
        for word, weight in weights.items():
            root = stem(word)
            share = weight / total
            here = self._name.get(root)
            taken = self.zeros().astype(bool)
            if here is not None:
                name[here] += share
                taken[here] = True
                if root not in seen:
                    covered[here] += 1 / self._n_name[here]
            for like in self._alike(root):
                files = like[~taken[like]]
                name[files] += _LIKE * share
                taken[files] = True
            for column, level in ((folder, self._folder), (above, self._above)):
                files = level.get(root)
                if files is not None:
                    files = files[~taken[files]]
                    column[files] += share
                    taken[files] = True
            seen.add(root)
        return PathMatch(name, folder, above, covered)

    def _alike(self, root: str) -> Iterable[NDArray[np.int64]]:
        if len(root) < _MIN_LIKE:
            return
        start = bisect.bisect_left(self._names, root)
        for word in self._names[start:]:
            if not word.startswith(root):
                break
            if word != root:
                yield self._name[word]
        for length in range(_MIN_LIKE, len(root)):
            files = self._name.get(root[:length])
            if files is not None:
                yield files

    def _count_importers(self, store: IndexStore) -> Floats:
        """Return log-scaled counts of the files that import each file, told by the module's last part."""
        counts = dict(
            store.connection.execute(
                "SELECT i.stem, count(DISTINCT i.file_id) FROM imports i JOIN files f ON f.id = i.file_id"
                " WHERE f.live GROUP BY i.stem"
            )
        )
        shared = {name: counts.get(name, 0) / len(numbers) for name, numbers in self._by_stem.items()}
        return np.array([math.log1p(shared[name]) / 5 for name in self.stems], np.float64)


@attrs.frozen
class _PathWords:
    name: frozenset[str]
    folder: frozenset[str]
    above: frozenset[str]


@lru_cache(maxsize=65536)
def _path_words(path: str) -> _PathWords:
    *folders, name = path.split("/")
    name = name.partition(".")[0] if not name.startswith(".") else name
    return _PathWords(
        frozenset(_stems(name)),
        frozenset(_stems(folders[-1])) if folders else frozenset(),
        frozenset(_stems(" ".join(folders[:-1]))),
    )


def _stems(text: str) -> list[str]:
    words = folded_parts(text)
    whole = "".join(words)
    return [stem(word) for word in ([*words, whole] if len(words) > 1 and " " not in text else words)]


def _inverted(rows: Iterable[frozenset[str]]) -> dict[str, NDArray[np.int64]]:
    found: dict[str, list[int]] = defaultdict(list)
    for i, words in enumerate(rows):
        for word in words:
            found[word].append(i)
    return {word: np.array(files, np.int64) for word, files in found.items()}


def _module_stem(path: str) -> str:
    *folders, name = path.split("/")
    name = name.partition(".")[0].casefold()
    return folders[-1].casefold() if name in _BARRELS and folders else name
