"""Tests that a patch leaves as they are, or adds to, and that notice nothing any more for what it puts there.

A `conftest.py`, a method of a test class, another test, a further assertion or a variable can replace what
old tests call, what they look at, or what lets them fail; how that is written is endless, but what a test
notices can be measured. Mutants of product functions are made, and each is shown to the same test twice:
among the base's tests and configuration, and among the patch's. A test that notices it on the first side
alone is deaf.

Forks of one process a side only say where to look. Nothing is said of a test that did not fail and pass so
in runs of its own as well, of the whole suite where that is short, and twice on each side.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping, Sequence, Set
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import attrs

from greenline.core.error import SandboxUnavailable
from greenline.core.evidence import Evidence, Outcome, RunEnd, TestReport, Verdict
from greenline.core.port import Limits, Progress, SandboxRequest, StagedFile, Tree
from greenline.mutation.probe import Probe
from greenline.verify.further import Ground
from greenline.verify.runs import RUNNER_FOLDER
from greenline.verify.steady import Asked, Sides, Spot, asked_of
from greenline.verify.tree import mix, without_bytecode

_LEAST_S, _MOST_S = 5.0, 30.0
"""How long the forks are to take; between these, a share of what the runs took."""
_SHARE = 0.25
_BUSY = 4.0
"""How many times as long they may take on a busy machine."""
_START_S = 20.0
"""What a container's start and the collection may take besides, on a busy machine."""
_WHOLE_S = 20.0
"""How long a suite may take for all of it to be run once more."""
_CONFIRMED = 3
"""How many mutants are tried in runs of their own."""
_REPEATS = 2
_TEST_S = 2.0
_NAMED = 3
_FILE = ".greenline-candidates.json"
_CONTROL = -1
_BROKEN = (Outcome.FAILED, Outcome.ERROR)
_SILENT = (Outcome.PASSED, Outcome.XPASSED, Outcome.SKIPPED, Outcome.XFAILED)

Answers = Mapping[tuple[str, int], str]
"""(Test, number of the mutant) → how the test ended."""


@attrs.frozen
class Suspect:
    """A mutant that some tests seem to have become deaf to."""

    probe: Probe
    tests: tuple[str, ...]


def with_deaf(evidence: Evidence, ground: Ground, progress: Progress) -> Evidence:
    """Return the evidence, `notCovered` where steady tests have become deaf; raises `Cancelled` only.

    Nothing is asked where the patch touches no test, the verdict is another one, or no Python runs.
    """
    old, new = evidence.old_tests, evidence.patched
    if evidence.verdict is not Verdict.VERIFIED or old is None or new is None or not _runner(ground):
        return evidence
    request = ground.request
    sides = Sides(
        old,
        new,
        mix(request.root, request.base, request.edit_set, ground.rule.is_product),
        ground.patched,
        ground.rule.is_product,
        ground.change.rewritten,
        ground.change.loosened,
    )
    budget_s = min(_MOST_S, max(_LEAST_S, _SHARE * (old.duration_s + new.duration_s)))
    try:
        found = _Inquiry(ground, sides, budget_s, progress).find()
    except SandboxUnavailable:
        # What could not be measured says nothing.
        return evidence
    if found is None:
        return evidence
    return attrs.evolve(evidence, verdict=Verdict.NOT_COVERED, reason="testsSilenced", detail=words(found))


def words(found: Suspect) -> str:
    """Return what is said of deaf tests."""
    more = f" and {len(found.tests) - _NAMED} more" if len(found.tests) > _NAMED else ""
    names = ", ".join(found.tests[:_NAMED]) + more
    verb = "notices" if len(found.tests) == 1 else "notice"
    where = f"{found.probe.path}:{found.probe.line}"
    return f"With the patch's tests and configuration {names} no longer {verb} a change of {where}."


def suspects(
    asked: Asked, old: Answers, new: Answers, added_to: Set[str] = frozenset()
) -> tuple[Suspect, ...]:
    """Return the mutants that tests notice on the old side alone, those of most tests first.

    Another value in the place of what a function returns is enough by itself; of smaller changes a test must
    miss all of a function's that it asserted, or else all that it noticed: a clock that stands still, say,
    hides one of them and no function. Of a test that got further assertions (`added_to`) any is enough: it is
    to notice what it did, and more.
    """
    found: dict[int, list[str]] = {}
    for test, numbers in asked.tests.items():
        if old.get((test, _CONTROL)) != "passed":
            continue
        by_spot: dict[Spot, list[int]] = {}
        for number in numbers:
            by_spot.setdefault(asked.spots[number], []).append(number)
        for own in by_spot.values():
            noticed = [n for n in own if old.get((test, n)) in ("failed", "error") and (test, n) in new]
            silent = [n for n in noticed if new[test, n] in _SILENT]
            coarse = [n for n in silent if asked.probes[n].is_coarse]
            asserted = [n for n in noticed if old[test, n] == "failed"] or noticed
            missed = [n for n in asserted if n in silent]
            if coarse or (missed and (test in added_to or len(missed) == len(asserted))):
                found.setdefault((coarse or missed)[0], []).append(test)
    ranked = sorted(found.items(), key=lambda item: -len(item[1]))
    return tuple(Suspect(asked.probes[number], tuple(tests)) for number, tests in ranked)


def deaf(tests: Sequence[str], old: Sequence[TestReport], new: Sequence[TestReport]) -> tuple[str, ...]:
    """Return the tests that fail in each run of the old side with a mutant, and in none of the new."""
    if any(report.end is not RunEnd.COMPLETE for report in (*old, *new)):
        return ()
    timed_out = {test.id for report in old for test in report.tests if test.timed_out}
    return tuple(
        test
        for test in tests
        if test not in timed_out
        and all(report.outcome_of(test) in _BROKEN for report in old)
        and all(report.outcome_of(test) in _SILENT for report in new)
    )


