"""Bounds of the loop: how often it may try, how long it may talk, and when it walks in circles."""

from __future__ import annotations

import json
from collections import Counter

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
    """How often one tool may be called with the same arguments in one round."""
    budget_usd: float | None = None
    """What one run may cost; None where there is no cap."""


class CallCounter:
    """Notices a model that asks for the same thing again and again."""

    def __init__(self, max_same_calls: int) -> None:
        self._max_same_calls = max_same_calls
        self._seen: Counter[str] = Counter()

    def is_circular(self, request: ToolRequest) -> bool:
        """Count a call; return whether it was made too often."""
        key = request.name + json.dumps(request.arguments, sort_keys=True)
        self._seen[key] += 1
        return self._seen[key] > self._max_same_calls


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
