"""The repair engine: finds the smallest edit that makes failing tests pass, without a model.

Only what `Verifier` calls `verified` is a repair; the batches before it merely choose what to verify.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

import attrs

from greenline.core.cancel import Cancellation
from greenline.core.edit import EditSet, FileChange, Hunk
from greenline.core.evidence import Evidence, Outcome, Verdict
from greenline.core.port import Limits, Progress, Sandbox, Tree, Verifier, VerifyRequest
from greenline.repair.alike import Family, families, homes
from greenline.repair.behind import on_base, with_edits
from greenline.repair.diagnosis import START_S, Diagnosis, count_witnesses, is_wanted, unimportable
from greenline.repair.doubt import doubt, ties
from greenline.repair.fix import Fix, described, make_contents
from greenline.repair.localise import failing_tests, ochiai
from greenline.repair.search import SETTLE_S, Found, Search
from greenline.repair.trial import Bench, timing
from greenline.repair.weigh import weighed
from greenline.verify.path_rule import PathRule
from greenline.verify.python_project import detect

_MAX_VERIFIED = 3
"""How many of the best fixes may be put to the whole verification before the engine gives up."""
_MAX_ALTERNATIVES = 4
_WORTH = 0.3
"""The share of a fix's score from which on another is shown beside it; all are counted."""
_MAX_NAMED = 3
_MAX_COMPARED = 60
_SEARCH_BY = 0.68
"""The share of the budget after which the search ends."""
_HANG_S = 4.0
"""How much processor time a test may take before it is stopped, unless the suite's others take as long."""
_SLOW_S = 20.0
"""How long one that was stopped may take when it is asked again, if so much of the budget is left."""
_CAUTION = 1.25
"""How many times what a verification is likely to take is kept for it."""
_LEAST = 0.25
"""The share of the budget that a search has, though the suite be so slow that the whole takes longer then."""
_VERIFY_BY = 0.85
"""The share of the budget after which no other fix is put to the whole verification."""
_TIMES = 8.0
"""How much longer than on the base a test may take in the verification."""

