"""Failing tests that compare within a constant of the product which a patch loosens; pure.

A bound or a tolerance that tests take from the product is their own measure: where it grows, they pass with
nothing mended. A constant that they compare for equality is what they are about, and is none.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache
from typing import Literal

import attrs

from greenline.core.evidence import Outcome, TestReport, TestResult
from greenline.core.port import Tree
from greenline.core.syntax import parse_python
from greenline.verify.folded import last_name, number_of, numbers_of
from greenline.verify.python_suite import SuiteFile
from greenline.verify.test_function import place

Looser = Literal["more", "less", "other"]
"""With which value a comparison lets more pass: a greater one, a smaller one, or nobody knows."""

Constant = tuple[str, str]
"""Module as an import names it, and the constant's name in it."""

_BROKEN = frozenset({Outcome.FAILED, Outcome.ERROR})
_FLIPPED: Mapping[Looser, Looser] = {"more": "less", "less": "more", "other": "other"}
_TOLERANCES = frozenset({"rel", "abs", "delta", "rel_tol", "abs_tol", "rtol", "atol", "max_diff"})
_DIGITS = frozenset({"places", "decimal", "significant", "ndigits"})
_CLOSE: Mapping[str, tuple[int, Looser]] = {
    "approx": (1, "more"),
    "isclose": (2, "more"),
    "allclose": (2, "more"),
    "assert_allclose": (2, "more"),
    "assertAlmostEqual": (2, "less"),
    "assertNotAlmostEqual": (2, "more"),
    "round": (1, "less"),
}
"""Calls, with which argument is the first of a tolerance, and what makes it looser."""
_ASSERTS: Mapping[str, bool] = {
    "assertLess": True,
    "assertLessEqual": True,
    "assertGreater": False,
    "assertGreaterEqual": False,
}
"""Name → whether the second argument is the greater one."""
_PLAIN = frozenset({"float", "int", "min", "max", "Decimal", "Fraction"})
"""Calls whose arguments are part of a bound; what others do with theirs, nobody knows."""
_PLACE = re.compile(r"([\w./\-]+\.py):(\d+)|File \"([^\"\n]+\.py)\", line (\d+)")
_CALLED = frozenset({*_PLAIN, "abs"})
_MAX_DEPTH = 3


@attrs.frozen
class _Measure:
    """One comparison in a file of tests."""

    start: int
    end: int
    bounds: frozenset[tuple[Constant, Looser]]
    """What of the product it takes its bounds from."""


def measured_by_product(
    base: Tree, patched: Tree, product: Iterable[str], before: TestReport
) -> dict[str, str]:
    """Return id → constant of the tests that fail in B on a comparison within what `product` loosens.

    `product` are the changed files of product code.
    """
    broken = [test for test in before.tests if test.outcome in _BROKEN]
    changed = _changed(base, patched, [path for path in product if path.endswith(".py")]) if broken else {}
    if not changed:
        return {}
    read = cache(lambda path: _measures(base, path))
    found = {}
    for test in broken:
        first = next(_of_python(base, test, read, changed), None)
        if first is not None:
            found[test.id] = first
    return found


def _changed(base: Tree, patched: Tree, product: Iterable[str]) -> dict[str, dict[str, Looser]]:
    """Return file → its constants that have another value than before, and which way."""
    found: dict[str, dict[str, Looser]] = {}
    for path in product:
        if path in base and path in patched:
            old, new = (_constants(tree, path) for tree in (base, patched))
            both = old.keys() & new.keys()
            found[path] = {name: _way(old[name][1], new[name][1]) for name in both if old[name] != new[name]}
    return found


def _way(old: float | None, new: float | None) -> Looser:
    if old is None or new is None:
        return "other"
    return "more" if new > old else "less"


def _constants(tree: Tree, path: str) -> dict[str, tuple[str, float | None]]:
    """Return name → what a file gives it outside of functions, as text and, where it is one, as a number."""
    text = tree[path].content
    if not path.endswith(".py"):
        return {}
    try:
        module = parse_python(text)
    except (SyntaxError, RecursionError):
        return {}
    numbers = numbers_of(module)
    given = [pair for pair in _assigned(module.body) if not isinstance(pair[1], ast.Lambda)]
    given += [entry for name, value in given for entry in _entries(name, value)]
    return {name: (ast.dump(value), _signed(value, numbers)) for name, value in given}


