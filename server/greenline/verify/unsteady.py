"""Tests whose ids are made anew in each process, from the time or from chance; pure.

The independent collection cannot find such an id again, and no other run has it. They are known by their
place among the rows of their test instead, where both processes have as many of them.
"""

from __future__ import annotations

from collections.abc import Iterable


def steady_ids(collected: Iterable[str], reported: Iterable[str]) -> dict[str, str]:
    """Return id → steady id for what only one of the two has, of tests of which both have as many rows."""
    found, told = dict.fromkeys(collected), dict.fromkeys(reported)
    alone = _by_test(test for test in found if test not in told)
    strange = _by_test(test for test in told if test not in found)
    return {
        test: f"{name}[row {number} of changing names]"
        for name in alone.keys() & strange.keys()
        if len(alone[name]) == len(strange[name])
        for rows in (alone[name], strange[name])
        for number, test in enumerate(rows, 1)
    }


def _by_test(ids: Iterable[str]) -> dict[str, list[str]]:
    rows: dict[str, list[str]] = {}
    for test in ids:
        name, bracket, _ = test.partition("[")
        if bracket and test.endswith("]"):
            rows.setdefault(name, []).append(test)
    return rows
