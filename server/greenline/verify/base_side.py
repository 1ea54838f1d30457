"""The base's side of one verification: measured in a container, or known from an earlier verification.

Invariant: every difference that a verdict rests on was seen on both sides in this verification. Of a base
that is known what differs runs again, twice, in a container of its own; where that shows anything else than
what is known, all of it is measured anew and what was known is forgotten.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping, Sequence

import attrs

from greenline.core.error import SandboxUnavailable
from greenline.core.evidence import RunEnd, TestReport
from greenline.core.port import Fingerprinted, Progress, SandboxRequest, SandboxResult, Tree
from greenline.verify.base_cache import KeptRun, base_key
from greenline.verify.flaky_memory import KnownTest, Place
from greenline.verify.memory import Memory
from greenline.verify.repeat import REPEATS, Meeting
from greenline.verify.report import collected_ids, parse
from greenline.verify.rerun import Stability
from greenline.verify.runs import Suite

NAME = "B"

_Followup = Callable[[bytes], bytes | None]


@attrs.define
class BaseSide:
    """Used by one thread at a time: first `rounds`, then `settle`."""

    suite: Suite
    meeting: Meeting
    progress: Progress
    memory: Memory | None = None
    """None: nothing is known, and nothing is kept."""
    fresh: bool = False
    """Whether what is known of the base is not asked for."""
    known: Mapping[str, KnownTest] = attrs.field(factory=dict)
    """Tests that earlier verifications found to be flaky, or to depend on their order."""
    _key: str = ""
    """Under what the base is kept; empty where it is not."""
    _measured_key: str = ""
    """Under what it is kept with what its tests execute, where that is not asked for now."""
    _result: SandboxResult | None = None
    """What was measured in this verification."""

    @classmethod
    def of(cls, suite: Suite, progress: Progress, memory: Memory | None, *, fresh: bool) -> BaseSide:
        """Return the base's side with what is remembered of the workspace's tests."""
        known = {} if memory is None else memory.flaky.known(suite.root)
        prefix = suite.prefix if suite.takes_rounds else ""
        flaky = (test.removeprefix(prefix) for test, found in known.items() if found.is_flaky)
        return cls(suite, Meeting(progress, frozenset(flaky)), progress, memory, fresh, known)

    def known_flaky(self, *reports: TestReport) -> tuple[str, ...]:
        """Return the tests of these reports that are known to be flaky, sorted."""
        there = {test.id for report in reports for test in report.tests}
        return tuple(sorted(t for t, found in self.known.items() if found.is_flaky and t in there))

    def rounds(self, tree: Tree) -> tuple[TestReport, ...]:
        """Return the base's reports, the whole suite's first; raises `Cancelled` only."""
        request = self.suite.request_in_rounds(tree, self.meeting.followup(NAME))
        if request is None:
            return self.suite.run_in_rounds(tree, self.meeting.followup(NAME))
        self._key = self._key_of(request)
        if not self.suite.is_measuring:
            # A run that measured as well ends as one that does not.
            suite = attrs.evolve(self.suite, is_measuring=True)
            measuring = suite.request_in_rounds(tree, self.meeting.followup(NAME))
            self._measured_key = self._key_of(measuring) if measuring is not None else ""
        known = self._known()
        if known is None:
            return self._measured(request)
        self.progress(
            f"The tests without the change ran at {_clock(known.measured_at)}; only the change's run."
        )
        return self._compared(tree, known) or self._measured_anew(request)

    def collected(self) -> tuple[str, ...]:
        """Return the ids of the tests that the base was found to have, where it was measured now."""
        return () if self._result is None else collected_ids(self._result, self.suite.prefix)

    def settle(self, reports: Sequence[TestReport], stable: Stability, *, touches_tests: bool) -> None:
        """Keep what was measured, or forget what was known, once all runs of the verification are judged.

        What tests do beside a patch's own tests and configuration is not remembered of them.
        """
        if self.memory is None:
            return
        root, on_base = self.suite.root, set(stable.on_base)
        seen: dict[Place, set[str]] = {
            "base": on_base,
            "patched": set() if touches_tests else set(stable.flaky) - on_base,
            "order": set(stable.ordered),
        }
        self.memory.flaky.record(root, seen)
        if not self._key:
            return
        if stable.flaky or stable.ordered:
            for key in filter(None, (self._key, self._measured_key)):
                self.memory.bases.discard(root, key)
        elif self._result is not None and all(map(self._is_sound, reports)):
            self.memory.bases.put(root, self._key, self._result)

    def _key_of(self, request: SandboxRequest) -> str:
        """Return the base's key now; empty where none is kept, or nobody knows what it depends on."""
        if self.memory is None or not isinstance(self.suite.sandbox, Fingerprinted):
            return ""
        try:
            return base_key(request, self.suite.sandbox.fingerprint(request))
        except SandboxUnavailable:
            return ""

    def _known(self) -> KeptRun | None:
        """Return what is known of the base, where it can be believed."""
        if self.memory is None or self.fresh or not self._key:
            return None
        for key in filter(None, (self._key, self._measured_key)):
            known = self.memory.bases.get(self.suite.root, key)
            if known is not None and self._is_sound(self.suite.read(known.result)[0]):
                return known
            self.memory.bases.discard(self.suite.root, key)
        return None

    def _compared(self, tree: Tree, known: KeptRun) -> tuple[TestReport, ...]:
        """Return what is known with the repeats of what differs; empty where they contradict it."""
        report = attrs.evolve(self.suite.read(known.result)[0], measured_at=known.measured_at)
        tests = self.meeting.differences(NAME, parse(known.result))
        if not tests:
            return (report,)
        request = self.suite.request_in_rounds(tree, _again(tests), tests)
        repeats = () if request is None else self._run(request)[1]
        names = [self.suite.prefix + test for test in tests]
        if len(repeats) == REPEATS and all(_agree(report, repeat, names) for repeat in repeats):
            return (report, *repeats)
        return ()

    def _measured_anew(self, request: SandboxRequest) -> tuple[TestReport, ...]:
        self.progress("The tests without the change end otherwise than before: running all of them again.")
        for key in filter(None, (self._key, self._measured_key)):
            if self.memory is not None:
                self.memory.bases.discard(self.suite.root, key)
        followup = self.meeting.anew(NAME).followup(NAME)
        return self._measured(attrs.evolve(request, followup=followup))

    def _measured(self, request: SandboxRequest) -> tuple[TestReport, ...]:
        self._result, reports = self._run(request)
        # What changed meanwhile may have been seen by some tests and not by others.
        if self._key and self._key_of(request) != self._key:
            self._key = ""
        return reports

    def _is_sound(self, report: TestReport) -> bool:
        """Return whether a run shows what the next one would: whole, by no clock's word, not by chance."""
        return report.end is RunEnd.COMPLETE and not any(
            test.timed_out or test.id in self.known for test in report.tests
        )

    def _run(self, request: SandboxRequest) -> tuple[SandboxResult | None, tuple[TestReport, ...]]:
        try:
            result = self.suite.sandbox.run(request, self.suite.cancellation)
        except SandboxUnavailable as error:
            return None, (TestReport(end=RunEnd.UNAVAILABLE, detail=str(error)),)
        return result, self.suite.read(result)


def _again(tests: Sequence[str]) -> _Followup:
    """Return what asks for the same tests until they have run as often as a repeat is due."""
    line = json.dumps(tests).encode() + b"\n"
    rounds = iter((line,) * (REPEATS - 1))
    return lambda _: next(rounds, None)


def _agree(known: TestReport, repeat: TestReport, tests: Sequence[str]) -> bool:
    """Return whether a repeat is whole and shows of each test what is known of it."""
    return repeat.end is RunEnd.COMPLETE and all(
        repeat.outcome_of(test) is known.outcome_of(test) for test in tests
    )


def _clock(seconds: float) -> str:
    return time.strftime("%Y-%m-%d %H:%M", time.localtime(seconds))
