"""Bounds of the loop: how often it may try, how long it may talk, and when it walks in circles."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Hashable

import attrs

from greenline.core.port import ToolRequest, Usage


@attrs.frozen
class LoopLimits:
    """What one run may use before it must stop."""

    max_iterations: int = 5
    """Rounds of editing and testing."""
    max_turns: int = 40
    """Answers of the model in one round."""
    max_same_calls: int = 3
    """How often one call may have the same result, with nothing new staged in between, in one round."""
    budget_usd: float | None = None
    """What one run may cost; None where there is no cap."""


class CallCounter:
    """Notices a model that asks for the same thing again and again.

    Only the same tool with the same arguments (in any order) and the same result counts, and everything
    counts from nothing once the staged copy is as it never was before: a poll with news, or a test run after
    an edit, is no circle.
    """

    def __init__(self, max_same_calls: int) -> None:
        self._max_same_calls = max_same_calls
        self._counts: Counter[tuple[str, str]] = Counter()
        self._last_result: dict[str, str] = {}
        self._states: set[Hashable] = set()

    def is_circular(self, request: ToolRequest) -> bool:
        """Return whether a call has had its last result too often to be run once more."""
        key = _key(request)
        return self._counts[key, self._last_result.get(key, "")] >= self._max_same_calls

    def count(self, request: ToolRequest, result: str, state: Hashable) -> int:
        """Count a call that was run; return how often it had this result. `state` is what is staged now."""
        if state not in self._states:
            self._states.add(state)
            self._counts.clear()
            self._last_result.clear()
        key = _key(request)
        self._last_result[key] = result
        self._counts[key, result] += 1
        return self._counts[key, result]


def _key(request: ToolRequest) -> str:
    return request.name + json.dumps(request.arguments, sort_keys=True) + request.problem


class Meter:
    """Adds up what one run spends."""

    def __init__(self, budget_usd: float | None) -> None:
        self._budget_usd = budget_usd
        self.spent_usd = 0.0

    def add(self, usage: Usage) -> None:
        """Count one call."""
        self.spent_usd += usage.cost_usd

    @property
    def is_exhausted(self) -> bool:
        """Whether the cap is reached."""
        return self._budget_usd is not None and self.spent_usd >= self._budget_usd
