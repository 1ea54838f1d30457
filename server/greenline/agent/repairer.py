"""The repair engine as a strategy of the agent: failing tests → plan → verified fix, without a model."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from pathlib import Path

import attrs

from greenline.agent.follow_up import is_refused
from greenline.agent.intent import test_names
from greenline.agent.proof import cut
from greenline.agent.reflector import Attempt
from greenline.agent.root_evidence import named, worst
from greenline.agent.services import Repair, RepairJob
from greenline.core.cancel import Cancellation
from greenline.core.edit import EditSet, FileChange, Hunk
from greenline.core.error import InvalidInput, SandboxUnavailable
from greenline.core.evidence import RunEnd
from greenline.core.port import Limits, Progress, Sandbox, Tree, Verifier
from greenline.core.task import Plan, PlanEntry, Task
from greenline.edit.hunk import diff_text
from greenline.guard.gate import Gate
from greenline.repair.diagnosis import Diagnosis
from greenline.repair.engine import RepairEngine
from greenline.tool.place import root_names, shown
from greenline.workspace.encoding import decode
from greenline.workspace.root import concerned
from greenline.workspace.snapshot import Snapshot

_MAX_CHECKS = 20
_MAX_KEPT = 8


@attrs.frozen
class _Case:
    """What planning found out about one root."""

    root: str
    tree: Tree
    diagnosis: Diagnosis


class EngineRepairer:
    """Implements `Repairer`; may be used from several threads at once."""

    def __init__(self, sandbox: Sandbox, verifier: Verifier, budget_s: float, limits: Limits) -> None:
        self._sandbox = sandbox
        self._verifier = verifier
        self._budget_s = budget_s
        self._limits = limits
        self._lock = threading.Lock()
        self._cases: dict[str, tuple[_Case, ...]] = {}
        """Run id → diagnoses, so that executing a plan need not run the tests once more."""

    def plan(
        self, task: Task, snapshot: Snapshot, run_id: str, cancellation: Cancellation, progress: Progress
    ) -> Plan:
        """Run the tests and find where the fault may lie.

        Raises `SandboxUnavailable`, or `InvalidInput` (`nothingToRepair`) where no test fails.
        """
        cases = self._diagnose(task, snapshot, run_id, cancellation, progress)
        with self._lock:
            while len(self._cases) >= _MAX_KEPT:
                self._cases.pop(next(iter(self._cases)))
            self._cases[run_id] = cases
        entries = tuple(_entry(number, case, snapshot.roots) for number, case in enumerate(cases, 1))
        risk = "An edit that passes the tests can still differ from what was meant; review it."
        if stopped := [test for case in cases for test in case.diagnosis.stopped]:
            risk = f"{', '.join(stopped[:3])} was stopped at its limit: it hangs, or is slow. {risk}"
        return Plan(1, entries, risk, None, "repair")

    def repair(self, job: RepairJob) -> Repair:
        """Search each root whose tests fail for a fix that its whole suite passes."""
        snapshot = job.snapshot
        with self._lock:
            cases = self._cases.pop(job.run_id, ())
        gate = Gate(snapshot.roots)
        if not cases or any(case.tree != snapshot.tree(case.root, gate) for case in cases):
            # The texts have moved on since the plan, or another process made it.
            cases = self._diagnose(job.task, snapshot, job.run_id, job.cancellation, job.progress)
        return _together(cases, [self._mend(case, job) for case in cases], snapshot.roots)

    def _mend(self, case: _Case, job: RepairJob) -> Repair:
        cuts: dict[EditSet, tuple[Hunk, ...]] = {}
        why = f"Makes {', '.join(case.diagnosis.failing[:3])} pass."

        def split(edit_set: EditSet) -> tuple[Hunk, ...]:
            if edit_set not in cuts:
                cuts[edit_set] = cut(job.snapshot, edit_set, job.plan, why)
            return cuts[edit_set]

        engine = attrs.evolve(
            self._engine(),
            split=split,
            is_refused=lambda edit_set: is_refused(job.task, edit_set),
            hold=job.hold,
        )
        result = engine.repair(
            case.root, case.tree, case.diagnosis, job.run_id, job.cancellation, job.progress
        )
        if result.edit_set is None or result.evidence is None:
            return Repair(None, result.note)
        attempt = Attempt(
            result.edit_set,
            split(result.edit_set),
            result.evidence,
            result.note,
            tuple(_diff(job.snapshot, other) for other in result.alternatives),
        )
        return Repair(attempt, result.note)

    def _engine(self) -> RepairEngine:
        return RepairEngine(self._sandbox, self._verifier, lambda _: (), self._budget_s, self._limits)

    def _diagnose(
        self, task: Task, snapshot: Snapshot, run_id: str, cancellation: Cancellation, progress: Progress
    ) -> tuple[_Case, ...]:
        """Return the roots where a test fails that the task is about; one of them has suspicious lines.

        A task about files of some roots is about no test of the others.
        """
        engine = self._engine()
        found: list[_Case] = []
        note = "No folder is open."
        for root in concerned(task.context.paths, snapshot.roots):
            if not Path(root).is_dir():
                note = f"The folder {root} does not exist."
                continue
            progress("running the tests to see which fail")
            tree = snapshot.tree(root, Gate(snapshot.roots))
            diagnosis = engine.diagnose(root, tree, test_names(task.request), run_id, cancellation)
            if diagnosis.report.end is RunEnd.UNAVAILABLE:
                raise SandboxUnavailable(
                    diagnosis.report.detail or "The tests cannot be run without a sandbox.",
                    remedy="`greenline doctor` says what is missing.",
                )
            if diagnosis.failing:
                found.append(_Case(root, tree, diagnosis))
            if not diagnosis.suspicion:
                # With nothing to search in, the engine returns at once and says why.
                note = engine.repair(root, tree, diagnosis, run_id, cancellation, progress).note
        if not any(case.diagnosis.suspicion for case in found):
            raise InvalidInput(
                note,
                remedy="Write or name a test that fails, or configure a model for other requests.",
                code="nothingToRepair",
            )
        return tuple(found)


def _entry(number: int, case: _Case, roots: tuple[str, ...]) -> PlanEntry:
    failing = case.diagnosis.failing
    suspects = [(shown(case.root, file, roots), line) for file, line, _ in case.diagnosis.suspects()]
    which = "the failing test" if len(failing) == 1 else f"the {len(failing)} failing tests"
    where = "" if len(roots) == 1 else f" of {root_names(roots)[case.root]}"
    places = ", ".join(f"{file}:{line}" for file, line in suspects) or "not known"
    return PlanEntry(
        number,
        f"Make {which}{where} pass with the smallest edit; the most suspicious lines are {places}.",
        tuple(dict.fromkeys(file for file, _ in suspects)),
        tuple(shown(case.root, test, roots) for test in failing[:_MAX_CHECKS]),
    )


def _together(cases: Sequence[_Case], repairs: Sequence[Repair], roots: tuple[str, ...]) -> Repair:
    """Return the fixes of several roots as one, with a note that says which root still fails."""
    if len(roots) == 1:
        return repairs[0]
    names = root_names(roots)
    mended: list[tuple[str, Attempt]] = []
    notes: list[str] = []
    for case, repair in zip(cases, repairs, strict=True):
        name = names[case.root]
        if repair.attempt is not None:
            mended.append((name, repair.attempt))
            notes.append(f"{name}: {repair.note}")
        else:
            n_failing = len(case.diagnosis.failing)
            noun = "test" if n_failing == 1 else "tests"
            notes.append(f"{name} still has {n_failing} failing {noun}: {repair.note}")
    note = " ".join(notes)
    if not mended:
        return Repair(None, note)
    attempts = [attempt for _, attempt in mended]
    attempt = Attempt(
        EditSet(tuple(change for a in attempts for change in a.edit_set.changes)),
        tuple(hunk for a in attempts for hunk in a.hunks),
        worst([named(a.evidence, name) for name, a in mended]),
        note,
        tuple(other for a in attempts for other in a.alternatives),
    )
    return Repair(attempt, note)


def _diff(snapshot: Snapshot, edit_set: EditSet) -> str:
    return "".join(_file_diff(snapshot, change) for change in edit_set.changes)


def _file_diff(snapshot: Snapshot, change: FileChange) -> str:
    before = None if change.before is None else decode(change.before).text
    after = None if change.after is None else decode(change.after).text
    return diff_text(snapshot.locate(change.path).relative, before, after)
