"""Trying small edits of a tree in one container; the answers rank and count, they are no verdict.

The project's own code shares a process with what answers here, so nothing that a change must not be able to
forge may rest on it.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping, Sequence
from typing import Any

import attrs

from greenline.core.cancel import Cancellation
from greenline.core.port import Limits, Sandbox, SandboxRequest, StagedFile, Tree
from greenline.mutation.source import Candidate
from greenline.verify.tree import without_bytecode

_FILE = ".greenline-candidates.json"
_RUNNER = "/opt/greenline/runner"

Look = tuple[tuple[str, str], ...]
"""What a candidate did in variants of the tests: (variant, digest), for comparison only."""


@attrs.frozen
class Trial:
    """What one candidate did."""

    passed: frozenset[str]
    """The once failing tests that pass now; of a candidate with tests of its own, those of them that pass."""
    whole: bool
    """Whether the whole suite passed, or else all of the candidate's own tests."""
    hung: bool = False
    """Whether a test did not end in its time."""
    look: Look | None = None
    """What it does near the tests, where it passes all of them and that could be seen."""
    bad: tuple[str, ...] = ()
    """Of a candidate with tests of its own: what ended badly; `process` where the process itself did."""


@attrs.frozen
class Timing:
    """Which tests are asked first, and how long they may take; from what they took before."""

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


@attrs.frozen
class Asked:
    """What one container is to try."""

    candidates: Sequence[Sequence[Candidate]]
    """One or more edits each, or none at all; the likeliest first."""
    tests: Sequence[Sequence[str]] = ()
    """Each candidate's own tests; empty: the timing's failing ones first, then the whole suite."""
    n_controls: int = 0
    """How many of the first candidates run all of their tests, whatever these say."""


@attrs.frozen
class Batch:
    """What the candidates are tried on."""

    sandbox: Sandbox
    root: str
    tree: Tree
    runner: str
    timing: Timing
    label: str
    near: Mapping[str, Sequence[str]] = attrs.field(factory=dict)
    """`FILE:LINE` → tests that execute the line; empty where the whole suite is quick."""
    settle_s: float | None = None
    """How long a batch goes on after the first candidate that passes every test; None: to its end."""
    limits: Limits = attrs.field(factory=Limits)

    def run(
        self, asked: Asked, wall_s: float, cancellation: Cancellation, patience: float = 1.0
    ) -> dict[int, Trial]:
        """Return place → what the candidate did, without those for which the time ran out.

        With `patience`, a test may take that many times as long. Raises `SandboxUnavailable`, `Cancelled`.
        """
        work = self._work(asked, wall_s, patience)
        request = SandboxRequest(
            root=self.root,
            tree={**without_bytecode(self.tree), _FILE: StagedFile(json.dumps(work).encode())},
            command=("{python}", f"{_RUNNER}/batch.py", _FILE),
            reporter=("{python}", "-I", "-S", f"{_RUNNER}/reporter.py"),
            environment={"PYTHONHASHSEED": "0", "GREENLINE_REPORT": "/run/greenline/report"},
            limits=attrs.evolve(self.limits, wall_s=wall_s + 2 * self.timing.timeout_s + 5, cpus=1.0),
            label=self.label,
        )
        return read_trials(self.sandbox.run(request, cancellation).report, len(asked.candidates))

    def _work(self, asked: Asked, wall_s: float, patience: float) -> dict[str, Any]:
        timing = self.timing
        work: dict[str, Any] = {
            "runner": self.runner,
            "failing": list(timing.failing),
            "broken": list(timing.broken),
            "limits": {test: patience * s for test, s in timing.limits.items()},
            "limitS": patience * timing.limit_s,
            "patience": patience,
            "near": {line: list(tests) for line, tests in self.near.items()},
            "timeoutS": timing.timeout_s,
            "testS": timing.test_s,
            "settleS": wall_s if self.settle_s is None else self.settle_s,
            "wallS": wall_s,
            "candidates": [
                [(e.path, e.start, e.end, base64.b64encode(e.replacement).decode()) for e in edits]
                for edits in asked.candidates
            ],
        }
        if asked.tests:
            work |= {"tests": [list(tests) for tests in asked.tests], "controls": asked.n_controls}
        return work


def read_trials(report: bytes, n_candidates: int) -> dict[int, Trial]:
    """Return place → what the candidate did; a line that cannot be read says nothing.

    The end of a container cuts lines short, and the project's code can write some of its own.
    """
    trials: dict[int, Trial] = {}
    looks: dict[int, Look] = {}
    for line in report.splitlines():
        try:
            record = json.loads(line)
            kind, index = record["kind"], int(record["index"])
            if kind == "candidate" and 0 <= index < n_candidates:
                trials[index] = Trial(
                    frozenset(map(str, record["passed"])),
                    bool(record["whole"]),
                    bool(record["hung"]),
                    bad=tuple(map(str, record.get("bad", ()))),
                )
            elif kind == "look":
                seen = record["seen"].items()
                looks[index] = tuple(sorted((str(variant), str(digest)) for variant, digest in seen))
        except (ValueError, LookupError, TypeError, AttributeError, OverflowError):
            continue
    return {index: attrs.evolve(trial, look=looks.get(index)) for index, trial in trials.items()}
