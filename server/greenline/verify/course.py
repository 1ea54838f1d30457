"""Which tests one verification runs: the whole suite, the affected ones first, or these alone.

Invariant: the whole suite is run as the project orders it wherever it fits into a run's time. Fewer tests are
run only where all of them are known not to fit, and what was run is then said with the verdict.
"""

from __future__ import annotations

import attrs

from greenline.core.evidence import Evidence, RunEnd, TestReport, Verdict
from greenline.core.selection import Why
from greenline.verify.affected import Affected, Ground, Reason, affected
from greenline.verify.choice import Choice, choose
from greenline.verify.known_suite import KnownSuite
from greenline.verify.runs import Suite
from greenline.verify.suite_memory import SuiteMemory

FIRST_S = 5.0
"""How long a suite must take for the affected tests to be run before it."""
SHARES = (0.6, 0.3)
"""Which part of a run's time the affected tests are to fill, by what they took before; and where that was too
much, once more."""
_FIRST_SHARE = 0.2
"""What part of the suite's time the affected tests may take to be run before it."""
_ENDING = (Verdict.REGRESSED, Verdict.STILL_FAILING)
_NOT_LEFT = (Reason.CHECK, Reason.CHANGED)
"""A verdict without these tests would be none about the change."""


@attrs.define
class Course:
    """What is known of the suite in one verification; used by one thread."""

    suite: Suite
    ground: Ground
    memory: SuiteMemory | None
    now: float
    """Seconds since 1970."""
    known: KnownSuite = attrs.field(factory=KnownSuite)
    _was_known: bool = False
    _found: tuple[Affected, ...] | None = None

    @classmethod
    def of(cls, suite: Suite, ground: Ground, memory: SuiteMemory | None, now: float) -> Course:
        """Return the course with what is remembered of the only project's suite."""
        course = cls(suite, ground, memory, now)
        if memory is not None and suite.takes_rounds:
            course.known = memory.get(suite.root, suite.projects[0]).of_tree(ground.base)
            course._was_known = bool(course.known.tests)
        return course

    @property
    def is_too_long(self) -> bool:
        """Whether earlier runs say that the whole suite does not fit into one run."""
        return self.suite.takes_rounds and self.known.is_longer(self.suite.limits.wall_s)

    @property
    def obstacle(self) -> str:
        """Why the affected tests cannot stand for the suite, as a sentence; empty where they can."""
        if not self.suite.takes_rounds:
            return "The change concerns several projects, so that no choice of tests is made."
        if any(self.ground.rule.is_configuration(path) for path in self.ground.paths):
            return "The change touches the runner's configuration, which may concern every test."
        return ""

    def first(self, least_s: float) -> Choice | None:
        """Return the affected tests where it pays to run them before a suite of at least so many seconds."""
        whole_s = self.known.whole_s
        if self.obstacle or whole_s is None or whole_s < least_s:
            return None
        choice = self._choice(min(_FIRST_SHARE * whole_s, SHARES[0] * self.suite.limits.wall_s))
        return choice if choice.chosen and not choice.left and not _is_whole(choice) else None

    def instead(self, share: float) -> Choice | None:
        """Return the affected tests that fill a part of a run's time, or None where they prove too little."""
        if self.obstacle:
            return None
        choice = self._choice(share * self.suite.limits.wall_s)
        lacks_own = any(item.reason in _NOT_LEFT for item in choice.left)
        return None if not choice.chosen or _is_whole(choice) or lacks_own else choice

    def suite_of(self, choice: Choice | None) -> Suite:
        """Return the suite that runs a choice, or all tests where there is none."""
        return self.suite if choice is None else attrs.evolve(self.suite, selected=choice.names)

    def learn(self, base: TestReport, collected: tuple[str, ...], choice: Choice | None) -> None:
        """Take in what a run of the base told, and keep it for the next verification."""
        if base.measured_at is not None and self._was_known:
            # It was taken in when it was measured.
            return
        tree, before = self.ground.base, self.known
        if choice is None:
            self.known = before.after_whole(base, tree, collected, self.now)
        else:
            self.known = before.after_some(base, tree, collected)
        self._found = None
        if self.memory is not None and self.suite.takes_rounds and self.known is not before:
            self.memory.put(self.suite.root, self.suite.projects[0], self.known)

    def _choice(self, budget_s: float) -> Choice:
        if self._found is None:
            self._found = affected(self.ground, self.known)
        return choose(self.ground, self.known, self._found, budget_s)


def _is_whole(choice: Choice) -> bool:
    return not choice.left and choice.n_chosen >= choice.n_tests


def ends(evidence: Evidence) -> bool:
    """Return whether what the affected tests show makes all others needless: one is lost, or to be mended."""
    return evidence.verdict in _ENDING


def told(evidence: Evidence, choice: Choice, why: Why, limit_s: float) -> Evidence:
    """Return the evidence of a choice of tests with what was run of the suite."""
    patched = evidence.patched or TestReport(end=RunEnd.UNAVAILABLE)
    selection = choice.selection(why, patched, limit_s)
    words = f"Only {selection.n_selected:,} of {selection.n_tests:,} tests ran."
    return attrs.evolve(evidence, selection=selection, detail=f"{evidence.detail} {words}".strip())