SplitHunks = Callable[[EditSet], tuple[Hunk, ...]]


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
        failing = tuple(test for test in failing_tests(report) if is_wanted(test, wanted))
        left = unimportable(report)
        suspicion = ochiai(report, failing, _mendable(PathRule.of(tree, tree)))
        return Diagnosis(report, failing, suspicion, tuple(wanted), root, left)

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
        problem = diagnosis.problem()
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
        alike = weighed(families(best, case.read, [found.looks.get(fix) for fix in best]), case.read)
        helpful = {fix.edits[0] for fix, _ in found.partial if len(fix.edits) == 1}
        n_failing, n_homes = len(diagnosis.failing), homes(alike[0], case.read)
        reason = doubt(alike, case.n_witnesses, n_failing, helpful, n_homes)
        if reason:
            shown = "; ".join(described(tree, family.best) for family in alike[:_MAX_NAMED])
            note = f"No fix is proposed: {reason}; {found.n_tried} candidates were tried. Likeliest: {shown}."
            note += _refused(found)
            return RepairResult(None, None, found.n_tried, note)
        test_s = max(_HANG_S, _TIMES * diagnosis.longest_s)
        return self._verified(case, alike, found.n_tried, test_s, diagnosis.failing)

    def _behind(self, case: _Case, fix: Fix) -> dict[tuple[str, int], float]:
        """Return which lines of the base are suspicious once a fix of some tests, of one edit, is made."""
        tree = with_edits(case.tree, fix.edits)
        limits = self._limits(_HANG_S)
        report = self.verifier.run_tests(case.root, tree, (), case.label, case.cancellation, limits)
        failing = [test for test in failing_tests(report) if test in case.diagnosis.failing]
        for place, count in on_base(count_witnesses(report), case.tree, fix.edits[0]).items():
            case.n_witnesses[place] = max(int(count), case.n_witnesses.get(place, 0))
        suspicion = ochiai(report, failing, _mendable(PathRule.of(tree, tree)))
        return on_base(suspicion, case.tree, fix.edits[0])

    def _without(self, case: _Case, found: Found) -> RepairResult:
        """Say that nothing was found, or what was where tests that were stopped are only slow."""
        tried = f"{found.n_tried} candidates were tried"
        if found.n_tried < found.n_candidates:
            tried = f"{found.n_tried} of {found.n_candidates} candidates were tried in the time that it has"
        hint = _part(found, case.diagnosis)
        none = RepairResult(None, None, found.n_tried, f"No fix was found; {tried}.{_refused(found)}{hint}")
        stopped = case.diagnosis.stopped
        if not stopped:
            return none
        case.progress(f"running {len(stopped)} tests again that were stopped")
        limit_s = min(_SLOW_S, max(2 * _HANG_S, self.budget_s - case.spent_s - START_S))
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
        alike = families(fixes, case.read, [None] * len(fixes))
        return self._verified(case, alike, found.n_tried, _SLOW_S, tuple(sorted(left)))

    def _verified(
        self, case: _Case, found: Sequence[Family], n_tried: int, test_s: float, checks: tuple[str, ...]
    ) -> RepairResult:
        """Put the best fixes to the whole verification; the first that is verified is the repair.

        `checks` are the tests that must pass: that they did in the batches is no evidence.
        """
        tried = f"{n_tried} candidates were tried"
        edits = [_edit_set(case.root, case.tree, family.best) for family in found]
        limits = self._limits(test_s)
        for place, (family, edit_set) in enumerate(list(zip(found, edits, strict=True))[:_MAX_VERIFIED]):
            if place and case.spent_s > _VERIFY_BY * self.budget_s:
                break
            self._hold(case)
            case.progress("verifying a fix with the whole suite")
            request = VerifyRequest(
                *(case.root, case.tree, edit_set, self.split(edit_set), checks),
                label=case.label,
                limits=limits,
            )
            evidence = self.verifier.verify(request, case.cancellation, case.progress)
            if evidence.verdict is Verdict.VERIFIED:
                likely = [e for f, e in zip(found, edits, strict=True) if f.score >= _WORTH * family.score]
                others = tuple(other for other in likely if other != edit_set)[:_MAX_ALTERNATIVES]
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


def _refused(found: Found) -> str:
    """Say that fixes were passed over since the user rejected them."""
    if not found.n_refused:
        return ""
    which = "One that passes" if found.n_refused == 1 else f"Each of {found.n_refused} that pass"
    return f" {which} every test was rejected before, and is not proposed again for this request."


def _part(found: Found, diagnosis: Diagnosis) -> str:
    """Say which of the failing tests an edit makes pass, or which keeps the others waiting, if any."""
    n_failing = len(diagnosis.failing)
    # What makes all of them pass and is no fix breaks others.
    parts = (passed for _, passed in found.partial if len(passed) < n_failing)
    best = max(parts, key=len, default=frozenset[str]())
    if best:
        named = ", ".join(sorted(best)[:_MAX_NAMED]) + (" and others" if len(best) > _MAX_NAMED else "")
        which = f"{len(best)} of the {n_failing} failing tests pass"
        return f" An edit makes {which}: name {named} to have that alone looked for."
    if diagnosis.stopped and n_failing > len(diagnosis.stopped):
        slow = diagnosis.stopped[0]
        return f" {slow} was stopped and slows every try: name the other failing tests to leave it out."
    return ""


def _more(found: Sequence[Family]) -> str:
    n_same = len(found[0].fixes) - 1
    one, many = "another edit comes to the same", f"{n_same} other edits come to the same"
    same = f"; {one if n_same == 1 else many}" if n_same else ""
    return same + (f"; {len(found) - 1} that differ pass every test too" if len(found) > 1 else "")


def _edit_set(root: str, tree: Tree, fix: Fix) -> EditSet:
    contents = make_contents(lambda path: tree[path].content, fix.edits)
    return EditSet(
        tuple(
            FileChange(f"{root}/{path}", tree[path].content, content)
            for path, content in sorted(contents.items())
        )
    )
