"""Trying candidates in the sandbox, a batch a container; the answers only rank, they are no verdict."""

from __future__ import annotations

import base64
import json
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

import attrs

from greenline.core.cancel import Cancellation
from greenline.core.port import Limits, Sandbox, SandboxRequest, StagedFile, Tree
from greenline.repair.source import Candidate

_FILE = ".greenline-candidates.json"
_RUNNER = "/opt/greenline/runner"


@attrs.frozen
class Trial:
    """What one candidate did."""

    passed: frozenset[str]
    """The once failing tests that pass now."""
    whole: bool
    """Whether the whole suite passed."""


@attrs.frozen
class Bench:
    """What all candidates of one repair are tried on."""

    sandbox: Sandbox
    root: str
    tree: Tree
    runner: str
    failing: tuple[str, ...]
    timeout_s: float
    """How long one candidate's tests may take."""
    test_s: float
    """How long one test may take."""
    settle_s: float
    """How long a batch goes on after the first candidate that passes every test."""
    label: str
    n_parallel: int = 2

    def run(
        self, candidates: Sequence[Sequence[Candidate]], wall_s: float, cancellation: Cancellation
    ) -> list[Trial | None]:
        """Try candidates (one or more edits each), several containers at once; None: time ran out first."""
        shares = [list(range(start, len(candidates), self.n_parallel)) for start in range(self.n_parallel)]
        results: list[Trial | None] = [None] * len(candidates)

        def work(share: list[int]) -> None:
            answers = self._batch([candidates[index] for index in share], wall_s, cancellation)
            for place, trial in answers.items():
                results[share[place]] = trial

        with ThreadPoolExecutor(self.n_parallel, thread_name_prefix="repair") as pool:
            for future in [pool.submit(work, share) for share in shares if share]:
                future.result()
        return results

    def _batch(
        self, candidates: list[Sequence[Candidate]], wall_s: float, cancellation: Cancellation
    ) -> dict[int, Trial]:
        work = {
            "runner": self.runner,
            "failing": list(self.failing),
            "timeoutS": self.timeout_s,
            "testS": self.test_s,
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
            limits=Limits(wall_s=wall_s + 2 * self.timeout_s + 5, cpus=1.0),
            label=self.label,
        )
        found: dict[int, Trial] = {}
        for line in self.sandbox.run(request, cancellation).report.splitlines():
            record = json.loads(line)
            if record.get("kind") == "candidate":
                found[record["index"]] = Trial(frozenset(record["passed"]), bool(record["whole"]))
        return found
