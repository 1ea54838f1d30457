"""What the sandbox measured: test reports, the verdict drawn from them, and coverage of the changed lines."""

from __future__ import annotations

from enum import StrEnum
from functools import cached_property
from typing import Literal

import attrs

from greenline.core.bite import Bite, ChangedLines, HunkBite
from greenline.core.selection import Selection


class Outcome(StrEnum):
    """How one test ended, in the runner's own words."""

    PASSED = "passed"
    FAILED = "failed"
    ERROR = "error"
    SKIPPED = "skipped"
    XFAILED = "xfailed"
    XPASSED = "xpassed"
    DESELECTED = "deselected"


class RunEnd(StrEnum):
    """How one whole test run ended."""

    COMPLETE = "complete"
    """The reporter wrote its end marker."""
    COLLECTION = "collection"
    """Collection failed for at least one file."""
    TIMEOUT = "timeout"
    """The wall-clock limit was reached and everything was killed."""
    DIED = "died"
    """The tests' process ended before the end marker (crash, memory limit, forged exit)."""
    RUNNER_MISSING = "runnerMissing"
    """Neither the project nor the toolbox has a runner for this project."""
    UNAVAILABLE = "sandboxUnavailable"
    """No sandbox could be had; nothing ran."""


class Verdict(StrEnum):
    """The words of the protocol, in order of precedence."""

    COULD_NOT_RUN = "couldNotRun"
    NOT_RUN = "notRun"
    FLAKY = "flaky"
    REGRESSED = "regressed"
    STILL_FAILING = "stillFailing"
    TESTS_ONLY = "testsOnly"
    NOT_COVERED = "notCovered"
    VERIFIED = "verified"


@attrs.frozen
class TestResult:
    """One test of one run."""

    id: str
    """The runner's own id, `tests/test_a.py::test_b[1]` or `tests.test_a.TestB.test_c`."""
    outcome: Outcome
    duration_s: float = 0.0
    file: str | None = None
    """Path relative to the project root, with `/`."""
    line: int | None = None
    """1-based."""
    message: str = ""
    """The failure as the runner reported it, shortened; untrusted text."""
    timed_out: bool = False
    """Whether the runner stopped it at its own limit (`Limits.test_s`)."""


TestResult.__test__ = False  # type: ignore[attr-defined]  # the name is the field's own; pytest must not collect it


@attrs.frozen
class TestReport:
    """Everything that one run in one fresh container reported."""

    end: RunEnd
    tests: tuple[TestResult, ...] = ()
    coverage: dict[str, dict[str, tuple[int, ...]]] = attrs.field(factory=dict)
    """test id → file (relative, `/`) → sorted 1-based lines that the test's own context executed."""
    runner: str = ""
    """`pytest 8.3.3 (project)`, `pytest 8.3.3 (toolbox)`, `unittest` …"""
    duration_s: float = 0.0
    output: str = ""
    """The tail of standard output and error, at most 64 KiB; untrusted text."""
    detail: str = ""
    """What went wrong, where `end` is not complete; one sentence."""
    coverage_of: Literal["test", "suite"] = "test"
    """`suite`: a test's lines are those of its whole suite, all of whose tests pass."""
    replaced: tuple[str, ...] = ()
    """Functions and plugins of the runner that project code replaced or added while it ran."""
    unbuilt: dict[str, str] = attrs.field(factory=dict)
    """Folder of a package that does not build without its tests → the compiler's words."""
    notes: tuple[str, ...] = ()
    """What must be known of how it was measured; sentences for people."""
    measured_at: float | None = None
    """When it was measured, in seconds since 1970, where that was in an earlier verification."""

    def outcome_of(self, test_id: str) -> Outcome | None:
        """Return how a test ended, or None where the run does not hold it."""
        return self._outcomes.get(test_id)

    @cached_property
    def _outcomes(self) -> dict[str, Outcome]:
        return {test.id: test.outcome for test in self.tests}

    def count(self, outcome: Outcome) -> int:
        """Return how many tests ended so."""
        return sum(1 for t in self.tests if t.outcome is outcome)


TestReport.__test__ = False  # type: ignore[attr-defined]


@attrs.frozen
class HunkEvidence:
    """Which tests execute the changed lines of one hunk."""

    hunk_id: str
    coverage: Literal["covered", "notCovered", "notApplicable"]
    tests: tuple[str, ...] = ()
    bite: HunkBite | None = None
    """Whether the tests need it, where that was asked."""


@attrs.frozen
class Evidence:
    """The measured facts behind one proposal or one patch."""

    verdict: Verdict
    reason: str
    """A short code (`lost`, `collection`, `newTestsPassOnBase`, `sandboxUnavailable`, …) or empty."""
    detail: str
    """One sentence for people, with names and counts."""
    base: TestReport | None = None
    patched: TestReport | None = None
    old_tests: TestReport | None = None
    """The run O of the protocol, where it was needed."""
    new_tests: TestReport | None = None
    """The run N of the protocol, where it was needed."""
    fixed: tuple[str, ...] = ()
    lost: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    """Tests that are gone in P but pass in O: renamed or removed, listed and not lost."""
    flaky: tuple[str, ...] = ()
    known_flaky: tuple[str, ...] = ()
    """Tests of this workspace that earlier verifications found to be flaky, and that were run."""
    hunks: tuple[HunkEvidence, ...] = ()
    touches_tests: bool = False
    warnings: tuple[str, ...] = ()
    sandbox: str = ""
    """`docker` or empty."""
    engine: str = ""
    """The engine's version, `docker 28.2.2`."""
    image: str = ""
    """The image's digest."""
    toolchain: str = ""
    command: tuple[str, ...] = ()
    duration_s: float = 0.0
    currency: Literal["current", "partial"] = "current"
    measured: tuple[str, ...] | None = None
    """Ids of the hunks that the measured text held, where those were not all of the proposal."""
    changed_lines: ChangedLines | None = None
    """How many changed product lines tests execute, where the tests have run with the change."""
    bite: Bite | None = None
    """How much of the change the tests notice, where that was asked and the verdict is `verified`."""
    selection: Selection | None = None
    """Which tests were run, where those are not the whole suite."""

    @property
    def is_vouched_for(self) -> bool:
        """Whether it is verified by the whole suite, so that nothing need be asked before it is used."""
        return self.verdict is Verdict.VERIFIED and self.selection is None

    def without_coverage(self) -> Evidence:
        """Return it without the tables of executed lines, which are large; each hunk keeps its tests."""

        def lean(report: TestReport | None) -> TestReport | None:
            return None if report is None else attrs.evolve(report, coverage={})

        return attrs.evolve(
            self,
            base=lean(self.base),
            patched=lean(self.patched),
            old_tests=lean(self.old_tests),
            new_tests=lean(self.new_tests),
        )
