"""The repair engine: finds the smallest edit that makes failing tests pass, without a model.

Only what `Verifier` calls `verified` is a repair; the batches before it merely choose what to verify.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Sequence

import attrs

from greenline.core.cancel import Cancellation
from greenline.core.edit import EditSet, FileChange, Hunk
from greenline.core.evidence import Evidence, Outcome, RunEnd, TestReport, Verdict
from greenline.core.port import Limits, Progress, Sandbox, Tree, Verifier, VerifyRequest
from greenline.repair.alike import Family, families
from greenline.repair.behind import on_base, with_edits
from greenline.repair.doubt import doubt, ties
from greenline.repair.fix import Fix, make_contents
from greenline.repair.localise import failing_tests, ochiai
from greenline.repair.search import SETTLE_S, Found, Search
from greenline.repair.trial import Bench, timing
from greenline.verify.path_rule import PathRule
from greenline.verify.python_project import detect
from greenline.verify.repeat import REPEATS

_MAX_VERIFIED = 3
"""How many of the best fixes may be put to the whole verification before the engine gives up."""
_MAX_ALTERNATIVES = 4
_MAX_COMPARED = 60
_SEARCH_BY = 0.68
"""The share of the budget after which the search ends."""
_HANG_S = 4.0
"""How much processor time a test may take before it is stopped, unless the suite's others take as long."""
_SLOW_S = 20.0
"""How long one that was stopped may take when it is asked again, if so much of the budget is left."""
_START_S = 4.0
"""What a run takes beside its tests, roughly."""
_CAUTION = 1.25
"""How many times what a verification is likely to take is kept for it."""
_LEAST = 0.25
"""The share of the budget that a search has, though the suite be so slow that the whole takes longer then."""
_VERIFY_BY = 0.85
"""The share of the budget after which no other fix is put to the whole verification."""
_TIMES = 8.0
"""How much longer than on the base a test may take in the verification."""

_QUICK_S = 1.0
"""A suite that takes no longer is run in its own order, whatever a candidate changes."""
_MAX_NEAR = 20

SplitHunks = Callable[[EditSet], tuple[Hunk, ...]]


@attrs.frozen
class Diagnosis:
    """What the base run says about where the fault is."""

    report: TestReport
    failing: tuple[str, ...]
    suspicion: dict[tuple[str, int], float]

    @property
    def n_witnesses(self) -> dict[tuple[str, int], int]:
        """Return (file, 1-based line) → how many tests execute it."""
        return _n_witnesses(self.report)

    @property
    def stopped(self) -> tuple[str, ...]:
        """Return the failing tests that were stopped at their limit: they hang, or are slow."""
        slow = {test.id for test in self.report.tests if test.timed_out}
        return tuple(test for test in self.failing if test in slow)

    @property
    def longest_s(self) -> float:
        """Return how long the longest test took that ended by itself."""
        return max((t.duration_s for t in self.report.tests if t.outcome is Outcome.PASSED), default=0.0)

    @property
    def verification_s(self) -> float:
        """Return what verifying a fix is likely to take: a run of the suite, and repeats of what it mends."""
        again = sum(test.duration_s for test in self.report.tests if test.id in self.failing)
        return self.report.duration_s + REPEATS * again + _START_S

    def near(self) -> dict[str, list[str]]:
        """Return `FILE:LINE` → some tests that execute a suspicious line; empty where the suite is quick."""
        if sum(test.duration_s for test in self.report.tests) < _QUICK_S:
            return {}
        found: dict[str, list[str]] = {}
        for test, files in self.report.coverage.items():
            for file, lines in files.items():
                for line in lines:
                    if (file, line) in self.suspicion:
                        tests = found.setdefault(f"{file}:{line}", [])
                        if len(tests) < _MAX_NEAR:
                            tests.append(test)
        return found

    def suspects(self, limit: int = 5) -> list[tuple[str, int, float]]:
        """Return the most suspicious lines: path, 1-based line, suspiciousness."""
        ranked = sorted(self.suspicion.items(), key=lambda item: (-item[1], item[0]))
        return [(file, line, score) for (file, line), score in ranked[:limit]]


@attrs.frozen
class RepairResult:
    """What a repair came to."""

    edit_set: EditSet | None
    evidence: Evidence | None
    n_tried: int
    note: str
    """What was done, or why nothing was found; one sentence."""
    alternatives: tuple[EditSet, ...] = ()
    """Other fixes that passed every test in the batches."""
    ties: tuple[EditSet, ...] = ()
    """Those of the alternatives that nothing makes less likely than the repair itself."""


@attrs.define
class _Case:
    """One repair: what it is about, and since when it runs."""

    root: str
    tree: Tree
    diagnosis: Diagnosis
    label: str
    cancellation: Cancellation
    progress: Progress
    started: float
    """On `time.monotonic`."""
    n_witnesses: dict[tuple[str, int], int]
    """(file, 1-based line of the base) → how many tests execute it, on the base or after a first edit."""
    paused_s: float = 0.0

    @property
    def spent_s(self) -> float:
        """Return what was used of the budget."""
        return time.monotonic() - self.started - self.paused_s

    def read(self, path: str) -> bytes:
        """Return a file of the base."""
        return self.tree[path].content


