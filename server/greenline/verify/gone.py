"""What became of the tests that P does not report any more: hidden, removed, or there in another place; pure.

A test is taken for the new name of another one only where P collected it, and it passes if that one passed.
A text that nothing collects says nothing.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache, partial

import attrs

from greenline.core.evidence import Outcome, TestReport, TestResult
from greenline.core.port import Tree
from greenline.verify.test_function import Place, functions, place

_Texts = Mapping[str, Mapping[str, str]]


@attrs.frozen
class Gone:
    """The tests of B that P does not report."""

    hidden: frozenset[str] = frozenset()
    """Ids of those whose code is still there, but that nothing collects, or not as a test that passes."""
    removed: frozenset[str] = frozenset()
    """Ids of those with nothing like them in P."""
    heirs: Mapping[str, frozenset[str]] = attrs.field(factory=dict)
    """Id of any other one → ids in P that came in its place: other rows, or another name."""


def gone(
    base: Tree,
    patched: Tree,
    paths: Iterable[str],
    before: TestReport,
    after: TestReport,
    renamed: Mapping[str, str] | None = None,
) -> Gone:
    """Return what became of B's tests; `paths` are the changed files that are no product code.

    `renamed` are ids of examples in documentation whose owner has another name, with the new id.
    """
    present = {test.id for test in after.tests}
    heirs = {
        was: frozenset({name})
        for was, name in (renamed or {}).items()
        if after.outcome_of(name) is Outcome.PASSED
    }
    missing = [
        test
        for test in before.tests
        if test.id not in present and test.id not in heirs and not _is_module(test, base, after)
    ]
    if not missing:
        return Gone(heirs=heirs)
    found = _Search.of(base, patched, set(paths), before, after).sort(missing)
    return attrs.evolve(found, heirs={**heirs, **found.heirs})


def _is_module(test: TestResult, base: Tree, after: TestReport) -> bool:
    """Return whether what B could not collect is a module that P collects, or a file without tests."""
    if test.outcome is not Outcome.ERROR:
        return False
    begins = (f"{test.id}::", f"{test.id}.")
    if any(other.id.startswith(begins) for other in after.tests):
        return True
    return test.id in base and not any(functions(base, test.id))


@attrs.frozen
class _Search:
    """Both reports by place, and the texts of the changed files."""

    patched: Tree
    old: _Texts
    new: _Texts
    at_after: Mapping[Place, Sequence[TestResult]]
    fresh: Mapping[Place, Sequence[TestResult]]
    """What only P has."""
    in_base: Callable[[str], Mapping[str, str]]
    """Path → the functions of a file of B, read once: one file can miss thousands of tests."""
    in_patched: Callable[[str], Mapping[str, str]]
    n_before: Mapping[str, int]
    """File → how many tests B reports of it."""
    n_after: Mapping[str, int]

    @classmethod
    def of(cls, base: Tree, patched: Tree, paths: set[str], before: TestReport, after: TestReport) -> _Search:
        known = {test.id for test in before.tests}
        in_base, in_patched = cache(partial(functions, base)), cache(partial(functions, patched))
        return cls(
            patched,
            {path: in_base(path) for path in paths},
            {path: in_patched(path) for path in paths},
            _by_place(after.tests),
            _by_place(test for test in after.tests if test.id not in known),
            in_base,
            in_patched,
            Counter(place(test)[0] for test in before.tests),
            Counter(place(test)[0] for test in after.tests),
        )

    def sort(self, missing: Iterable[TestResult]) -> Gone:
        hidden: set[str] = set()
        removed: set[str] = set()
        heirs: dict[str, frozenset[str]] = {}
        claimed: set[Place] = set()
        for where, tests in _by_place(missing).items():
            ids = {test.id for test in tests}
            found = self._heirs(where, claimed)
            if found is None or (self.new and 0 < len(found) < len(tests)):
                removed |= ids
            elif len(found) < len(tests):
                hidden |= ids - (self._made_up(where, tests) if not found else set())
            else:
                # Which one has become which is not known, so they are counted.
                if _n_passed(found) < _n_passed(tests):
                    hidden |= {test.id for test in tests if test.outcome is Outcome.PASSED}
                heirs |= dict.fromkeys(ids - hidden, frozenset(test.id for test in found))
        return Gone(frozenset(hidden), frozenset(removed), heirs)

    def _heirs(self, where: Place, claimed: set[Place]) -> Sequence[TestResult] | None:
        """Return what P collected in the place of a function's tests; None where their text is gone."""
        path, name = where
        # What could not be collected is named by its file alone.
        is_there = name in self.new[path] if path in self.new else bool({path, name} & self.patched.keys())
        if is_there:
            fresh = self.fresh.get(where, ())
            # Some of its rows are still there, and no other ones came.
            return fresh if fresh or where not in self.at_after or not self.new else None
        body = self.old.get(path, {}).get(name)
        places = [] if body is None else [p for p in self._added(body) if p not in claimed]
        collected = [(p, self._collected(p)) for p in places]
        # One new function can only be the new name of one old one.
        best, found = max(collected, key=lambda pair: len(pair[1]), default=(None, None))
        if best is not None:
            claimed.add(best)
        return found

    def _added(self, body: str) -> Iterator[Place]:
        for path, texts in sorted(self.new.items()):
            before = self.old[path]
            yield from ((path, n) for n, text in texts.items() if n and n not in before and text == body)

    def _collected(self, where: Place) -> Sequence[TestResult]:
        """Return the new tests of a function, or of classes that inherit it."""
        if where in self.fresh:
            return self.fresh[where]
        own = where[1].rpartition(".")[2]
        return [
            test
            for (path, name), tests in self.fresh.items()
            if name.rpartition(".")[2] == own and name not in self.in_patched(path)
            for test in tests
        ]

    def _made_up(self, where: Place, tests: Sequence[TestResult]) -> set[str]:
        """Return those that failed and whose name is made when they run, where as many others came."""
        path, name = where
        if path in self.new or name in self.in_base(path):
            return set()
        if self.n_after.get(path, 0) < self.n_before.get(path, 0):
            return set()
        return {test.id for test in tests if test.outcome is not Outcome.PASSED}


def _by_place(tests: Iterable[TestResult]) -> Mapping[Place, Sequence[TestResult]]:
    found: dict[Place, list[TestResult]] = defaultdict(list)
    for test in tests:
        found[place(test)].append(test)
    return dict(found)


def _n_passed(tests: Sequence[TestResult]) -> int:
    return sum(test.outcome is Outcome.PASSED for test in tests)