def _entries(name: str, value: ast.expr) -> Iterator[tuple[str, ast.expr]]:
    """Yield the entries of a table, as they are written where they are read."""
    if isinstance(value, ast.Dict):
        for key, entry in zip(value.keys, value.values, strict=True):
            if isinstance(key, ast.Constant):
                yield f"{name}[{key.value!r}]", entry


def _signed(value: ast.expr, numbers: Mapping[str, float]) -> float | None:
    if isinstance(value, ast.UnaryOp) and isinstance(value.op, ast.USub):
        number = number_of(value.operand, numbers)
        return None if number is None else -number
    return number_of(value, numbers)


def _assigned(body: Iterable[ast.stmt]) -> Iterator[tuple[str, ast.expr]]:
    """Yield what a module or a class gives a name to, with those of its classes."""
    for node in body:
        if isinstance(node, ast.ClassDef):
            yield from _assigned(node.body)
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name) and node.value:
            yield node.target.id, node.value
        elif isinstance(node, ast.Assign):
            yield from ((t.id, node.value) for t in node.targets if isinstance(t, ast.Name))


def _of_python(
    base: Tree,
    test: TestResult,
    read: Callable[[str], tuple[_Measure, ...]],
    changed: Mapping[str, Mapping[str, Looser]],
) -> Iterator[str]:
    """Yield the constants by which the comparison that failed is looser."""
    path, name = place(test)
    failed = _failed_at(base, test.message)
    if failed is None:
        at, start, end = path, *_span(base, path, name)
    else:
        at, start, end = failed[0], failed[1], failed[1]
    # What failed in the product failed on no comparison of the tests.
    for measure in read(at) if at not in changed else ():
        if measure.start <= end and measure.end >= start:
            yield from (c[1] for c, way in sorted(measure.bounds) if _lets_pass(changed, c, way))


def _lets_pass(changed: Mapping[str, Mapping[str, Looser]], constant: Constant, way: Looser) -> bool:
    module, name = constant
    own = (names[name] for path, names in changed.items() if name in names and _may_be(module, path))
    return any(new == way or "other" in (new, way) for new in own)


def _may_be(module: str, path: str) -> bool:
    """Return whether a module that tests import may have a file's constants: its own, or its package's."""
    parts = path.removesuffix(".py").removesuffix("/__init__").split("/")
    return set(module.split(".")) - {""} <= set(parts)


def _failed_at(base: Tree, message: str) -> tuple[str, int] | None:
    """Return the innermost place of a traceback, as pytest and Python write it, in the tree."""
    found = None
    for match in _PLACE.finditer(message):
        path, line = match[1] or match[3], int(match[2] or match[4])
        # Where a project lies in its container is not asked: the longest path that is there counts.
        parts = path.split("/")
        ends = ("/".join(parts[n:]) for n in range(len(parts)))
        own = next((end for end in ends if end in base), None)
        found = (own, line) if own is not None else found
    return found


def _span(base: Tree, path: str, name: str) -> tuple[int, int]:
    """Return the first and the last line of a test."""
    test = SuiteFile.of(base, path).tests.get(name)
    return (test.lineno, test.end_lineno or test.lineno) if test is not None else (0, 0)


def _measures(base: Tree, path: str) -> tuple[_Measure, ...]:
    try:
        module = parse_python(base[path].content) if path in base else ast.Module([], [])
        names = _Names.of(module)
        return tuple(
            _Measure(statement.lineno, statement.end_lineno or statement.lineno, bounds)
            for statement in ast.walk(module)
            if isinstance(statement, ast.stmt)
            and (bounds := frozenset(b for node in _own(statement) for b in names.bounds(node)))
        )
    except (SyntaxError, RecursionError):
        return ()


def _own(statement: ast.stmt) -> Iterator[ast.AST]:
    """Yield the expressions of a statement, without those of statements in it."""
    left: list[ast.AST] = [statement]
    while left:
        node = left.pop()
        yield node
        left += (inner for inner in ast.iter_child_nodes(node) if not isinstance(inner, ast.stmt))


