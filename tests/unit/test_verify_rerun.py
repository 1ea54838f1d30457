"""What differs is run again in fresh containers, and so is a module that only one side could collect."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

import attrs
import pytest

from greenline.core.evidence import Outcome, RunEnd, TestReport, TestResult
from greenline.core.port import StagedFile, Tree
from greenline.verify.rerun import stability
from greenline.verify.runs import Suite

BASE: Tree = {"a.py": StagedFile(b"base")}
PATCHED: Tree = {"a.py": StagedFile(b"patched")}
ERROR = TestReport(RunEnd.COLLECTION, (TestResult("t.py", Outcome.ERROR),))
PASSES = TestReport(RunEnd.COMPLETE, (TestResult("t.py::a", Outcome.PASSED),))
FAILS = TestReport(RunEnd.COMPLETE, (TestResult("t.py::a", Outcome.FAILED),))


@attrs.define
class Chance:
    """Stands for a suite whose outcomes are chance, which no container can be made to give in an order."""

    base: TestReport
    patched: TestReport
    asked: list[tuple[str, ...]] = attrs.field(factory=list)

    def run(self, tree: Tree, tests: Sequence[str] = (), *, coverage: bool = True) -> TestReport:
        self.asked.append(tuple(tests))
        return self.base if tree is BASE else self.patched


@pytest.mark.parametrize(
    ("again", "flaky"),
    [
        (Chance(ERROR, PASSES), ()),
        (Chance(PASSES, PASSES), ("t.py::a",)),
        (Chance(ERROR, FAILS), ("t.py::a",)),
    ],
)
def test_a_module_that_only_the_patch_lets_collect_is_run_again_on_both_sides(
    again: Chance, flaky: tuple[str, ...]
) -> None:
    found = stability(cast(Suite, again), (BASE, PATCHED), ((ERROR,), (PASSES,)), 1)

    assert found.flaky == flaky
    assert again.asked[0] == ("t.py::a",)
