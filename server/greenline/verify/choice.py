"""Which of the affected tests fit into one run, by what they took before; pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

import attrs

from greenline.core.evidence import Outcome, TestReport
from greenline.core.port import Tree
from greenline.core.selection import Selection, Why
from greenline.verify.affected import Affected, Ground, in_order, n_tests_of, unknown_files
from greenline.verify.known_suite import KnownSuite

MAX_BYTES = 90_000
"""How long the names of the chosen tests may be together: they stand on a command line."""
_UNKNOWN_S = 1.0
"""What a test is taken to last where nothing at all was measured."""


@attrs.frozen
class Choice:
    """The tests for one run."""

    chosen: tuple[Affected, ...] = ()
    left: tuple[Affected, ...] = ()
    """Affected ones that did not fit."""
    names: tuple[str, ...] = ()
    """Ids and files for the runner, in the suite's own order."""
    expected_s: float = 0.0
    n_tests: int = 0
    """How many tests the whole suite seems to have."""
    n_chosen: int = 0
    """How many of them the chosen ones seem to be."""

    def selection(self, why: Why, patched: TestReport, limit_s: float) -> Selection:
        """Return what is said of it once it was run: only what has an outcome counts as run."""
        n_run = sum(1 for test in patched.tests if test.outcome is not Outcome.DESELECTED)
        return Selection(
            "affected",
            why,
            n_selected=n_run,
            n_tests=max(self.n_tests, n_run),
            n_left=len(self.left),
            reasons=dict(Counter(item.reason.value for item in self.chosen)),
            limit_s=limit_s,
        )


def choose(ground: Ground, known: KnownSuite, found: Sequence[Affected], budget_s: float) -> Choice:
    """Return the first affected tests that together fit into a budget; one that does not is left.

    A file and the tests of it that are known count once.
    """
    times = _Times.of(ground, known)
    chosen: list[Affected] = []
    left: list[Affected] = []
    taken: set[str] = set()
    spent_s, n_bytes = 0.0, 0
    for item in found:
        tests = times.tests_of(item.test) - taken
        seconds = sum(times.of_test(test) for test in tests)
        size = len(item.test.encode()) + 1
        if spent_s + seconds > budget_s or n_bytes + size > MAX_BYTES:
            left.append(item)
            continue
        chosen.append(item)
        taken |= tests
        spent_s, n_bytes = spent_s + seconds, n_bytes + size
    return Choice(
        tuple(chosen),
        tuple(item for item in left if not times.tests_of(item.test) <= taken),
        in_order(_names(chosen, ground), known),
        spent_s,
        n_tests=times.n_tests,
        n_chosen=len(taken),
    )


@attrs.frozen
class _Times:
    """How long each test may take, and which tests a file stands for."""

    durations: Mapping[str, float]
    by_file: Mapping[str, frozenset[str]]
    mean_s: float

    @classmethod
    def of(cls, ground: Ground, known: KnownSuite) -> _Times:
        by_file: dict[str, set[str]] = {}
        for test, item in known.tests.items():
            by_file.setdefault(item.file, set()).add(test)
        for path in unknown_files(ground, known):
            by_file[path] = {f"{path}::{n}" for n in range(_n_tests(path, ground))}
        durations = {t: k.duration_s for t, k in known.tests.items() if k.duration_s is not None}
        mean_s = sum(durations.values()) / len(durations) if durations else _UNKNOWN_S
        return cls(durations, {path: frozenset(tests) for path, tests in by_file.items()}, mean_s)

    @property
    def n_tests(self) -> int:
        return sum(map(len, self.by_file.values()))

    def tests_of(self, name: str) -> frozenset[str]:
        return self.by_file.get(name) or frozenset({name})

    def of_test(self, test: str) -> float:
        return self.durations.get(test, self.mean_s)


def _n_tests(path: str, ground: Ground) -> int:
    tree: Tree = ground.patched if path in ground.patched else ground.base
    return n_tests_of(path, tree)


def _names(chosen: Iterable[Affected], ground: Ground) -> tuple[str, ...]:
    """Return what the runner is told; unittest knows modules and no files."""
    found: dict[str, None] = {}
    for item in chosen:
        if ground.runner == "unittest" and item.test.endswith(".py"):
            parts = item.test[:-3].split("/")
            # A folder of tests may be a package or a place on the path.
            found.update(dict.fromkeys(".".join(parts[start:]) for start in range(len(parts))))
        else:
            found[item.test] = None
    return tuple(found)
