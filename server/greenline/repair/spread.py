"""Suspicion of lines that no test is seen to execute: they run at import, before a test begins.

Defaults of arguments, and constants of a module or class, are nearly as suspicious as what uses them; so are
those that a failing test reads itself.
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator, Mapping

from greenline.core.port import Tree
from greenline.core.syntax import parse_python
from greenline.mutation.source import Function, Source

_WEIGHT = 0.6


def spread(source: Source, own: Mapping[int, float], tested: Collection[str] = ()) -> dict[int, float]:
    """Return 1-based line → suspiciousness with those lines added that only an import executes.

    `tested` are the names that the failing tests read.
    """
    found = dict(own)
    for node in ast.walk(source.tree):
        if isinstance(node, Function):
            inside = _highest(own, node.body[0].lineno, node.end_lineno or node.lineno)
            _raise(found, node.lineno, node.body[0].lineno - 1, inside * _WEIGHT)
    used = {**dict.fromkeys(tested, max(own.values(), default=0.0)), **_uses(source, own)}
    for block in [source.tree.body, *(n.body for n in ast.walk(source.tree) if isinstance(n, ast.ClassDef))]:
        for statement in block:
            if isinstance(statement, ast.Assign | ast.AnnAssign):
                score = max((used.get(name, 0.0) for name in _targets(statement)), default=0.0)
                _raise(found, statement.lineno, statement.end_lineno or statement.lineno, score * _WEIGHT)
    return found


def names_tested(tree: Tree, failing: Collection[str]) -> frozenset[str]:
    """Return the names and attributes that failing tests, given by id, read in their own functions."""
    found: set[str] = set()
    for test in failing:
        for path, name in _places(test):
            if path in tree:
                found |= _names_in(tree[path].content, name)
    return frozenset(found)


def _places(test: str) -> Iterator[tuple[str, str]]:
    """Yield file and function that a test's id may mean: pytest's, or unittest's with dots."""
    bare = test.split("[")[0]
    if "::" in bare:
        yield bare.split("::")[0], bare.rpartition("::")[2]
        return
    parts = bare.split(".")
    for end in range(1, len(parts)):
        yield "/".join(parts[:end]) + ".py", parts[-1]


def _names_in(data: bytes, function: str) -> set[str]:
    try:
        tree = parse_python(data)
        bodies = [n for n in ast.walk(tree) if isinstance(n, Function) and n.name == function]
    except (SyntaxError, RecursionError):
        return set()
    inside = [node for body in bodies for node in ast.walk(body)]
    names = {node.id for node in inside if isinstance(node, ast.Name)}
    return names | {node.attr for node in inside if isinstance(node, ast.Attribute)}


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
