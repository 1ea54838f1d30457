"""Which tests a patch leaves as they are, and which mutants of the product to ask them about; pure.

Few are asked, spread over the product's functions and over the tests: first those that the patch's own tests
and configuration name, then those that few tests execute, since these are the likeliest to be looked at.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import TypeVar

import attrs

from greenline.core.evidence import Outcome, TestReport
from greenline.core.port import Tree
from greenline.mutation.probe import A_FUNCTION, Place, Probe, places, probes
from greenline.mutation.source import Source
from greenline.verify.test_function import place as place_of

_TESTS = 200
_FILES = 30
_FUNCTIONS = 40
_ASKED = 150
"""How many pairs of a test and a function are asked about."""
_OF_ADDED = 10
"""How many mutants of a function a test is asked about that got further assertions."""
_A_RUN_S = 0.04
"""What a test's run in a process of its own takes beside the test."""
_WORD = re.compile(r"\w+")
_PASSES = (Outcome.PASSED, Outcome.XPASSED)

T = TypeVar("T")
Spot = tuple[str, Place]
"""A function of a product file."""


@attrs.frozen
class Sides:
    """The two sides of one verification's tests over the same product code."""

    old: TestReport
    """O: the base's tests over the patched product, with coverage."""
    new: TestReport
    """P."""
    old_tree: Tree
    new_tree: Tree
    is_product: Callable[[str], bool]
    rewritten: Collection[str]
    """Ids in P of tests whose own text is another one."""
    loosened: Collection[str] = ()
    """Ids in P of tests that may say less."""

    def steady(self) -> tuple[str, ...]:
        """Return the tests that pass on both sides and say what they said, in their order.

        One that only got further assertions is among them: what these call may take away what it looks at.
        """
        rewritten = frozenset(self.rewritten) & frozenset(self.loosened)
        return tuple(
            test.id
            for test in self.old.tests
            if test.outcome is Outcome.PASSED
            and test.id not in rewritten
            and self.new.outcome_of(test.id) in _PASSES
        )

    def added_to(self) -> frozenset[str]:
        """Return those of the steady tests that got further assertions."""
        return frozenset(self.steady()) & frozenset(self.rewritten)

    def own(self) -> tuple[str, ...]:
        """Return the tests of the new side that the old one has not, or has otherwise."""
        rewritten = frozenset(self.rewritten)
        return tuple(t.id for t in self.new.tests if t.id in rewritten or self.old.outcome_of(t.id) is None)

    def touched(self) -> frozenset[str]:
        """Return the files that differ."""
        paths = {*self.old_tree, *self.new_tree}
        return frozenset(p for p in paths if self.old_tree.get(p) != self.new_tree.get(p))

    def named(self) -> frozenset[str]:
        """Return the words that the new side's files have and the old side's have not."""
        found: set[str] = set()
        for path in self.touched():
            texts = (tree[path].content if path in tree else b"" for tree in (self.old_tree, self.new_tree))
            before, after = (set(_WORD.findall(text.decode("utf-8", "replace"))) for text in texts)
            found |= after - before
        return frozenset(found)


@attrs.frozen
class Asked:
    """The mutants, and which tests are asked about each."""

    probes: tuple[Probe, ...] = ()
    spots: tuple[Spot, ...] = ()
    """The function of each probe."""
    tests: Mapping[str, tuple[int, ...]] = attrs.field(factory=dict)
    """Test → places of probes."""


def asked_of(sides: Sides, budget_s: float) -> Asked:
    """Return what steady tests are asked; to run it all takes about the budget."""
    tests = _sample(sides.steady(), sides)
    lines = _lines(tests, sides)
    functions = _functions(lines, sides)
    added_to = sides.added_to()
    mutants = _mutants(functions, lines, sides, _OF_ADDED if added_to else A_FUNCTION)
    functions = {spot: found for spot, found in functions.items() if spot in mutants}
    seconds = {test.id: test.duration_s for test in sides.old.tests}
    kept: list[Probe] = []
    spots: list[Spot] = []
    numbers: dict[Probe, int] = {}
    asked: dict[str, list[int]] = {}
    first = [(test, spot) for spot, found in functions.items() for test in found if test in added_to]
    for test, spot in dict.fromkeys((*first, *_pairs(tests, functions))):
        executed = lines[test][spot[0]]
        made = mutants[spot][: _OF_ADDED if test in added_to else A_FUNCTION]
        chosen = [probe for probe in made if not probe.lines.isdisjoint(executed)]
        budget_s -= (len(chosen) + 1) * (_A_RUN_S + seconds[test])
        if budget_s < 0:
            break
        for probe in chosen:
            if probe not in numbers:
                numbers[probe] = len(kept)
                kept.append(probe)
                spots.append(spot)
            asked.setdefault(test, []).append(numbers[probe])
    return Asked(tuple(kept), tuple(spots), {test: tuple(found) for test, found in asked.items()})