@attrs.frozen
class RepairEngine:
    """Blocking; may be called from several threads at once."""

    sandbox: Sandbox
    verifier: Verifier
    split: SplitHunks
    budget_s: float = 60.0
    limits: Limits = attrs.field(factory=Limits)
    is_refused: Callable[[EditSet], bool] = lambda _: False
    """Whether the user has rejected a change already: such a fix counts as none."""
    hold: Callable[[], None] = lambda: None
    """Stands still while the user has paused the run; asked between batches and before a verification."""

    def diagnose(
        self, root: str, tree: Tree, wanted: Sequence[str], label: str, cancellation: Cancellation
    ) -> Diagnosis:
        """Run the suite and localise the fault; `wanted` narrows the failing tests (ids or parts of ids)."""
        report = self.verifier.run_tests(root, tree, (), label, cancellation, self._limits(_HANG_S))
        failing = failing_tests(report)
        if wanted:
            failing = tuple(test for test in failing if any(_names(word, test) for word in wanted))
        rule = PathRule.of(tree, tree)
        return Diagnosis(report, failing, ochiai(report, failing, _mendable(rule)))

    def repair(
        self,
        root: str,
        tree: Tree,
        diagnosis: Diagnosis,
        label: str,
        cancellation: Cancellation,
        progress: Progress,
    ) -> RepairResult:
        """Search for a fix and verify it; raises `Cancelled`, `SandboxUnavailable`."""
        problem = _unservable(diagnosis)
        if problem:
            return RepairResult(None, None, 0, problem)
        # What the diagnosis took is part of the budget.
        started = time.monotonic() - diagnosis.report.duration_s
        case = _Case(root, tree, diagnosis, label, cancellation, progress, started, diagnosis.n_witnesses)
        bench = Bench(
            self.sandbox,
            root,
            tree,
            detect(tree),
            timing(diagnosis.report, diagnosis.failing, _HANG_S),
            near=diagnosis.near(),
            settle_s=SETTLE_S,
            label=label,
        )
        progress(f"searching from {len(diagnosis.suspicion)} suspicious lines")
        found = Search(
            bench,
            tree,
            diagnosis.suspicion,
            cancellation,
            progress,
            search_until(started, time.monotonic(), self.budget_s, diagnosis.verification_s),
            lambda fix: self.is_refused(_edit_set(root, tree, fix)),
            lambda: self._hold(case),
            lambda fix: self._behind(case, fix),
        ).run()
        if not found.fixes:
            return self._without(case, found)
        best = found.fixes[:_MAX_COMPARED]
        alike = families(best, case.read, [found.looks.get(fix) for fix in best])
        helpful = {fix.edits[0] for fix, _ in found.partial if len(fix.edits) == 1}
        reason = doubt(alike, case.n_witnesses, len(diagnosis.failing), helpful)
        if reason:
            note = f"No fix is proposed: {reason}; {found.n_tried} candidates were tried."
            return RepairResult(None, None, found.n_tried, note)
        test_s = max(_HANG_S, _TIMES * diagnosis.longest_s)
        return self._verified(case, alike, found.n_tried, test_s)

    def _behind(self, case: _Case, fix: Fix) -> dict[tuple[str, int], float]:
        """Return which lines of the base are suspicious once a fix of some tests, of one edit, is made."""
        tree = with_edits(case.tree, fix.edits)
        limits = self._limits(_HANG_S)
        report = self.verifier.run_tests(case.root, tree, (), case.label, case.cancellation, limits)
        failing = [test for test in failing_tests(report) if test in case.diagnosis.failing]
        for place, count in on_base(_n_witnesses(report), case.tree, fix.edits[0]).items():
            case.n_witnesses[place] = max(int(count), case.n_witnesses.get(place, 0))
        suspicion = ochiai(report, failing, _mendable(PathRule.of(tree, tree)))
        return on_base(suspicion, case.tree, fix.edits[0])

    def _without(self, case: _Case, found: Found) -> RepairResult:
        """Say that nothing was found, or what was where tests that were stopped are only slow."""
        tried = f"{found.n_tried} candidates were tried"
        none = RepairResult(None, None, found.n_tried, f"No fix was found; {tried}.")
        stopped = case.diagnosis.stopped
        if not stopped:
            return none
        case.progress(f"running {len(stopped)} tests again that were stopped")
        limit_s = min(_SLOW_S, max(2 * _HANG_S, self.budget_s - case.spent_s - _START_S))
        report = self.verifier.run_tests(
            case.root, case.tree, stopped, case.label, case.cancellation, self._limits(limit_s)
        )
        slow = {test.id for test in report.tests if test.outcome is Outcome.PASSED}
        left = set(case.diagnosis.failing) - slow
        names = ", ".join(sorted(slow))
        if slow and not left:
            limit = f"{_HANG_S:g} s of processor time"
            note = f"{names} took more than {limit}, and passes with more; nothing is to repair."
            return RepairResult(None, None, found.n_tried, note)
        fixes = [fix for fix, passed in found.partial if slow and passed >= left]
        if not fixes:
            return none
        return self._verified(case, families(fixes, case.read, [None] * len(fixes)), found.n_tried, _SLOW_S)

    def _verified(self, case: _Case, found: Sequence[Family], n_tried: int, test_s: float) -> RepairResult:
        """Put the best fixes to the whole verification; the first that is verified is the repair."""
        tried = f"{n_tried} candidates were tried"
        edits = [_edit_set(case.root, case.tree, family.best) for family in found]
        limits = self._limits(test_s)
        for place, (family, edit_set) in enumerate(list(zip(found, edits, strict=True))[:_MAX_VERIFIED]):
            if place and case.spent_s > _VERIFY_BY * self.budget_s:
                break
            self._hold(case)
            case.progress("verifying a fix with the whole suite")
            request = VerifyRequest(
                case.root, case.tree, edit_set, self.split(edit_set), label=case.label, limits=limits
            )
            evidence = self.verifier.verify(request, case.cancellation, case.progress)
            if evidence.verdict is Verdict.VERIFIED:
                others = tuple(other for other in edits if other != edit_set)[:_MAX_ALTERNATIVES]
                kinds = " and ".join(dict.fromkeys(edit.operator for edit in family.best.edits))
                note = f"Changed: {kinds}. {tried}{_more(found)}."
                tied = ties(found) if family is found[0] else ()
                alike = tuple(_edit_set(case.root, case.tree, fix) for fix in tied)
                return RepairResult(edit_set, evidence, n_tried, note, others, alike)
        note = f"{len(edits)} candidates passed in the search, none was verified; {tried}."
        return RepairResult(None, None, n_tried, note)

    def _hold(self, case: _Case) -> None:
        """Stand still while the user has paused the run."""
        began = time.monotonic()
        self.hold()
        case.paused_s += time.monotonic() - began

    def _limits(self, test_s: float) -> Limits:
        return attrs.evolve(self.limits, test_s=test_s)


