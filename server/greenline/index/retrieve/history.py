"""What git remembers: which files earlier changes of the same words touched, and which change together.

Only git plumbing that starts nothing of the workspace is run; without git, or without commits, the history is
empty. Reading takes up to a second for 2,000 commits, so a history is kept by the id of the newest commit.
"""

from __future__ import annotations

import json
import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import attrs

from greenline.index.retrieve.query import understand
from greenline.index.retrieve.word import stem
from greenline.workspace.git import git

N_COMMITS = 2000
_MAX_FILES = 30
"""A commit that touches more says nothing about any of them."""
_N_ALIKE = 40
_MAX_TOGETHER = 10
_MIN_TOGETHER = 2
_FORMAT_STAMP = 1
_LOG = (
    "-c",
    "log.showSignature=false",
    "log",
    f"-n{N_COMMITS}",
    "--no-merges",
    "--no-renames",
    "--no-ext-diff",
    "--no-textconv",
    "--ignore-submodules=all",
    "--relative",
    "--name-only",
    "-z",
    "--format=%x01%s",
)


@attrs.frozen
class Commit:
    """A commit's subject, and the files that it touched, relative to the root."""

    subject: str
    paths: tuple[str, ...]


def read_commits(root: str, cache: Path | None = None) -> tuple[Commit, ...]:
    """Return the newest commits of the branch that is checked out, newest first.

    `cache` is a file that keeps them until the branch moves; it may be lost at any time.
    """
    head = (git(root, ["rev-parse", "--verify", "--quiet", "HEAD"]) or b"").decode().strip()
    if not head:
        return ()
    kept = _read_cache(cache, head) if cache else None
    if kept is not None:
        return kept
    output = git(root, _LOG)
    commits = _parse(output.decode("utf-8", "replace")) if output else ()
    if cache:
        _write_cache(cache, head, commits)
    return commits


def _parse(output: str) -> tuple[Commit, ...]:
    found = []
    for piece in output.split("\x01")[1:]:
        subject, *rest = piece.split("\0")
        paths = tuple(path.lstrip("\n") for path in rest if path.strip("\n"))
        if 0 < len(paths) <= _MAX_FILES:
            found.append(Commit(subject.strip(), paths))
    return tuple(found)


def _read_cache(cache: Path, head: str) -> tuple[Commit, ...] | None:
    try:
        kept = json.loads(cache.read_text("utf-8"))
        if kept["stamp"] != _FORMAT_STAMP or kept["head"] != head:
            return None
        return tuple(Commit(str(subject), tuple(map(str, paths))) for subject, paths in kept["commits"])
    except (OSError, ValueError, KeyError, TypeError):
        return None


def _write_cache(cache: Path, head: str, commits: Sequence[Commit]) -> None:
    kept = {"stamp": _FORMAT_STAMP, "head": head, "commits": [[c.subject, c.paths] for c in commits]}
    new = cache.with_suffix(".new")
    try:
        new.write_text(json.dumps(kept), "utf-8")
        new.replace(cache)
    except OSError:
        # The cache only saves time; a full disk must not stop a search.
        new.unlink(missing_ok=True)


class History:
    """The commits of one root, searchable by the words of their subjects."""

    def __init__(self, commits: Iterable[Commit]) -> None:
        self._commits = list(commits)
        self._words = [_subject_words(commit.subject) for commit in self._commits]
        self._holding: dict[str, list[int]] = defaultdict(list)
        for i, words in enumerate(self._words):
            for word in words:
                self._holding[word].append(i)
        self._together: dict[str, Counter[str]] | None = None
        self._n_changes: Counter[str] = Counter()

    def __len__(self) -> int:
        return len(self._commits)

    def touched(self, terms: Sequence[str]) -> dict[str, float]:
        """Return the files that the commits most like these words touched, each by how much, at most 1."""
        asked = {stem(term) for term in terms}
        weights = {word: self._weight(word) for word in asked if word in self._holding}
        alike: dict[int, float] = defaultdict(float)
        for word, weight in weights.items():
            for i in self._holding[word]:
                alike[i] += weight
        best = sorted(((s / math.sqrt(len(self._words[i]) + 3), -i) for i, s in alike.items()), reverse=True)
        files: dict[str, float] = defaultdict(float)
        for score, i in best[:_N_ALIKE]:
            paths = self._commits[-i].paths
            for path in paths:
                files[path] += score * score / math.sqrt(len(paths))
        most = max(files.values(), default=1.0)
        return {path: score / most for path, score in files.items()}

    def companions(self, path: str) -> Mapping[str, float]:
        """Return the files that changed together with this one, each by its share of the changes."""
        if self._together is None:
            self._together = self._count_together()
        n_changes = self._n_changes[path] + 4
        found = self._together.get(path, Counter())
        return {other: n / n_changes for other, n in found.items() if n >= _MIN_TOGETHER}

    def changes(self, path: str) -> float:
        """Return how often a file changed, recent changes counting most."""
        if self._together is None:
            self._together = self._count_together()
        return self._recent.get(path, 0.0)

    def _weight(self, word: str) -> float:
        return math.log(1 + len(self._commits) / (1 + len(self._holding[word])))

    def _count_together(self) -> dict[str, Counter[str]]:
        together: dict[str, Counter[str]] = defaultdict(Counter)
        self._recent: dict[str, float] = defaultdict(float)
        for i, commit in enumerate(self._commits):
            share = math.exp(-i / 500) / math.sqrt(len(commit.paths))
            for path in commit.paths:
                self._n_changes[path] += 1
                self._recent[path] += share
            if len(commit.paths) <= _MAX_TOGETHER:
                for path in commit.paths:
                    together[path].update(other for other in commit.paths if other != path)
        return together


def _subject_words(subject: str) -> frozenset[str]:
    return frozenset(stem(term) for term in understand(subject).terms)
