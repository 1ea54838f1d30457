"""Assertions that the product ships and a patch loosens, and the tests that check by them; pure.

A package can ship what its users test with (`testing.assert_close`), and its own tests check by it too. It is
product code by its place, and a test's words by what it does: where it says less, so do they.
"""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterable, Mapping

from greenline.core.evidence import TestReport
from greenline.core.port import Tree
from greenline.core.syntax import parse_python
from greenline.verify.folded import last_name
from greenline.verify.python_suite import Function, SuiteFile
from greenline.verify.test_function import place

_NAMED = re.compile(r"_?(?:assert|expect)(?![a-z])")
_FAILS = frozenset({"fail", "AssertionError"})


def own_assertions(base: Tree, patched: Tree, paths: Iterable[str], after: TestReport) -> Mapping[str, str]:
    """Return id of a test in P → `FILE: NAME` of the assertion of product files by which it says less."""
    weaker = _weaker(base, patched, paths)
    if not weaker:
        return {}
    files = {path: SuiteFile.of(patched, path) for path in patched if path.endswith(".py")}
    known = _handed_on(weaker, [file for file in files.values() if not file.tests])
    near: dict[str, frozenset[str]] = {}
    found = {}
    for test in after.tests:
        path, name = place(test)
        file = files.get(path)
        if file is None or name not in file.tests:
            continue
        if path not in near:
            near[path] = file.closed(frozenset(known))
        used = file.uses(name) & near[path]
        by = next((known[word] for word in sorted(used & known.keys())), "")
        if used:
            found[test.id] = by or min(weaker.values())
    return found


def _handed_on(weaker: Mapping[str, str], files: Iterable[SuiteFile]) -> dict[str, str]:
    """Return the assertions with what hands them on under names of its own, each with what it stands for."""
    users: dict[str, list[str]] = {}
    for file in files:
        for name, used in file.used.items():
            for word in used:
                users.setdefault(word, []).append(name)
    known, waiting = dict(weaker), [*weaker]
    while waiting:
        word = waiting.pop()
        for name in users.get(word, ()):
            if name and name not in known:
                known[name] = known[word]
                waiting.append(name)
    return known


def _weaker(base: Tree, patched: Tree, paths: Iterable[str]) -> dict[str, str]:
    """Return name → `FILE: NAME` of assertions that do not ask for all that they asked for."""
    found = {}
    for path in sorted(paths):
        if path.endswith(".py") and path in base:
            old, new = _assertions(base, path), _assertions(patched, path)
            for name, asked in old.items():
                if name in new and Counter(asked) - Counter(new[name]):
                    found[name] = f"{path}: {name}"
    return found


def _assertions(tree: Tree, path: str) -> dict[str, list[str]]:
    """Return the functions of a file that are named as assertions are → what they ask, as dumps."""
    try:
        module = parse_python(tree[path].content) if path in tree else ast.Module([], [])
    except (SyntaxError, RecursionError):
        return {}
    found = {}
    for node in ast.walk(module):
        if isinstance(node, Function) and _NAMED.match(node.name):
            found[node.name] = [
                ast.dump(condition) for inner in ast.walk(node) for condition in _conditions(inner)
            ]
    return found


def _conditions(node: ast.AST) -> list[ast.expr]:
    """Return what a statement asks for, or when it fails: more of either is stricter."""
    if isinstance(node, ast.Assert):
        return _parts(node.test, ast.And)
    if isinstance(node, ast.If) and any(_fails(step) for step in node.body):
        return _parts(node.test, ast.Or)
    return []


def _parts(test: ast.expr, word: type[ast.boolop]) -> list[ast.expr]:
    return test.values if isinstance(test, ast.BoolOp) and isinstance(test.op, word) else [test]


def _fails(step: ast.stmt) -> bool:
    called = step.exc if isinstance(step, ast.Raise) else step.value if isinstance(step, ast.Expr) else None
    called = called.func if isinstance(called, ast.Call) else called
    return called is not None and last_name(called) in _FAILS
