"""Implements `Verifier`: plans the runs, carries them out in the sandbox, and draws up the Evidence.

A sick sandbox is evidence (`couldNotRun`), never an exception; only `Cancelled` leaves.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

import attrs

from greenline.core.cancel import Cancellation
from greenline.core.evidence import Evidence, Outcome, RunEnd, TestReport, Verdict
from greenline.core.port import Limits, Progress, Sandbox, SandboxHealth, Tree, VerifyRequest
from greenline.verify import hunk_coverage
from greenline.verify.base_side import BaseSide
from greenline.verify.choice import Choice
from greenline.verify.course import FIRST_S, SHARES, Course, ends, told
from greenline.verify.detection import concerned, projects
from greenline.verify.flaky_memory import known_warnings
from greenline.verify.further import Further, Ground, measured_further
from greenline.verify.memory import Memory
from greenline.verify.project import Project
from greenline.verify.rerun import stability
from greenline.verify.runs import Suite, suite_projects
from greenline.verify.test_change import compare
from greenline.verify.tree import relative
from greenline.verify.unbuilt import judged
from greenline.verify.verdict import Decision, Facts, decide
from greenline.verify.verify_plan import Plan


@attrs.frozen
class _Ran:
    """What one pass over the tests came to, and what is needed to look further."""

    evidence: Evidence
    ground: Ground

    @property
    def reports(self) -> tuple[TestReport, TestReport]:
        """B and P."""
        assert self.evidence.base is not None and self.evidence.patched is not None
        return self.evidence.base, self.evidence.patched

    def shows(self, base: TestReport, patched: TestReport) -> tuple[TestReport, TestReport]:
        """Return reports of the same sides with what was measured here."""
        known, changed = self.reports
        return (
            attrs.evolve(base, coverage=known.coverage, coverage_of=known.coverage_of),
            attrs.evolve(patched, coverage=changed.coverage, coverage_of=changed.coverage_of),
        )


class SandboxVerifier:
    """Verifies through a sandbox; may be used from several threads."""

    def __init__(
        self,
        sandbox: Sandbox,
        *,
        n_parallel: int = 2,
        limits: Limits | None = None,
        test_command: str = "",
        further: Further | None = None,
        memory: Memory | None = None,
        first_s: float = FIRST_S,
    ) -> None:
        """Use a sandbox; `memory` is what one verification leaves to the next.

        Of a suite that takes `first_s` or longer the tests that a change affects are run first.
        """
        self._first_s = first_s
        self._further = further or Further()
        self._sandbox = sandbox
        self._memory = memory
        self._test_command = test_command
        self._n_parallel = n_parallel
        self._limits = limits or Limits()

    def run_tests(
        self,
        root: str,
        tree: Tree,
        tests: Sequence[str],
        label: str,
        cancellation: Cancellation,
        limits: Limits | None = None,
    ) -> TestReport:
        """Run tests (ids; none: all) over a tree with coverage per test; a sick sandbox is a report."""
        found = projects(tree, self._test_command)
        chosen = concerned(found, [test.split("::")[0] for test in tests])
        suite = self._suite(root, suite_projects(chosen, tree), label, limits or self._limits, cancellation)
        return suite.run(tree, tests)

    def verify(self, request: VerifyRequest, cancellation: Cancellation, progress: Progress) -> Evidence:
        """Run B and P, and N and O where the patch touches tests, and return the verdict with all reports."""
        started = time.monotonic()
        plan = Plan.of(request)
        chosen = self._concerned(plan)
        suite = self._suite(request.root, chosen, request.label, request.limits, cancellation)
        suite = attrs.evolve(suite, waiting=progress)
        health = self._sandbox.health()
        if not health.available:
            evidence = _sick(health)
        elif not chosen:
            detail = "No tests were found: no file speaks for a project of Python's, Node's, Go's or Java's."
            evidence = Evidence(Verdict.NOT_RUN, "noTests", detail)
        else:
            evidence = self._measure(plan, suite, progress)
        return attrs.evolve(
            evidence,
            touches_tests=plan.touches_tests,
            warnings=(
                *filter(None, [health.warning]),
                *_warnings(plan, evidence),
                *evidence.warnings,
            ),
            sandbox=health.name if health.available else "",
            engine=health.engine,
            image=health.image,
            toolchain=health.toolchain,
            command=suite.command(),
            duration_s=round(time.monotonic() - started, 3),
        )

    def _concerned(self, plan: Plan) -> tuple[Project, ...]:
        """Return the projects that the patch concerns; one that it adds counts as well."""
        request = plan.request
        found = list(projects(request.base, self._test_command))
        known = {(project.kind, project.folder) for project in found}
        added = projects(plan.patched, self._test_command)
        found += [project for project in added if (project.kind, project.folder) not in known]
        return suite_projects(concerned(found, plan.paths), request.base, plan.patched)

    def _suite(
        self, root: str, chosen: tuple[Project, ...], label: str, limits: Limits, cancellation: Cancellation
    ) -> Suite:
        return Suite(self._sandbox, root, chosen, label, limits, cancellation, self._test_command)

    def _measure(self, plan: Plan, suite: Suite, progress: Progress) -> Evidence:
        """Run the whole suite, or what can stand for it, and look further at what decided."""
        course = plan.course(suite, self._memory)
        is_part = course.is_too_long and not plan.request.fresh
        ran = self._instead(plan, course, progress) if is_part else None
        if ran is None:
            choice = None if is_part else course.first(self._first_s)
            ran = self._whole(plan, course, choice, progress)
            if _is_stopped(ran):
                ran = self._instead(plan, course, progress) or ran
        if _is_stopped(ran) and course.obstacle:
            detail = f"{ran.evidence.detail} {course.obstacle}"
            ran = attrs.evolve(ran, evidence=attrs.evolve(ran.evidence, detail=detail))
        if ran.evidence.verdict is Verdict.VERIFIED and plan.touches_tests:
            # Most verifications need not wait for its operators.
            from greenline.verify.deaf import with_deaf

            ran = attrs.evolve(ran, evidence=with_deaf(ran.evidence, ran.ground, progress))
        return measured_further(ran.evidence, ran.ground, self._further, progress)

    def _whole(self, plan: Plan, course: Course, choice: Choice | None, progress: Progress) -> _Ran:
        """Run all tests, after the affected ones where these are few; unless those decide."""
        if choice is None:
            return self._pass(plan, course, None, progress)
        progress(f"Running the tests that the change affects first: {choice.n_chosen} of {choice.n_tests}.")
        first = self._pass(plan, course, choice, progress)
        if ends(first.evidence):
            limit_s = course.suite.limits.wall_s
            return attrs.evolve(first, evidence=told(first.evidence, choice, "failedFirst", limit_s))
        return self._pass(
            plan, course, None, progress, first if plan.is_executed_in(first.evidence) else None
        )

    def _instead(self, plan: Plan, course: Course, progress: Progress) -> _Ran | None:
        """Run the affected tests that fit into a run's time; None where nothing can stand for the suite."""
        limit_s = course.suite.limits.wall_s
        last: _Ran | None = None
        for share in SHARES:
            choice = course.instead(share)
            if choice is None:
                break
            progress(
                f"All tests take longer than {limit_s:g} s; running those that the change affects:"
                f" {choice.n_chosen} of {choice.n_tests}."
            )
            ran = self._pass(plan, course, choice, progress)
            last = attrs.evolve(ran, evidence=told(ran.evidence, choice, "suiteTooLong", limit_s))
            if not _is_stopped(last):
                break
        return last

    def _pass(
        self,
        plan: Plan,
        course: Course,
        choice: Choice | None,
        progress: Progress,
        first: _Ran | None = None,
    ) -> _Ran:
        """Run the trees with a choice of tests, or with all, and draw up the evidence.

        `first` is a pass that has shown already which tests execute the change: that is not measured again.
        """
        request, suite = plan.request, course.suite_of(choice)
        suite = attrs.evolve(suite, is_measuring=first is None)
        progress("Running the tests without and with the change.")
        base_side = BaseSide.of(suite, progress, self._memory, fresh=request.fresh)
        rounds = self._run_all(base_side, plan.trees())
        reports = judged({name: done[0] for name, done in rounds.items()})
        base, patched = reports["B"], reports["P"]
        both = rounds["B"], rounds["P"]
        known_flaky = base_side.known_flaky(base, patched)
        stable = stability(suite, (request.base, plan.patched), both, self._n_parallel, known_flaky)
        base_side.settle(rounds["B"], stable, touches_tests=plan.touches_tests)
        course.learn(base, base_side.collected() if base.end is RunEnd.TIMEOUT else (), choice)
        if first is not None:
            base, patched = first.shows(base, patched)
        hunks = plan.hunks()
        measured = hunk_coverage.measure(request.root, hunks, request.base, plan.patched, base, patched)
        product = {h.id for h in hunks if plan.rule.is_product(relative(request.root, h.path))}
        change = compare(request.base, plan.patched, plan.rule, base, patched)
        decision = decide(
            Facts(
                base=base,
                patched=patched,
                old_tests=reports.get("O"),
                new_tests=reports.get("N"),
                touches_product=plan.touches_product,
                touches_tests=plan.touches_tests,
                change=change,
                checks=request.checks,
                flaky=stable.flaky,
                product_hunks=tuple(h for h in measured if h.hunk_id in product),
            )
        )
        evidence = attrs.evolve(
            _evidence(decision),
            base=base,
            patched=patched,
            old_tests=reports.get("O"),
            new_tests=reports.get("N"),
            flaky=stable.flaky,
            known_flaky=known_flaky,
            hunks=measured,
            warnings=(
                *_ordered(stable.ordered),
                *known_warnings(base_side.known, _decisive(decision, stable.flaky, patched)),
            ),
        )
        timed = first.reports if first is not None else None
        ground = Ground(request, suite, plan.rule, plan.patched, hunks, change, self._n_parallel, timed)
        return _Ran(evidence, ground)

    def _run_all(self, base_side: BaseSide, trees: dict[str, Tree]) -> dict[str, tuple[TestReport, ...]]:
        """Run each distinct tree, in parallel, and in B's and P's containers again what differs.

        Equal trees share their reports. B and P wait for one another, so they need a thread each.
        """
        distinct: list[Tree] = []
        for tree in trees.values():
            if tree not in distinct:
                distinct.append(tree)
        suite, meeting = base_side.suite, base_side.meeting
        meets = self._n_parallel > 1 and trees["B"] != trees["P"] and suite.takes_rounds

        def run(tree: Tree) -> tuple[TestReport, ...]:
            side = next((name for name in ("B", "P") if meets and trees[name] is tree), "")
            if not side:
                # Of what the patch's tests execute without the change nothing is asked.
                is_asked = any(tree is trees[name] for name in trees if name != "N")
                return (suite.run(tree, coverage=is_asked),)
            try:
                return (
                    base_side.rounds(tree)
                    if side == "B"
                    else suite.run_in_rounds(tree, meeting.followup(side))
                )
            finally:
                meeting.leave(side)

        with ThreadPoolExecutor(self._n_parallel, thread_name_prefix="verify") as pool:
            reports = list(pool.map(run, distinct))
        return {name: reports[distinct.index(tree)] for name, tree in trees.items()}


