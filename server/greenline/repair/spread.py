"""Suspicion of lines that no test is seen to execute: they run at import, before a test begins.

Defaults of arguments, and constants of a module or class, are nearly as suspicious as what uses them.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping

from greenline.mutation.source import Function, Source

_WEIGHT = 0.6


def spread(source: Source, own: Mapping[int, float]) -> dict[int, float]:
    """Return 1-based line → suspiciousness with those lines added that only an import executes."""
    found = dict(own)
    for node in ast.walk(source.tree):
        if isinstance(node, Function):
            inside = _highest(own, node.body[0].lineno, node.end_lineno or node.lineno)
            _raise(found, node.lineno, node.body[0].lineno - 1, inside * _WEIGHT)
    used = _uses(source, own)
    for block in [source.tree.body, *(n.body for n in ast.walk(source.tree) if isinstance(n, ast.ClassDef))]:
        for statement in block:
            if isinstance(statement, ast.Assign | ast.AnnAssign):
                score = max((used.get(name, 0.0) for name in _targets(statement)), default=0.0)
                _raise(found, statement.lineno, statement.end_lineno or statement.lineno, score * _WEIGHT)
    return found


def _highest(own: Mapping[int, float], first: int, last: int) -> float:
    return max((score for line, score in own.items() if first <= line <= last), default=0.0)


def _raise(found: dict[int, float], first: int, last: int, score: float) -> None:
    if score > 0.0:
        for line in range(first, last + 1):
            found.setdefault(line, score)


def _uses(source: Source, own: Mapping[int, float]) -> dict[str, float]:
    """Return name → the highest suspiciousness of a line that reads it."""
    used: dict[str, float] = {}
    for node in ast.walk(source.tree):
        name = node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else ""
        score = own.get(getattr(node, "lineno", 0), 0.0) if name else 0.0
        if score > used.get(name, 0.0):
            used[name] = score
    return used


def _targets(statement: ast.Assign | ast.AnnAssign) -> list[str]:
    targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
    return [target.id for target in targets if isinstance(target, ast.Name)]
