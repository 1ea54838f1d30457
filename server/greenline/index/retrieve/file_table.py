"""The live files as columns: what paths, sizes and importers say about each, whatever the query."""

from __future__ import annotations

import bisect
import itertools
import math
import re
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache

import apsw
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
_LAST_LETTER = chr(sys.maxunicode)
_MAX_FOLLOWED = 10_000
"""Past so many changes a new table is made; a switch of 1,000 files makes 2,000, followed in 40 ms."""
_MAX_GONE = 500
"""Past so many files that are gone a new table is made, which holds no numbers of them."""
_NO_FILES: NDArray[np.int64] = np.array([], np.int64)
_FILES = "SELECT f.id, r.path, f.path, f.n_lines FROM files f JOIN roots r ON r.id = f.root_id WHERE f.live"
_STEMS = "SELECT DISTINCT stem FROM imports WHERE file_id = ?"
_CHANGED = "SELECT DISTINCT file_id FROM changes WHERE seq > ? AND seq <= ?"
_OLDEST = "SELECT coalesce(min(seq), 0) FROM changes"


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
    """All live files of an index, each under a number that its path keeps from change to change.

    A file that is gone keeps its number too, without an id, and no signal speaks for it any more.
    """

    def __init__(self, store: IndexStore) -> None:
        self._seen = _position(store)
        rows = list(store.connection.execute(f"{_FILES} ORDER BY f.path, r.id"))
        self.ids: list[int] = [row[0] for row in rows]
        """The id of each file's live version; 0 where the file is gone."""
        self.roots: list[str] = [row[1] for row in rows]
        self.paths: list[str] = [row[2] for row in rows]
        self.number: dict[int, int] = {row[0]: i for i, row in enumerate(rows)}
        self._numbers = {(root, path): i for i, (_, root, path, _) in enumerate(rows)}
        self.by_path: dict[str, list[int]] = defaultdict(list)
        """The files that are there, by path."""
        for i, path in enumerate(self.paths):
            self.by_path[path].append(i)
        self.size = _sizes(row[3] for row in rows)
        self.is_live = np.ones(len(rows), bool)
        words = [_path_words(path) for path in self.paths]
        self._n_name = np.array([max(1, len(word.name)) for word in words], np.float64)
        self._name = _inverted(word.name for word in words)
        self._folder = _inverted(word.folder for word in words)
        self._above = _inverted(word.above for word in words)
        self._names = sorted(self._name)
        self.kinds = {
            kind: np.array([kind in kinds_of_path(path) for path in self.paths], bool) for kind in PathKind
        }
        self.stems = [_module_stem(path) for path in self.paths]
        """The name by which other files import each file, folded."""
        self._by_stem: dict[str, list[int]] = defaultdict(list)
        for i, name in enumerate(self.stems):
            self._by_stem[name].append(i)
        self._imported = _imported_stems(store, self.number, len(rows))
        self._n_importing = Counter(name for names in self._imported for name in names)
        self.importers = self.zeros()
        for name in self._by_stem:
            self._weigh(name)

    def __len__(self) -> int:
        return len(self.ids)

    @property
    def n_live(self) -> int:
        """How many files there are."""
        return len(self.number)

    def zeros(self) -> Floats:
        """Return a column of zeros."""
        return np.zeros(len(self.ids))

    def follow(self, store: IndexStore) -> bool:
        """Take over what changed in the index since; False where only a new table can tell.

        The caller reads in one transaction, so that what is told of is what is there.
        """
        seen = self._seen
        now = _position(store)
        if now == seen:
            return True
        if now.born != seen.born or not 0 < now.seq - seen.seq <= _MAX_FOLLOWED:
            return False
        if len(self.ids) - self.n_live > _MAX_GONE:
            return False
        changed = [i for (i,) in store.connection.execute(_CHANGED, (seen.seq, now.seq))]
        if store.connection.execute(_OLDEST).get > seen.seq + 1:
            return False
        asked = apsw.carray(np.array(changed, np.int64))
        rows = list(store.connection.execute(f"{_FILES} AND f.id IN (SELECT value FROM carray(?))", (asked,)))
        outdated = {self.number[i] for i in changed if i in self.number}
        stems: set[str] = set()
        for number in outdated:
            stems.update(self._imported[number], [self.stems[number]])
            self._drop(number)
        for file_id, root, path, n_lines in rows:
            imported = tuple(sys.intern(name) for (name,) in store.connection.execute(_STEMS, (file_id,)))
            number = self._take(file_id, root, path, imported)
            self.size[number] = _sizes([n_lines])[0]
            stems.update(imported, [self.stems[number]])
        for name in stems:
            self._weigh(name)
        self._seen = now
        return True

    def _drop(self, number: int) -> None:
        """Let a file be gone."""
        del self.number[self.ids[number]]
        self.ids[number] = 0
        self.is_live[number] = False
        self.size[number] = self.importers[number] = 0.0
        for files, key in ((self.by_path, self.paths[number]), (self._by_stem, self.stems[number])):
            files[key].remove(number)
            if not files[key]:
                del files[key]
        self._n_importing.subtract(self._imported[number])
        self._imported[number] = ()

    def _take(self, file_id: int, root: str, path: str, imported: tuple[str, ...]) -> int:
        """Let a file be there, under the number that its path had before or a new one."""
        number = self._numbers.get((root, path))
        if number is None:
            number = self._add(root, path)
        self.ids[number], self.number[file_id] = file_id, number
        self.is_live[number] = True
        self.by_path[path].append(number)
        self._by_stem[self.stems[number]].append(number)
        self._imported[number] = imported
        self._n_importing.update(imported)
        return number

    def _add(self, root: str, path: str) -> int:
        """Give a path a number and its place in every column."""
        number = self._numbers[root, path] = len(self.ids)
        self.ids.append(0)
        self.roots.append(root)
        self.paths.append(path)
        self.stems.append(_module_stem(path))
        self._imported.append(())
        words = _path_words(path)
        for name in words.name.difference(self._name):
            bisect.insort(self._names, name)
        levels = ((self._name, words.name), (self._folder, words.folder), (self._above, words.above))
        for level, names in levels:
            for name in names:
                level[name] = np.append(level.get(name, _NO_FILES), number)
        self.size = np.append(self.size, 0.0)
        self.importers = np.append(self.importers, 0.0)
        self.is_live = np.append(self.is_live, False)
        self._n_name = np.append(self._n_name, max(1, len(words.name)))
        for kind, column in self.kinds.items():
            self.kinds[kind] = np.append(column, kind in kinds_of_path(path))
        return number

    def _weigh(self, name: str) -> None:
        """Note for the files that are imported by a name, log-scaled, how many files import it."""
        numbers = self._by_stem.get(name)
        if numbers:
            self.importers[numbers] = math.log1p(self._n_importing[name] / len(numbers)) / 5

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
            alike = list(self._alike(root))
            if alike:
                is_like = self.zeros().astype(bool)
                is_like[np.concatenate(alike)] = True
                is_like &= ~taken
                name[is_like] += _LIKE * share
                taken |= is_like
            for column, level in ((folder, self._folder), (above, self._above)):
                files = level.get(root)
                if files is not None:
                    files = files[~taken[files]]
                    column[files] += share
                    taken[files] = True
            seen.add(root)
        for column in (name, folder, above, covered):
            column[~self.is_live] = 0.0
        return PathMatch(name, folder, above, covered)

    def named(self, compounds: Iterable[Sequence[str]], weights: Mapping[str, float], most: float) -> Floats:
        """Return how surely each file's whole name is one of these, 0 to 1; a word weighs at most `most`.

        What stands everywhere, such as the project's own name, names no file.
        """
        column = self.zeros()
        for words in compounds:
            whole = "".join(folded_parts(" ".join(words)))
            strength = min(1.0, sum(weights.get(word, 0.0) for word in words) / most)
            for number in self._name.get(stem(whole), _NO_FILES).tolist():
                if self.is_live[number] and "".join(folded_parts(_bare_name(self.paths[number]))) == whole:
                    column[number] = max(column[number], strength)
        return column

    def _alike(self, root: str) -> Iterable[NDArray[np.int64]]:
        if len(root) < _MIN_LIKE:
            return
        start = bisect.bisect_left(self._names, root)
        end = bisect.bisect_left(self._names, root + _LAST_LETTER)
        for word in self._names[start:end]:
            if word != root:
                yield self._name[word]
        for length in range(_MIN_LIKE, len(root)):
            files = self._name.get(root[:length])
            if files is not None:
                yield files