@attrs.frozen
class _Names:
    """What the names of a file of tests stand for."""

    imported: Mapping[str, Constant]
    """Name → the module that it comes from, and what it is called there; of a module nothing."""
    given: Mapping[str, tuple[ast.expr, ...]]
    """Name → the different expressions that the file itself gives it."""

    @classmethod
    def of(cls, module: ast.Module) -> _Names:
        imported: dict[str, Constant] = {}
        given: dict[str, dict[str, ast.expr]] = {}
        for node in ast.walk(module):
            if isinstance(node, ast.ImportFrom):
                imported |= {a.asname or a.name: (node.module or "", a.name) for a in node.names}
            elif isinstance(node, ast.Import):
                imported |= {a.asname or a.name.split(".")[0]: (a.name, "") for a in node.names}
            elif isinstance(node, ast.stmt):
                for name, value in _assigned([node]):
                    given.setdefault(name, {})[ast.dump(value)] = value
        return cls(imported, {name: tuple(values.values()) for name, values in given.items()})

    def bounds(self, node: ast.AST) -> Iterator[tuple[Constant, Looser]]:
        """Yield the names from which an expression takes what it compares within."""
        if isinstance(node, ast.Compare):
            sides = [node.left, *node.comparators]
            for left, operator, right in zip(sides, node.ops, sides[1:], strict=False):
                if isinstance(operator, ast.Lt | ast.LtE):
                    yield from self._within(left, right)
                elif isinstance(operator, ast.Gt | ast.GtE):
                    yield from self._within(right, left)
        elif isinstance(node, ast.Call):
            name = last_name(node.func)
            if name in _ASSERTS and len(node.args) >= 2:
                less, more = node.args[:2] if _ASSERTS[name] else node.args[1::-1]
                yield from self._within(less, more)
            if name in _CLOSE:
                start, way = _CLOSE[name]
                for value in node.args[start:]:
                    yield from self._terms(value, way)
            is_close = name in _CLOSE or name.startswith("assert")
            for keyword in node.keywords if is_close else ():
                if keyword.arg in _TOLERANCES or keyword.arg in _DIGITS:
                    yield from self._terms(keyword.value, "more" if keyword.arg in _TOLERANCES else "less")

    def _within(self, less: ast.expr, more: ast.expr) -> Iterator[tuple[Constant, Looser]]:
        """Yield the bounds of `less < more`; what is compared with numbers alone is no bound of a test's."""
        if _is_result(less):
            yield from self._terms(more, "more")
        if _is_result(more):
            yield from self._terms(less, "less")

    def _terms(
        self, node: ast.expr, way: Looser, seen: frozenset[str] = frozenset()
    ) -> Iterator[tuple[Constant, Looser]]:
        """Yield the names of the product in a bound, and which way it is looser by each."""
        if isinstance(node, ast.Name | ast.Attribute):
            yield from self._named(node, way, seen)
        elif isinstance(node, ast.BinOp):
            is_turned = isinstance(node.op, ast.Sub | ast.Div | ast.FloorDiv)
            is_plain = is_turned or isinstance(node.op, ast.Add | ast.Mult)
            yield from self._terms(node.left, way if is_plain else "other", seen)
            turned = _FLIPPED[way] if is_turned else way if is_plain else "other"
            yield from self._terms(node.right, turned, seen)
        elif isinstance(node, ast.UnaryOp):
            yield from self._terms(node.operand, _FLIPPED[way], seen)
        elif isinstance(node, ast.Subscript):
            key = node.slice.value if isinstance(node.slice, ast.Constant) else None
            for (module, name), _ in self._terms(node.value, "other", seen):
                yield ((module, name), "other") if key is None else ((module, f"{name}[{key!r}]"), way)
        elif isinstance(node, ast.Call) and last_name(node.func) in _PLAIN:
            for value in node.args:
                yield from self._terms(value, way, seen)

    def _named(
        self, node: ast.Name | ast.Attribute, way: Looser, seen: frozenset[str]
    ) -> Iterator[tuple[Constant, Looser]]:
        name = last_name(node)
        is_own = isinstance(node, ast.Name) or last_name(node.value) in ("self", "cls")
        if is_own and name in self.given:
            if name not in seen and len(seen) < _MAX_DEPTH:
                for value in self.given[name]:
                    yield from self._terms(value, way, seen | {name})
        elif isinstance(node, ast.Name):
            if name in self.imported:
                yield self.imported[name], way
        else:
            # A field of what a test has made itself is no constant.
            root = node.value
            while isinstance(root, ast.Attribute):
                root = root.value
            if isinstance(root, ast.Name) and root.id in self.imported and root.id not in self.given:
                yield (self.imported[root.id][0], name), way


def _is_result(node: ast.expr) -> bool:
    """Return whether an expression may be what the product came to, and is not made of constants alone."""
    return any(
        (isinstance(n, ast.Call) and last_name(n.func) not in {*_PLAIN, "abs"})
        or (isinstance(n, ast.Name) and not n.id.isupper() and n.id not in _CALLED)
        for n in ast.walk(node)
    )
