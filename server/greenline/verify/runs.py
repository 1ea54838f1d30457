"""One test run in one fresh container: request, report, and the sick sandbox as a report."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import attrs

from greenline.core.cancel import Cancellation
from greenline.core.error import SandboxUnavailable
from greenline.core.evidence import RunEnd, TestReport
from greenline.core.port import Limits, Sandbox, SandboxRequest, Tree
from greenline.verify.detection import Runner
from greenline.verify.report import parse_rounds

RUNNER_FOLDER = "/opt/greenline/runner"
_REPORTER = ("{python}", "-I", f"{RUNNER_FOLDER}/reporter.py")
_FIFO = "/run/greenline/report"
_MAX_ARGUMENT_BYTES = 100_000


@attrs.frozen
class Suite:
    """What is the same for every run of one verification."""

    sandbox: Sandbox
    root: str
    runner: Runner
    label: str
    limits: Limits
    cancellation: Cancellation

    def command(
        self, tests: Sequence[str] = (), *, coverage: bool = True, rounds: bool = False
    ) -> tuple[str, ...]:
        """Return the argv of a run; too many ids for a command line mean the whole suite."""
        if sum(len(test.encode()) + 1 for test in tests) > _MAX_ARGUMENT_BYTES:
            tests = ()
        options = () if coverage else ("--no-coverage",)
        if rounds:
            options = (*options, "--rounds")
        if self.limits.test_s is not None:
            options = (*options, f"--test-seconds={self.limits.test_s:g}")
        script = ("{python}", f"{RUNNER_FOLDER}/run_tests.py", "--runner", self.runner, *options)
        return (*script, "--", *tests) if tests else script

    def run(self, tree: Tree, tests: Sequence[str] = (), *, coverage: bool = True) -> TestReport:
        """Run tests over a tree; raises `Cancelled` only."""
        return self._rounds(tree, self.command(tests, coverage=coverage), None)[0]

    def run_in_rounds(self, tree: Tree, followup: Callable[[bytes], bytes | None]) -> tuple[TestReport, ...]:
        """Run all tests, then in the same container what `followup` names; raises `Cancelled` only."""
        return self._rounds(tree, self.command(rounds=True), followup)

    def _rounds(
        self, tree: Tree, command: tuple[str, ...], followup: Callable[[bytes], bytes | None] | None
    ) -> tuple[TestReport, ...]:
        request = SandboxRequest(
            root=self.root,
            tree=tree,
            command=command,
            reporter=_REPORTER,
            environment={"PYTHONHASHSEED": "0", "GREENLINE_REPORT": _FIFO},
            limits=self.limits,
            label=self.label,
            followup=followup,
        )
        try:
            return parse_rounds(self.sandbox.run(request, self.cancellation))
        except SandboxUnavailable as error:
            return (TestReport(end=RunEnd.UNAVAILABLE, detail=str(error)),)
