"""The repair engine as the agent's strategy: what its plan promises."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from greenline.agent.repairer import EngineRepairer
from greenline.agent.services import RepairJob
from greenline.core.cancel import Cancellation
from greenline.core.error import Cancelled
from greenline.core.evidence import Evidence, Outcome, RunEnd, TestReport, TestResult
from greenline.core.port import (
    Limits,
    Progress,
    SandboxHealth,
    SandboxRequest,
    SandboxResult,
    Tree,
    VerifyRequest,
)
from greenline.core.task import Task, TaskContext
from greenline.workspace.snapshot import Snapshot


class Failing:
    """A sandbox and a verifier in which one test fails."""

    def health(self) -> SandboxHealth:
        return SandboxHealth(True, "none")

    def run(self, request: SandboxRequest, cancellation: Cancellation) -> SandboxResult:
        raise NotImplementedError

    def close(self) -> None:
        return

    def run_tests(
        self,
        root: str,
        tree: Tree,
        tests: Sequence[str],
        label: str,
        cancellation: Cancellation,
        limits: Limits | None = None,
    ) -> TestReport:
        failed = TestResult("test_a.py::test_a", Outcome.FAILED)
        return TestReport(RunEnd.COMPLETE, (failed,), {failed.id: {"a.py": (2,)}})

    def verify(self, request: VerifyRequest, cancellation: Cancellation, progress: Progress) -> Evidence:
        raise NotImplementedError


@pytest.mark.parametrize("names", [("one",), ("one", "two")])
def test_every_folder_with_failing_tests_is_planned_and_reported(
    tmp_path: Path, names: tuple[str, ...]
) -> None:
    roots = tuple(str(tmp_path / name) for name in names)
    for root in roots:
        Path(root).mkdir()
        # No operator has an edit for a file that is no Python.
        (Path(root) / "a.py").write_text("def a(:\n    return 1\n")
    failing = Failing()
    repairer = EngineRepairer(failing, failing, 60.0, Limits())
    task, snapshot = Task("make the failing tests pass", roots), Snapshot(roots)

    plan = repairer.plan(task, snapshot, "run-1", Cancellation(), lambda _: None)
    job = RepairJob(task, plan, snapshot, "run-1", Cancellation(), lambda _: None, lambda: None)
    repair = repairer.repair(job)

    prefixes = [f"{name}/" for name in names] if len(names) > 1 else [""]
    assert [entry.checks for entry in plan.entries] == [(f"{p}test_a.py::test_a",) for p in prefixes]
    assert [entry.files for entry in plan.entries] == [(f"{p}a.py",) for p in prefixes]
    told = [f"{name} still has 1 failing test: No fix was found" in repair.note for name in names]
    assert told == [len(names) > 1] * len(names)


@pytest.mark.parametrize("about", ["a.py", "."])
def test_a_request_about_one_folder_repairs_no_other(tmp_path: Path, about: str) -> None:
    roots = tuple(str(tmp_path / name) for name in ("one", "two"))
    for root in roots:
        Path(root).mkdir()
        (Path(root) / "a.py").write_text("def a(:\n    return 1\n")
    failing = Failing()
    repairer = EngineRepairer(failing, failing, 60.0, Limits())
    context = TaskContext(files=(str(tmp_path / "two" / about),))
    task = Task("make the failing tests pass", roots, context)

    plan = repairer.plan(task, Snapshot(roots), "run-1", Cancellation(), lambda _: None)

    assert [entry.checks for entry in plan.entries] == [("two/test_a.py::test_a",)]


def test_a_paused_repair_stands_still_before_it_tries_anything(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("def a():\n    return 1\n")
    (tmp_path / "test_a.py").write_text("from a import a\n\n\ndef test_a():\n    assert a() == 2\n")
    roots = (str(tmp_path),)
    task, snapshot = Task("make the failing tests pass", roots), Snapshot(roots)
    failing = Failing()
    repairer = EngineRepairer(failing, failing, 60.0, Limits())
    plan = repairer.plan(task, snapshot, "run-1", Cancellation(), lambda _: None)

    def cancelled_while_paused() -> None:
        raise Cancelled("The run was cancelled.")

    job = RepairJob(task, plan, snapshot, "run-1", Cancellation(), lambda _: None, cancelled_while_paused)
    # The sandbox of this test cannot run anything: trying a candidate would be another error.
    with pytest.raises(Cancelled):
        repairer.repair(job)