def _is_stopped(ran: _Ran) -> bool:
    """Return whether the time was over for the base already."""
    return ran.evidence.base is not None and ran.evidence.base.end is RunEnd.TIMEOUT


def _sick(health: SandboxHealth) -> Evidence:
    detail = f"{health.problem} {health.remedy}".strip()
    report = TestReport(end=RunEnd.UNAVAILABLE, detail=detail)
    return Evidence(Verdict.COULD_NOT_RUN, RunEnd.UNAVAILABLE.value, detail, base=report, patched=report)


def _evidence(decision: Decision) -> Evidence:
    return Evidence(
        verdict=decision.verdict,
        reason=decision.reason,
        detail=decision.detail,
        fixed=decision.fixed,
        lost=decision.lost,
        missing=decision.missing,
    )


def _decisive(decision: Decision, flaky: Sequence[str], patched: TestReport) -> set[str]:
    """Return the tests that a verdict rests on, and those that fail with the change."""
    failing = {t.id for t in patched.tests if t.outcome in (Outcome.FAILED, Outcome.ERROR)}
    return {*decision.fixed, *decision.lost, *flaky, *failing}


def _ordered(tests: Sequence[str]) -> tuple[str, ...]:
    if not tests:
        return ()
    more = f", and {len(tests) - 1} more" if len(tests) > 1 else ""
    return (f"Without the change the outcome depends on the tests that run before: {tests[0]}{more}.",)


def _warnings(plan: Plan, evidence: Evidence) -> tuple[str, ...]:
    found: list[str] = []
    if evidence.selection is not None:
        found.append(evidence.selection.words())
    if plan.touches_tests:
        found.append("The change touches tests or runner configuration.")
    if evidence.missing:
        found.append(f"Tests are gone that still pass, renamed or removed: {len(evidence.missing)}.")
    if evidence.patched is not None:
        found += evidence.patched.notes
    n_bare = sum(1 for hunk in evidence.hunks if hunk.coverage == "notCovered")
    if n_bare and evidence.verdict is Verdict.VERIFIED:
        found.append(f"{n_bare} of {len(evidence.hunks)} hunks are executed by no test.")
    return tuple(found)
