"""The repair engine as a strategy of the agent: failing tests → plan → verified fix, without a model."""

from __future__ import annotations

import threading
from collections.abc import Callable

import attrs

from greenline.agent.follow_up import is_refused
from greenline.agent.intent import test_names
from greenline.agent.proof import cut
from greenline.agent.reflector import Attempt
from greenline.agent.services import Repair
from greenline.core.cancel import Cancellation
from greenline.core.edit import EditSet, FileChange, Hunk
from greenline.core.error import InvalidInput, SandboxUnavailable
from greenline.core.evidence import RunEnd
from greenline.core.port import Limits, Progress, Sandbox, Tree, Verifier
from greenline.core.task import Plan, PlanEntry, Task
from greenline.edit.hunk import diff_text
from greenline.guard.gate import Gate
from greenline.repair.engine import Diagnosis, RepairEngine
from greenline.workspace.encoding import decode
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
        self._cases: dict[str, _Case] = {}
        """Run id → diagnosis, so that executing a plan need not run the tests once more."""

    def plan(
        self, task: Task, snapshot: Snapshot, run_id: str, cancellation: Cancellation, progress: Progress
    ) -> Plan:
        """Run the tests and find where the fault may lie.

        Raises `SandboxUnavailable`, or `InvalidInput` (`nothingToRepair`) where no test fails.
        """
        case = self._diagnose(task, snapshot, run_id, cancellation, progress)
        with self._lock:
            while len(self._cases) >= _MAX_KEPT:
                self._cases.pop(next(iter(self._cases)))
            self._cases[run_id] = case
        failing = case.diagnosis.failing
        suspects = case.diagnosis.suspects()
        places = ", ".join(f"{file}:{line}" for file, line, _ in suspects)
        noun = "test" if len(failing) == 1 else f"{len(failing)} tests"
        entry = PlanEntry(
            1,
            f"Make the failing {noun} pass with the smallest edit; the most suspicious lines are {places}.",
            tuple(dict.fromkeys(file for file, _, _ in suspects)),
            failing[:_MAX_CHECKS],
        )
        risk = "An edit that passes the tests can still differ from what was meant; review it."
        if case.diagnosis.stopped:
            names = ", ".join(case.diagnosis.stopped[:3])
            risk = f"{names} was stopped at its limit: it hangs, or is slow. {risk}"
        if len(snapshot.roots) > 1:
            risk = f"Only {case.root} is repaired; ask again for the other folders. {risk}"
        return Plan(1, (entry,), risk, None, "repair")

    def repair(
        self,
        task: Task,
        plan: Plan,
        snapshot: Snapshot,
        run_id: str,
        cancellation: Cancellation,
        progress: Progress,
        hold: Callable[[], None],
    ) -> Repair:
        """Search for a fix that the whole suite passes."""
        with self._lock:
            case = self._cases.pop(run_id, None)
        if case is None or case.tree != snapshot.tree(case.root, Gate(snapshot.roots)):
            # The texts have moved on since the plan, or another process made it.
            case = self._diagnose(task, snapshot, run_id, cancellation, progress)
        cuts: dict[EditSet, tuple[Hunk, ...]] = {}
        why = f"Makes {', '.join(case.diagnosis.failing[:3])} pass."

        def split(edit_set: EditSet) -> tuple[Hunk, ...]:
            if edit_set not in cuts:
                cuts[edit_set] = cut(snapshot, edit_set, plan, why)
            return cuts[edit_set]

        engine = attrs.evolve(
            self._engine(), split=split, is_refused=lambda edit_set: is_refused(task, edit_set), hold=hold
        )
        result = engine.repair(case.root, case.tree, case.diagnosis, run_id, cancellation, progress)
        if result.edit_set is None or result.evidence is None:
            return Repair(None, result.note)
        attempt = Attempt(
            result.edit_set,
            split(result.edit_set),
            result.evidence,
            result.note,
            tuple(_diff(snapshot, other) for other in result.alternatives),
        )
        return Repair(attempt, result.note)

    def _engine(self) -> RepairEngine:
        return RepairEngine(self._sandbox, self._verifier, lambda _: (), self._budget_s, self._limits)

    def _diagnose(
        self, task: Task, snapshot: Snapshot, run_id: str, cancellation: Cancellation, progress: Progress
    ) -> _Case:
        """Return the first root in which a test fails that the task is about."""
        engine = self._engine()
        note = "No folder is open."
        for root in snapshot.roots:
            progress("running the tests to see which fail")
            tree = snapshot.tree(root, Gate(snapshot.roots))
            diagnosis = engine.diagnose(root, tree, test_names(task.request), run_id, cancellation)
            if diagnosis.report.end is RunEnd.UNAVAILABLE:
                raise SandboxUnavailable(
                    diagnosis.report.detail or "The tests cannot be run without a sandbox.",
                    remedy="`greenline doctor` says what is missing.",
                )
            if diagnosis.failing and diagnosis.suspicion:
                return _Case(root, tree, diagnosis)
            # With nothing to search in, the engine returns at once and says why.
            note = engine.repair(root, tree, diagnosis, run_id, cancellation, progress).note
        raise InvalidInput(note, code="nothingToRepair")


def _diff(snapshot: Snapshot, edit_set: EditSet) -> str:
    return "".join(_file_diff(snapshot, change) for change in edit_set.changes)


def _file_diff(snapshot: Snapshot, change: FileChange) -> str:
    before = None if change.before is None else decode(change.before).text
    after = None if change.after is None else decode(change.after).text
    return diff_text(snapshot.locate(change.path).relative, before, after)
