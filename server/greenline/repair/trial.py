"""Trying candidates in the sandbox, a batch a container; the answers only rank, they are no verdict."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor

import attrs

from greenline.core.cancel import Cancellation
from greenline.core.evidence import Outcome, TestReport
from greenline.core.port import Sandbox, Tree
from greenline.mutation.source import Candidate
from greenline.verify.batch import Asked, Batch, Timing, Trial

_SPARE_S = 0.1
_TIMES = 2.0
_ENDED = (Outcome.PASSED, Outcome.SKIPPED, Outcome.XFAILED, Outcome.XPASSED, Outcome.DESELECTED)


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
        batch = Batch(
            self.sandbox,
            self.root,
            self.tree,
            self.runner,
            self.timing,
            self.label,
            near=self.near,
            settle_s=self.settle_s,
        )
        return batch.run(Asked(candidates), wall_s, cancellation, patience)
