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
from greenline.core.evidence import Evidence, RunEnd, TestReport, Verdict
from greenline.core.port import Limits, Progress, Sandbox, Tree, Verifier, VerifyRequest
from greenline.repair.alike import Family, families
from greenline.repair.doubt import doubt, ties
from greenline.repair.localise import failing_tests, ochiai
from greenline.repair.search import SETTLE_S, Fix, Found, Search, make_contents
from greenline.repair.trial import Bench, Look, timing
from greenline.verify.detection import detect
from greenline.verify.path_rule import PathRule

_MAX_VERIFIED = 3
"""How many of the best fixes may be put to the whole verification before the engine gives up."""
_MAX_ALTERNATIVES = 4
_MAX_LOOKED_AT = 40
_LOOK_S = 8.0
_LOOK_BY = 0.75
"""The share of the budget after which there is no time left to look."""
_HANG_S = 4.0
"""How long a test may take before it counts as one that does not end."""

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
        counts: Counter[tuple[str, int]] = Counter()
        for files in self.report.coverage.values():
            counts.update((file, line) for file, lines in files.items() for line in lines)
        return counts

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


@attrs.frozen
class RepairEngine:
    """Blocking; may be called from several threads at once."""

    sandbox: Sandbox
    verifier: Verifier
    split: SplitHunks
    budget_s: float = 60.0
    limits: Limits = attrs.field(factory=Limits)

    def diagnose(
        self, root: str, tree: Tree, wanted: Sequence[str], label: str, cancellation: Cancellation
    ) -> Diagnosis:
        """Run the suite and localise the fault; `wanted` narrows the failing tests (ids or parts of ids)."""
        report = self.verifier.run_tests(root, tree, (), label, cancellation, self._limits(_HANG_S))
        failing = failing_tests(report)
        if wanted:
            failing = tuple(test for test in failing if any(_names(word, test) for word in wanted))
        rule = PathRule.of(tree, tree)
        return Diagnosis(report, failing, ochiai(report, failing, rule.is_product))

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
        started = time.monotonic()
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
        search = Search(
            bench, tree, diagnosis.suspicion, cancellation, progress, started + 0.8 * self.budget_s
        )
        found = search.run()
        if not found.fixes:
            return RepairResult(
                None, None, found.n_tried, f"No fix was found; {found.n_tried} candidates were tried."
            )
        alike = self._families(bench, tree, found, cancellation, progress, started)
        reason = doubt(alike, diagnosis.n_witnesses)
        if reason:
            note = f"No fix is proposed: {reason}; {found.n_tried} candidates were tried."
            return RepairResult(None, None, found.n_tried, note)
        return self._verified(root, tree, alike, found.n_tried, label, cancellation, progress)

    def _families(
        self,
        bench: Bench,
        tree: Tree,
        found: Found,
        cancellation: Cancellation,
        progress: Progress,
        started: float,
    ) -> tuple[Family, ...]:
        """Return the fixes in families; what they do near the tests is looked at while there is time."""
        fixes = found.fixes[:_MAX_LOOKED_AT]
        looks: list[Look | None] = [None] * len(fixes)
        left_s = started + _LOOK_BY * self.budget_s - time.monotonic()
        if len(fixes) > 1 and left_s > 0:
            progress(f"comparing {len(fixes)} fixes")
            looks = bench.look([fix.edits for fix in fixes], min(_LOOK_S, left_s), cancellation)
        return families(fixes, lambda path: tree[path].content, looks)

    def _verified(
        self,
        root: str,
        tree: Tree,
        found: Sequence[Family],
        n_tried: int,
        label: str,
        cancellation: Cancellation,
        progress: Progress,
    ) -> RepairResult:
        """Put the best fixes to the whole verification; the first that is verified is the repair."""
        tried = f"{n_tried} candidates were tried"
        edits = [_edit_set(root, tree, family.best) for family in found]
        for family, edit_set in list(zip(found, edits, strict=True))[:_MAX_VERIFIED]:
            progress("verifying a fix with the whole suite")
            request = VerifyRequest(
                root, tree, edit_set, self.split(edit_set), label=label, limits=self._limits(_HANG_S)
            )
            evidence = self.verifier.verify(request, cancellation, progress)
            if evidence.verdict is Verdict.VERIFIED:
                others = tuple(other for other in edits if other != edit_set)[:_MAX_ALTERNATIVES]
                kinds = " and ".join(dict.fromkeys(edit.operator for edit in family.best.edits))
                note = f"Changed: {kinds}. {tried}{_more(found)}."
                alike = [_edit_set(root, tree, fix) for fix in ties(found)] if family is found[0] else []
                return RepairResult(edit_set, evidence, n_tried, note, others, tuple(alike))
        note = f"{len(edits)} candidates passed in the search, none was verified; {tried}."
        return RepairResult(None, None, n_tried, note)

    def _limits(self, test_s: float) -> Limits:
        return attrs.evolve(self.limits, test_s=test_s)


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
        return f"All {len(report.tests)} tests that were asked for pass; there is nothing to repair."
    if not diagnosis.suspicion:
        return "No product code is executed by the failing tests, so the fault cannot be localised."
    return ""