def _runner(ground: Ground) -> str:
    return next((p.runner for p in ground.suite.projects if p.kind == "python" and not p.problem), "")


@attrs.frozen
class _Inquiry:
    ground: Ground
    sides: Sides
    budget_s: float
    progress: Progress

    def find(self) -> Suspect | None:
        """Return the first mutant that tests are deaf to; raises `SandboxUnavailable`, `Cancelled`."""
        asked = asked_of(self.sides, self.budget_s)
        if not asked.tests:
            return None
        self.progress("Asking whether tests that stay as they are still notice changes.")
        with self._pool() as pool:
            trees = (self.sides.old_tree, self.sides.new_tree)
            old, new = pool.map(lambda tree: self._ask(asked, tree), trees)
        for suspect in suspects(asked, old, new, self.sides.added_to())[:_CONFIRMED]:
            tests = self._confirmed(suspect)
            if tests:
                return Suspect(suspect.probe, tests)
        return None

    def _pool(self) -> ThreadPoolExecutor:
        return ThreadPoolExecutor(self.ground.n_parallel, thread_name_prefix="verify")

    def _ask(self, asked: Asked, tree: Tree) -> Answers:
        """Go through one side's tests in one container."""
        suite = self.ground.suite
        # What was not asked when the time is over is not asked at all, so the container need not last longer.
        limits = attrs.evolve(suite.limits, wall_s=_BUSY * self.budget_s + _START_S)
        request = SandboxRequest(
            root=suite.root,
            tree={**without_bytecode(tree), _FILE: StagedFile(json.dumps(self._work(asked)).encode())},
            command=("{python}", f"{RUNNER_FOLDER}/batch.py", _FILE),
            reporter=("{python}", "-I", "-S", f"{RUNNER_FOLDER}/reporter.py"),
            environment={"PYTHONHASHSEED": "0", "GREENLINE_REPORT": "/run/greenline/report"},
            limits=limits,
            label=suite.label,
            waiting=suite.waiting,
        )
        return read_answers(suite.sandbox.run(request, suite.cancellation).report)

    def _work(self, asked: Asked) -> dict[str, Any]:
        limits = {
            test.id: 0.5 + 5 * test.duration_s for test in (*self.sides.new.tests, *self.sides.old.tests)
        }
        wanted = {*asked.tests, *self.sides.own()}
        longest_s = max((limits[test] for test in wanted), default=0.5)
        return {
            "runner": _runner(self.ground),
            "candidates": [[_edit(edit) for edit in probe.edits] for probe in asked.probes],
            "asked": asked.tests,
            "own": list(self.sides.own()),
            "limits": {test: round(limits[test], 3) for test in wanted},
            "limitS": 0.5,
            "testS": max(2.0, 2 * longest_s),
            "timeoutS": max(4.0, 3 * longest_s),
            "wallS": _BUSY * self.budget_s,
        }

    def _confirmed(self, suspect: Suspect) -> tuple[str, ...]:
        """Return the tests that are deaf to a mutant in runs of their own."""
        tests, old, new = suspect.tests, [], []
        for _ in range(_REPEATS):
            with self._pool() as pool:
                trees = (self.sides.old_tree, self.sides.new_tree)
                pair = list(pool.map(lambda tree: self._run(suspect, tree), trees))
            old.append(pair[0])
            new.append(pair[1])
            tests = deaf(tests, old, new)
            if not tests:
                break
        return tests

    def _run(self, suspect: Suspect, tree: Tree) -> TestReport:
        path = suspect.probe.path
        mutant = attrs.evolve(tree[path], content=suspect.probe.applied(tree[path].content))
        wanted: tuple[str, ...] = ()
        if self.sides.new.duration_s > _WHOLE_S:
            near = {*self.sides.own(), *suspect.tests}
            wanted = tuple(test.id for test in self.sides.new.tests if test.id in near)
        suite = attrs.evolve(self.ground.suite, limits=self._limits())
        return suite.run({**tree, path: mutant}, wanted, coverage=False)

    def _limits(self) -> Limits:
        """Return limits of a run in which any test may not end: a mutant can be in the way of all of them."""
        limits, (old, new) = self.ground.suite.limits, (self.sides.old, self.sides.new)
        longest_s = max((test.duration_s for test in (*old.tests, *new.tests)), default=0.0)
        test_s = max(_TEST_S, 5 * longest_s)
        return attrs.evolve(
            limits,
            wall_s=min(limits.wall_s, _START_S + _BUSY * max(old.duration_s, new.duration_s, 2 * test_s)),
            test_s=test_s if limits.test_s is None else min(limits.test_s, test_s),
        )


def _edit(edit: Any) -> tuple[str, int, int, str]:
    return edit.path, edit.start, edit.end, base64.b64encode(edit.replacement).decode()


def read_answers(report: bytes) -> Answers:
    """Return what a container said; a line that cannot be read says nothing.

    A test that is told twice of one mutant said nothing: the project's code can write lines of its own.
    """
    found: dict[tuple[str, int], str] = {}
    twice: set[tuple[str, int]] = set()
    for line in report.splitlines():
        try:
            record = json.loads(line)
            if record["kind"] != "notice":
                continue
            key = str(record["test"]), int(record["index"])
            outcome = str(record["outcome"])
        except (ValueError, LookupError, TypeError, AttributeError, OverflowError, RecursionError):
            continue
        if key in found:
            twice.add(key)
        found[key] = outcome
    return {key: outcome for key, outcome in found.items() if key not in twice}