@attrs.frozen
class _Position:
    """Which index file it is, and the last change in it."""

    born: str
    seq: int


@attrs.frozen
class _PathWords:
    name: frozenset[str]
    folder: frozenset[str]
    above: frozenset[str]


@lru_cache(maxsize=65536)
def _path_words(path: str) -> _PathWords:
    folders = path.split("/")[:-1]
    return _PathWords(
        frozenset(_stems(_bare_name(path))),
        frozenset(_stems(folders[-1])) if folders else frozenset(),
        frozenset(_stems(" ".join(folders[:-1]))),
    )


def _bare_name(path: str) -> str:
    name = path.rpartition("/")[2]
    return name if name.startswith(".") else name.partition(".")[0]


def _stems(text: str) -> list[str]:
    words = folded_parts(text)
    whole = "".join(words)
    return [stem(word) for word in ([*words, whole] if len(words) > 1 and " " not in text else words)]


def _position(store: IndexStore) -> _Position:
    """Return how far the list of changes is."""
    connection = store.connection
    born = connection.execute("SELECT value FROM meta WHERE key = 'born'").get
    seq = connection.execute("SELECT coalesce(max(seq), 0) FROM changes").get
    return _Position(str(born), int(seq))


def _sizes(n_lines: Iterable[int]) -> Floats:
    return np.log1p(np.fromiter(n_lines, np.float64)) / 8


def _imported_stems(store: IndexStore, number: Mapping[int, int], n_files: int) -> list[tuple[str, ...]]:
    """Return the last parts of the modules that each file imports, each once."""
    found: list[tuple[str, ...]] = [()] * n_files
    rows = store.connection.execute(
        "SELECT DISTINCT i.file_id, i.stem FROM imports i JOIN files f ON f.id = i.file_id WHERE f.live"
        " ORDER BY i.file_id"
    )
    for file_id, group in itertools.groupby(rows, key=lambda row: row[0]):
        if file_id in number:
            # The same few names stand in most files.
            found[number[file_id]] = tuple(sys.intern(name) for _, name in group)
    return found


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
