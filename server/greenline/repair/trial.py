"""Trying candidates in the sandbox, a batch a container; the answers only rank, they are no verdict."""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import attrs

from greenline.core.cancel import Cancellation
from greenline.core.evidence import Outcome, TestReport
from greenline.core.port import Limits, Sandbox, SandboxRequest, StagedFile, Tree
from greenline.repair.source import Candidate

_SPARE_S = 0.1
_TIMES = 2.0
_ENDED = (Outcome.PASSED, Outcome.SKIPPED, Outcome.XFAILED, Outcome.XPASSED, Outcome.DESELECTED)
_FILE = ".greenline-candidates.json"
_RUNNER = "/opt/greenline/runner"


Look = tuple[tuple[str, str], ...]
"""What a candidate did in variants of the tests: (variant, digest), for comparison only."""


@attrs.frozen
class Trial:
    """What one candidate did."""

    passed: frozenset[str]
    """The once failing tests that pass now."""
    whole: bool
    """Whether the whole suite passed."""
    hung: bool = False
    """Whether a test did not end in its time."""
    look: Look | None = None
    """What it does near the tests, where it passes all of them and that could be seen."""


@attrs.frozen
class Timing:
    """Which tests are asked first, and how long they may take; from what they took on the base."""

    failing: tuple[str, ...]
    """Those that are to pass, the likeliest to end first."""
    broken: tuple[str, ...]
    """Those that fail as well and are not asked for."""
    limits: Mapping[str, float]
    """Test id → processor seconds."""
    limit_s: float
    """Processor seconds of any other test."""
    test_s: float
    """How long one test may take by the clock."""
    timeout_s: float
    """How long one candidate's tests may take by the clock."""


def timing(report: TestReport, failing: Sequence[str], hang_s: float) -> Timing:
    """Return the limits that a run of the base gives; `hang_s` was its limit a test.

    The base was measured with coverage, which is slower than the candidates will be; a test that passed
    has a truer duration than one that failed early, or that was stopped.
    """
    passed = sorted(t.duration_s for t in report.tests if t.outcome is Outcome.PASSED)
    usual = passed[(len(passed) - 1) // 2] if passed else 0.0
    by_id = {t.id: t for t in report.tests}
    hung = {t.id for t in report.tests if t.outcome not in _ENDED and t.duration_s >= min(hang_s, 0.5)}
    limits = {}
    for test in report.tests:
        own = usual if test.id in hung else max(usual, test.duration_s)
        limits[test.id] = round(_SPARE_S + _TIMES * own, 3)
    ordered = sorted(failing, key=lambda t: (t in hung, by_id[t].duration_s if t in by_id else 0.0))
    wanted = set(failing)
    broken = tuple(t.id for t in report.tests if t.outcome in (Outcome.FAILED, Outcome.ERROR))
    total = sum(t.duration_s for t in report.tests if t.id not in hung)
    return Timing(
        tuple(ordered),
        tuple(test for test in broken if test not in wanted),
        limits,
        round(_SPARE_S + _TIMES * usual, 3),
        test_s=max(2.0, 3 * max(limits.values(), default=0.0)),
        timeout_s=min(60.0, 4.0 + 5 * total),
    )


@attrs.frozen
class Bench:
    """What all candidates of one repair are tried on."""

    sandbox: Sandbox
    root: str
    tree: Tree
    runner: str
    timing: Timing
    near: Mapping[str, Sequence[str]]
    """`FILE:LINE` → tests that execute the line; empty where the whole suite is quick."""
    settle_s: float
    """How long a batch goes on after the first candidate that passes every test."""
    label: str
    n_parallel: int = 2

    def run(
        self,
        candidates: Sequence[Sequence[Candidate]],
        wall_s: float,
        cancellation: Cancellation,
        patience: float = 1.0,
    ) -> list[Trial | None]:
        """Try candidates (one or more edits each), several containers at once; None: time ran out first.

        With `patience`, a test may take that many times as long.
        """
        shares = [list(range(start, len(candidates), self.n_parallel)) for start in range(self.n_parallel)]
        results: list[Trial | None] = [None] * len(candidates)

        def work(share: list[int]) -> None:
            answers = self._batch([candidates[index] for index in share], wall_s, cancellation, patience)
            for place, trial in answers.items():
                results[share[place]] = trial

        with ThreadPoolExecutor(self.n_parallel, thread_name_prefix="repair") as pool:
            for future in [pool.submit(work, share) for share in shares if share]:
                future.result()
        return results

    def _batch(
        self,
        candidates: list[Sequence[Candidate]],
        wall_s: float,
        cancellation: Cancellation,
        patience: float,
    ) -> dict[int, Trial]:
        work = {
            "runner": self.runner,
            "failing": list(self.timing.failing),
            "broken": list(self.timing.broken),
            "limits": {test: patience * s for test, s in self.timing.limits.items()},
            "limitS": patience * self.timing.limit_s,
            "patience": patience,
            "near": {line: list(tests) for line, tests in self.near.items()},
            "timeoutS": self.timing.timeout_s,
            "testS": self.timing.test_s,
            "settleS": self.settle_s,
            "wallS": wall_s,
            "candidates": [
                [(e.path, e.start, e.end, base64.b64encode(e.replacement).decode()) for e in edits]
                for edits in candidates
            ],
        }
        request = SandboxRequest(
            root=self.root,
            tree={**self.tree, _FILE: StagedFile(json.dumps(work).encode())},
            command=("{python}", f"{_RUNNER}/batch.py", _FILE),
            reporter=("{python}", "-I", f"{_RUNNER}/reporter.py"),
            environment={"PYTHONHASHSEED": "0", "GREENLINE_REPORT": "/run/greenline/report"},
            limits=Limits(wall_s=wall_s + 2 * self.timing.timeout_s + 5, cpus=1.0),
            label=self.label,
        )
        records: dict[int, dict[str, Any]] = {}
        looks: dict[int, Look] = {}
        for line in self.sandbox.run(request, cancellation).report.splitlines():
            record = json.loads(line)
            if record.get("kind") == "candidate":
                records[record["index"]] = record
            elif record.get("kind") == "look":
                looks[record["index"]] = tuple(sorted(record["seen"].items()))
        return {
            index: Trial(frozenset(r["passed"]), bool(r["whole"]), bool(r["hung"]), looks.get(index))
            for index, r in records.items()
        }
