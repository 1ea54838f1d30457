"""Compares sequences as difflib does, at a cost that is bounded.

difflib looks at all pairs of equal items anew for each run that it finds: minutes for a text of few different
lines.
"""

from __future__ import annotations

import difflib
from collections import Counter
from collections.abc import Sequence
from itertools import accumulate

import attrs

_PAIRS = 1_500_000
"""Pairs of equal items: a quarter of a second at most, and six times what any ordinary text has needed."""


@attrs.define
class Budget:
    """What comparing may still cost; one for all pieces of a text."""

    left: int = _PAIRS


class BoundedMatcher(difflib.SequenceMatcher[str]):
    """Finds the longest runs of equal items first, and none any more once its budget is spent.

    What was not looked at counts as replaced, so its codes turn one sequence into the other in any case.
    """

    def __init__(self, before: Sequence[str], after: Sequence[str], budget: Budget | None = None) -> None:
        super().__init__(None, before, after, autojunk=False)
        counts = Counter(after)
        self._n_pairs = [0, *accumulate(1 + counts[item] for item in before)]
        self._n_items = len(before)
        self._budget = budget or Budget()

    def find_longest_match(
        self, alo: int = 0, ahi: int | None = None, blo: int = 0, bhi: int | None = None
    ) -> difflib.Match:
        """Return the longest run that two ranges share, as `difflib` does; an empty one past the budget."""
        ahi = self._n_items if ahi is None else ahi
        cost = self._n_pairs[ahi] - self._n_pairs[alo]
        if cost > self._budget.left:
            return difflib.Match(alo, blo, 0)
        self._budget.left -= cost
        return super().find_longest_match(alo, ahi, blo, bhi)
