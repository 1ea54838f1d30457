"""How much the tests notice when a change is missing or faulty: said beside a verdict, never part of it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import attrs

BiteState = Literal["bites", "idle", "notMeasured"]


@attrs.frozen
class Mutant:
    """One small edit of a changed line that no test noticed."""

    path: str
    """Relative to the project root, with `/`."""
    line: int
    """1-based, in the changed text."""
    before: str
    """What stands there, on one line, shortened; untrusted text."""
    after: str
    """What no test tells from it; empty where the statement was left out."""

    def words(self) -> str:
        """Return `calc.py:5: <= → <`."""
        return f"{self.path}:{self.line}: {self.before} → {self.after or 'nothing'}"


@attrs.frozen
class HunkBite:
    """Whether the tests need one hunk, and how many mutants of its lines they kill."""

    state: BiteState
    """`bites`: without it a test fails that passes with it."""
    reason: str = ""
    """Why it is `idle` (`noTestExecutes`, `noTestFails`) or `notMeasured` (`noCode`, `notText`, `time`,
    `unsound`, `died`); empty where it bites."""
    tests: tuple[str, ...] = ()
    """Some of the tests that fail without it."""
    taken_along: tuple[str, ...] = ()
    """Ids of the hunks that need this one, and were taken back with it."""
    n_mutants: int = 0
    n_killed: int = 0
    survivors: tuple[Mutant, ...] = ()


@attrs.frozen
class Bite:
    """The sum over all hunks of product code."""

    n_hunks: int = 0
    """How many were measured."""
    n_biting: int = 0
    n_hunks_left: int = 0
    """How many were not measured."""
    n_mutants: int = 0
    """How many were tried, or lie where no test executes them; one that changes nothing is among them."""
    n_killed: int = 0
    n_mutants_left: int = 0
    """How many were made, and not tried or not decided."""
    reason: str = ""
    """Why something was not measured, in one sentence; empty where all was."""
    duration_s: float = 0.0

    def words(self) -> str:
        """Return `3 of 4 hunks bite; 7 of 9 mutants killed`, and what was left out."""
        parts = []
        if self.n_hunks:
            noun = "hunk bites" if self.n_hunks == 1 else "hunks bite"
            parts.append(f"{self.n_biting} of {self.n_hunks} {noun}")
        if self.n_hunks_left:
            noun = "hunk" if self.n_hunks_left == 1 else "hunks"
            parts.append(f"{self.n_hunks_left} {noun} not measured")
        if self.n_mutants:
            noun = "mutant" if self.n_mutants == 1 else "mutants"
            parts.append(f"{self.n_killed} of {self.n_mutants} {noun} killed")
        if self.n_mutants_left:
            parts.append(f"{self.n_mutants_left} not tried" if self.n_mutants else "no mutant tried")
        return "; ".join(parts) or "no hunk could be measured"

    @classmethod
    def together(cls, found: Sequence[Bite | None]) -> Bite | None:
        """Return the sum of several projects' bite; None where none was measured."""
        present = [bite for bite in found if bite is not None]
        if not present:
            return None
        return cls(
            n_hunks=sum(bite.n_hunks for bite in present),
            n_biting=sum(bite.n_biting for bite in present),
            n_hunks_left=sum(bite.n_hunks_left for bite in present),
            n_mutants=sum(bite.n_mutants for bite in present),
            n_killed=sum(bite.n_killed for bite in present),
            n_mutants_left=sum(bite.n_mutants_left for bite in present),
            reason=" ".join(dict.fromkeys(bite.reason for bite in present if bite.reason)),
            duration_s=sum(bite.duration_s for bite in present),
        )


@attrs.frozen
class ChangedLines:
    """How many of the changed product lines tests execute."""

    n_executed: int
    """Those that a test which passes executes in its own context."""
    n_executable: int
    """Lines of code that were added or changed; those that only an import executes are left out."""

    def is_below(self, percent: float) -> bool:
        """Return whether fewer are executed than so many of a hundred; never where none could be."""
        return 100 * self.n_executed < percent * self.n_executable

    def words(self) -> str:
        """Return `6 of 8 changed lines are executed by tests`."""
        noun = "changed line is" if self.n_executable == 1 else "changed lines are"
        return f"{self.n_executed} of {self.n_executable} {noun} executed by tests"