def _sample(tests: Sequence[str], sides: Sides) -> tuple[str, ...]:
    """Return some tests: first those in files that the patch touches, then of each file and class in turn."""
    results = {test.id: test for test in sides.old.tests}
    touched = sides.touched()
    groups: dict[tuple[bool, str], list[str]] = {}
    for test in tests:
        path, name = place_of(results[test])
        groups.setdefault((path not in touched, f"{path} {name.rpartition('.')[0]}"), []).append(test)
    near = [found for (is_far, _), found in groups.items() if not is_far]
    far = [found for (is_far, _), found in groups.items() if is_far]
    return (*_in_turn(near), *_in_turn(far))[:_TESTS]


def _lines(tests: Sequence[str], sides: Sides) -> dict[str, dict[str, Sequence[int]]]:
    """Return each test's executed lines of Python's product files."""
    found: dict[str, dict[str, Sequence[int]]] = {}
    for test in tests:
        files = sides.old.coverage.get(test, {})
        own = {p: n for p, n in files.items() if p.endswith(".py") and sides.is_product(p) and n}
        found[test] = {p: lines for p, lines in own.items() if p in sides.old_tree}
    return found


def _functions(lines: Mapping[str, Mapping[str, Sequence[int]]], sides: Sides) -> dict[Spot, list[str]]:
    """Return the functions, the likeliest to be looked at first, and the tests that execute each."""
    by_file: dict[str, list[str]] = {}
    for test, files in lines.items():
        for path in files:
            by_file.setdefault(path, []).append(test)
    named = sides.named()

    def rank(path: str) -> tuple[bool, int, str]:
        return path.rpartition("/")[2][:-3] not in named, len(by_file[path]), path

    groups: list[list[tuple[Spot, list[str]]]] = []
    for path in sorted(by_file, key=rank)[:_FILES]:
        source = _source(path, sides.old_tree)
        spots = [(path, place) for place in places(source)] if source is not None else []
        found = [(spot, [t for t in by_file[path] if spot[1].within(lines[t][path])]) for spot in spots]
        groups.append([(spot, tests) for spot, tests in found if tests])
    hinted = [[item for item in group if item[0][1].name in named] for group in groups]
    others = [
        sorted((item for item in group if item[0][1].name not in named), key=lambda item: len(item[1]))
        for group in groups
    ]
    return dict((*_in_turn(hinted), *_in_turn(others)))


def _mutants(
    functions: Collection[Spot], lines: Mapping[str, Mapping[str, Sequence[int]]], sides: Sides, most: int
) -> dict[Spot, tuple[Probe, ...]]:
    """Return the mutants of the first functions that have some, at most so many of each."""
    chosen: dict[str, list[Place]] = {}
    for path, place in list(functions)[:_FUNCTIONS]:
        chosen.setdefault(path, []).append(place)
    found: dict[Spot, tuple[Probe, ...]] = {}
    for path, places_in in chosen.items():
        executed = {line for files in lines.values() for line in files.get(path, ())}
        source = _source(path, sides.old_tree)
        assert source is not None
        ordered = sorted(executed)
        wanted = {line for place in places_in for line in place.within(ordered)}
        made = probes(source, wanted, most)
        found |= {(path, place): own for place, own in made.items() if place in places_in}
    return found


def _pairs(tests: Sequence[str], functions: Mapping[Spot, Sequence[str]]) -> Iterator[tuple[str, Spot]]:
    """Yield some pairs of a test and a function: of each function, then of each test, then more of both.

    A test that executes few functions is the likeliest to notice one of them.
    """
    n_functions: dict[str, int] = dict.fromkeys(tests, 0)
    for found in functions.values():
        for test in found:
            n_functions[test] += 1
    by_spot = {spot: sorted(found, key=n_functions.__getitem__) for spot, found in functions.items()}
    by_test: dict[str, list[Spot]] = {test: [] for test in tests}
    for spot in sorted(functions, key=lambda spot: len(functions[spot])):
        for test in functions[spot]:
            by_test[test].append(spot)
    first = [(found[0], spot) for spot, found in by_spot.items()]
    own = [(test, spots[0]) for test, spots in by_test.items() if spots]
    rest = [[(test, spot) for spot in spots[1:4]] for test, spots in by_test.items()]
    yield from list(dict.fromkeys((*first, *own, *_in_turn(rest))))[:_ASKED]


def _source(path: str, tree: Tree) -> Source | None:
    file = tree.get(path)
    try:
        return Source(path, file.content) if file is not None and file.link is None else None
    except (SyntaxError, ValueError, RecursionError):
        return None


def _in_turn(groups: Iterable[Sequence[T]]) -> Iterator[T]:
    groups = list(groups)
    for rank in range(max(map(len, groups), default=0)):
        yield from (group[rank] for group in groups if rank < len(group))
