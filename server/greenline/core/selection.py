"""Which tests a verification ran where it did not run all of them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

import attrs

Why = Literal["suiteTooLong", "failedFirst"]
"""`suiteTooLong`: all tests take longer than one run may; `failedFirst`: the affected ones were run first,
and what they showed made the rest needless."""


@attrs.frozen
class Selection:
    """The tests that a change affects, run in place of the whole suite; nothing is known of the others."""

    kind: Literal["affected"]
    why: Why
    n_selected: int
    """How many tests ran with the change."""
    n_tests: int
    """How many the suite is known to have."""
    n_left: int = 0
    """How many affected tests were not run, because they did not fit into the time."""
    reasons: Mapping[str, int] = attrs.field(factory=dict)
    """Why they were chosen → how many."""
    limit_s: float = 0.0
    """How long one run may take."""

    def words(self) -> str:
        """Return what was run and what was not, as sentences for a warning."""
        ran = f"{self.n_selected:,} of {self.n_tests:,} tests ran, those that the change affects"
        if self.why == "failedFirst":
            return f"{ran}, and what they show ended the verification: no other test ran."
        left = f" {self.n_left} more that it may affect did not fit." if self.n_left else ""
        return (
            f"Only {ran}: all of them take longer than the {self.limit_s:g} s of one run (`wall_s`)."
            f" What did not run may fail with the change.{left}"
        )
