"""Running again what differs, to tell a flaky test from one that a patch fixed or broke.

The containers of B and P are still there when both have reported, so they are asked first: no new one starts.
What a test left behind there can change a later outcome, and is no flakiness: a test whose repeats agree with
one another but not with the first run has its say once more in fresh containers.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Sequence

import attrs

from greenline.core.evidence import Outcome, RunEnd, TestReport
from greenline.core.port import SandboxResult
from greenline.verify.report import parse
from greenline.verify.verdict import differing

REPEATS = 2
"""How often a test that differs is run again on each side."""
KNOWN_REPEATS = 5
"""The same for a test that is known to be flaky."""


class Meeting:
    """Where B and P wait for one another's first report; each side is used by one thread at a time.

    A side that ends, however it ends, must call `leave`, or the other would wait for ever.
    """

    def __init__(self, progress: Callable[[str], None], flaky: frozenset[str] = frozenset()) -> None:
        """Say with `progress` what is run again; `flaky` tests, by the runner's ids, are so more often."""
        self._progress = progress
        self._flaky = flaky
        self._changed = threading.Condition()
        self._first: dict[str, TestReport | None] = {}
        self._told = False

    def followup(self, side: str) -> Callable[[bytes], bytes | None]:
        """Return what a side's container is asked after each round: the ids that differ, as a JSON list."""
        n_asked = 0

        def ask(report: bytes) -> bytes | None:
            nonlocal n_asked
            if n_asked == 0:
                self._arrive(side, parse(SandboxResult(None, False, b"", report, 0.0)))
            n_asked += 1
            tests = self._wait() if n_asked <= KNOWN_REPEATS else ()
            if n_asked > REPEATS:
                tests = tuple(test for test in tests if test in self._flaky)
            return json.dumps(tests).encode() + b"\n" if tests else None

        return ask

    def differences(self, side: str, report: TestReport) -> tuple[str, ...]:
        """Report for a side that has no container; return its tests that end otherwise on the other side.

        Waits for the other side's report. A test that the other side does not hold ends otherwise there.
        """
        self._arrive(side, report)
        with self._changed:
            self._changed.wait_for(lambda: len(self._first) == 2)
            (other,) = (found for name, found in self._first.items() if name != side)
        if other is None or not _complete(report, other):
            return ()
        return tuple(sorted(t.id for t in report.tests if other.outcome_of(t.id) is not t.outcome))

    def anew(self, side: str) -> Meeting:
        """Return a meeting for a side that is measured once more: what the other one reported stands."""
        again = Meeting(self._progress, self._flaky)
        with self._changed:
            again._first = {name: report for name, report in self._first.items() if name != side}
        return again

    def leave(self, side: str) -> None:
        """Say that a side has nothing more to report."""
        self._arrive(side, None)

    def _arrive(self, side: str, report: TestReport | None) -> None:
        with self._changed:
            self._first.setdefault(side, report)
            self._changed.notify_all()

    def _wait(self) -> tuple[str, ...]:
        """Return the tests that differ once both sides have reported; none where a side did not."""
        with self._changed:
            self._changed.wait_for(lambda: len(self._first) == 2)
            base, patched = self._first["B"], self._first["P"]
            if base is None or patched is None or not _complete(base, patched):
                return ()
            tests = differing(base, patched)
            if tests and not self._told:
                self._told = True
                words = "the test that differs" if len(tests) == 1 else f"{len(tests)} tests that differ"
                self._progress(f"Running {words} again.")
            return tests


@attrs.frozen
class Suspects:
    """What the repeats in B's and P's own containers show."""

    flaky: tuple[str, ...] = ()
    """Their repeats differ among themselves."""
    open: tuple[str, ...] = ()
    """To be run again in fresh containers: all repeats differ from the first run, or there are none."""
    on_base: tuple[str, ...] = ()
    """The flaky ones whose repeats on the base differ among themselves."""


def judge(sides: Sequence[tuple[TestReport, ...]]) -> Suspects:
    """Sort the tests that differ between two sides' first rounds by what their later rounds show."""
    (base, *_), (patched, *_) = sides
    if not _complete(base, patched):
        return Suspects()
    flaky: set[str] = set()
    doubtful: set[str] = set()
    tests = differing(base, patched)
    on_base: set[str] = set()
    for number, (first, *repeats) in enumerate(sides):
        for test in tests:
            shown = [report.outcome_of(test) for report in repeats if _complete(report)]
            # One that was not asked for says nothing.
            seen = [outcome is Outcome.PASSED for outcome in shown if outcome is not None]
            if len(set(seen)) > 1:
                flaky.add(test)
                if number == 0:
                    on_base.add(test)
            elif len(seen) < REPEATS or seen[0] != (first.outcome_of(test) is Outcome.PASSED):
                doubtful.add(test)
    return Suspects(tuple(sorted(flaky)), tuple(sorted(doubtful - flaky)), tuple(sorted(on_base)))


def _complete(*reports: TestReport) -> bool:
    return all(report.end is RunEnd.COMPLETE for report in reports)