def search_until(started: float, now: float, budget_s: float, verification_s: float) -> float:
    """Return when a search is to end, so that a budget from `started` on is enough for a verification."""
    wanted_s = min(_SEARCH_BY * budget_s, budget_s - _CAUTION * verification_s)
    return max(started + wanted_s, now + _LEAST * budget_s)


def _mendable(rule: PathRule) -> Callable[[str], bool]:
    """Return whether the operators can edit a file: they know Python alone, and never touch a test."""
    return lambda path: path.endswith(".py") and rule.is_product(path)


def _n_witnesses(report: TestReport) -> dict[tuple[str, int], int]:
    counts: Counter[tuple[str, int]] = Counter()
    for files in report.coverage.values():
        counts.update((file, line) for file, lines in files.items() for line in lines)
    return counts


def _more(found: Sequence[Family]) -> str:
    n_same = len(found[0].fixes) - 1
    same = f"; {n_same} other edits come to the same" if n_same else ""
    return same + (f"; {len(found) - 1} that differ pass every test too" if len(found) > 1 else "")


def _edit_set(root: str, tree: Tree, fix: Fix) -> EditSet:
    contents = make_contents(lambda path: tree[path].content, fix.edits)
    return EditSet(
        tuple(
            FileChange(f"{root}/{path}", tree[path].content, content)
            for path, content in sorted(contents.items())
        )
    )


def _names(word: str, test: str) -> bool:
    """Return whether a word of the request names a test: its id, a part of the id, or the function."""
    return word == test or test.startswith((f"{word}::", f"{word}[")) or word in _parts(test)


def _parts(test: str) -> set[str]:
    bare = test.split("[")[0]
    return {*bare.split("::"), *bare.split("."), *bare.split("/")}


def _unservable(diagnosis: Diagnosis) -> str:
    report = diagnosis.report
    if report.end is not RunEnd.COMPLETE and not report.tests:
        return f"The tests could not be run ({report.end.value}): {report.detail}"
    if not report.tests:
        return "The project has no tests, so there is nothing to repair by."
    if not diagnosis.failing:
        if len(report.tests) == 1:
            return f"{report.tests[0].id} passes; there is nothing to repair."
        return f"All {len(report.tests)} tests that were asked for pass; there is nothing to repair."
    if not diagnosis.suspicion:
        return _unlocalised(report, diagnosis.failing)
    return ""


def _unlocalised(report: TestReport, failing: Sequence[str]) -> str:
    """Say why no line can be suspected; a file that cannot be imported is the usual reason."""
    files = {test.file for test in report.tests if test.id in failing and test.file is not None}
    if files and not any(file.endswith(".py") for file in files):
        return (
            f"{failing[0]} fails, and the repair engine mends Python alone; a model can mend other languages."
        )
    broken = [test for test in report.tests if test.outcome is Outcome.ERROR and test.id in failing]
    lines = [line for test in broken[:1] for line in test.message.splitlines() if line.strip()]
    if lines:
        return f"{broken[0].id} ends before it executes product code: {lines[-1].removeprefix('E').strip()}"
    return "No product code is executed by the failing tests, so the fault cannot be localised."
