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
from greenline.verify.script_import import imports
from greenline.verify.source_line import GO, JAVASCRIPT
from greenline.verify.test_body import bodies
from greenline.verify.test_function import place

Looser = Literal["more", "less", "other"]
"""With which value a comparison lets more pass: a greater one, a smaller one, or nobody knows."""

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
_GIVEN = re.compile(
    r"^(?:(?:(?:export|const|let|var)\s+)+|\s+static\s+(?:readonly\s+)?)"
    r"(\w+)\s*(?::\s*[\w.]+\s*|\s[\w.]+\s*)?=(?!=)\s*([^;/\n{(]+)",
    re.M,
)
"""A constant in another language at the margin, or of a class."""
_GROUP = re.compile(r"^(?:const|var)\s*\((.*?)^\)", re.M | re.S)
_ONE_OF = re.compile(r"^\s+(\w+)\s*(?:[\w.]+\s*)?=\s*([^/\n{(]+)", re.M)
_WITHIN = r"(?:closeTo|approximately|InDelta|InEpsilon|toBeLessThan(?:OrEqual)?)\([^\n]*?"
_PLACE = re.compile(r"([\w./\-]+\.py):(\d+)|File \"([^\"\n]+\.py)\", line (\d+)")
_CALLED = frozenset({*_PLAIN, "abs"})
_MAX_DEPTH = 3
_NUMBER = re.compile(r"[-+]?(?:\d[\d_]*\.?\d*|\.\d+)(?:[eE][-+]?\d+)?$")


@attrs.frozen
class _Measure:
    """One comparison in a file of tests."""

    start: int
    end: int
    bounds: frozenset[tuple[str, Looser]]
    """Names of the product that it takes its bounds from."""


def measured_by_product(
    base: Tree, patched: Tree, product: Iterable[str], before: TestReport
) -> dict[str, str]:
    """Return id → constant of the tests that fail in B on a comparison within what `product` loosens.

    `product` are the changed files of product code.
    """
    broken = [test for test in before.tests if test.outcome in _BROKEN]
    changed = _changed(base, patched, product) if broken else {}
    if not changed:
        return {}
    read = cache(lambda path: _measures(base, path))
    found = {}
    for test in broken:
        path = place(test)[0]
        is_script = path.endswith((*JAVASCRIPT, *GO))
        names = _of_text(base, test, changed) if is_script else _of_python(base, test, read, changed)
        first = next(names, None)
        if first is not None:
            found[test.id] = first
    return found


def _changed(base: Tree, patched: Tree, product: Iterable[str]) -> dict[str, Looser]:
    """Return the constants of the product that have another value than before, and which way."""
    found: dict[str, Looser] = {}
    for path in product:
        if path not in base or path not in patched:
            continue
        old, new = (_constants(tree, path) for tree in (base, patched))
        for name in old.keys() & new.keys():
            if old[name] != new[name]:
                found[name] = _way(old[name][1], new[name][1])
    return found


def _way(old: float | None, new: float | None) -> Looser:
    if old is None or new is None:
        return "other"
    return "more" if new > old else "less"


def _constants(tree: Tree, path: str) -> dict[str, tuple[str, float | None]]:
    """Return name → what a file gives it outside of functions, as text and, where it is one, as a number."""
    text = tree[path].content
    if path.endswith((*JAVASCRIPT, *GO)):
        plain = text.decode("utf-8", "replace")
        groups = "".join(_GROUP.findall(plain)) if path.endswith(GO) else ""
        found = [*_GIVEN.finditer(plain), *_ONE_OF.finditer(groups)]
        return {match[1]: (match[2].strip(), _plain_number(match[2])) for match in found}
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


def _plain_number(text: str) -> float | None:
    text = text.strip()
    return float(text.replace("_", "")) if _NUMBER.match(text) else None


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
    base: Tree, test: TestResult, read: Callable[[str], tuple[_Measure, ...]], changed: Mapping[str, Looser]
) -> Iterator[str]:
    """Yield the constants by which the comparison that failed is looser."""
    path, name = place(test)
    failed = _failed_at(base, test.message)
    spans = [(path, *_span(base, path, name))] if not failed else [(p, line, line) for p, line in failed]
    for at, start, end in spans:
        for measure in read(at):
            if measure.start <= end and measure.end >= start:
                yield from (n for n, way in sorted(measure.bounds) if _lets_pass(changed.get(n), way))


def _lets_pass(changed: Looser | None, way: Looser) -> bool:
    return changed is not None and (changed == way or "other" in (changed, way))


def _failed_at(base: Tree, message: str) -> set[tuple[str, int]]:
    """Return the places of a traceback, as pytest and Python write them."""
    found = set()
    for match in _PLACE.finditer(message):
        path, line = match[1] or match[3], int(match[2] or match[4])
        # Where a project lies in its container is not asked: the longest path that is there counts.
        parts = path.split("/")
        ends = ("/".join(parts[n:]) for n in range(len(parts)))
        own = next((end for end in ends if end in base), None)
        if own is not None:
            found.add((own, line))
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

    imported: Mapping[str, str]
    """Name → what it is called where it comes from."""
    given: Mapping[str, tuple[ast.expr, ...]]
    """Name → the expressions that the file itself gives it."""

    @classmethod
    def of(cls, module: ast.Module) -> _Names:
        imported: dict[str, str] = {}
        given: dict[str, tuple[ast.expr, ...]] = {}
        for node in ast.walk(module):
            if isinstance(node, ast.ImportFrom):
                imported |= {alias.asname or alias.name: alias.name for alias in node.names}
            elif isinstance(node, ast.stmt):
                for name, value in _assigned([node]):
                    given[name] = (*given.get(name, ()), value)
        return cls(imported, given)

    def bounds(self, node: ast.AST) -> Iterator[tuple[str, Looser]]:
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

    def _within(self, less: ast.expr, more: ast.expr) -> Iterator[tuple[str, Looser]]:
        """Yield the bounds of `less < more`; what is compared with numbers alone is no bound of a test's."""
        if _is_result(less):
            yield from self._terms(more, "more")
        if _is_result(more):
            yield from self._terms(less, "less")

    def _terms(self, node: ast.expr, way: Looser, depth: int = 0) -> Iterator[tuple[str, Looser]]:
        """Yield the names of the product in a bound, and which way it is looser by each."""
        if isinstance(node, ast.Name | ast.Attribute):
            name = last_name(node)
            is_own = isinstance(node, ast.Name) or last_name(node.value) in ("self", "cls")
            if is_own and name in self.given:
                for value in self.given[name] if depth < _MAX_DEPTH else ():
                    yield from self._terms(value, way, depth + 1)
            elif name in self.imported or not isinstance(node, ast.Name):
                yield self.imported.get(name, name), way
        elif isinstance(node, ast.BinOp):
            is_turned = isinstance(node.op, ast.Sub | ast.Div | ast.FloorDiv)
            is_plain = is_turned or isinstance(node.op, ast.Add | ast.Mult)
            yield from self._terms(node.left, way if is_plain else "other", depth)
            turned = _FLIPPED[way] if is_turned else way if is_plain else "other"
            yield from self._terms(node.right, turned, depth)
        elif isinstance(node, ast.UnaryOp):
            yield from self._terms(node.operand, _FLIPPED[way], depth)
        elif isinstance(node, ast.Subscript):
            key = node.slice.value if isinstance(node.slice, ast.Constant) else None
            for name, _ in self._terms(node.value, "other", depth):
                yield (name, "other") if key is None else (f"{name}[{key!r}]", way)
        elif isinstance(node, ast.Call) and last_name(node.func) in _PLAIN:
            for value in node.args:
                yield from self._terms(value, way, depth)


def _is_result(node: ast.expr) -> bool:
    """Return whether an expression may be what the product came to, and is not made of constants alone."""
    return any(
        (isinstance(n, ast.Call) and last_name(n.func) not in {*_PLAIN, "abs"})
        or (isinstance(n, ast.Name) and not n.id.isupper() and n.id not in _CALLED)
        for n in ast.walk(node)
    )


def _of_text(base: Tree, test: TestResult, changed: Mapping[str, Looser]) -> Iterator[str]:
    """Yield the constants within which a test in another language compares."""
    path, name = place(test)
    text = base[path].content.decode("utf-8", "replace") if path in base else ""
    body = bodies(path, text).get(name, "")
    # A package of Go's shares its constants with its tests; in a script they are imported or of something.
    taken = {} if path.endswith(GO) else {local: source.name for local, source in imports(text).items()}
    for constant, way in changed.items():
        locals_ = [local for local, name in taken.items() if name == constant]
        owner = r"(?:\w+\.)*" if path.endswith(GO) else r"(?:\w+\.)+"
        words = [owner + re.escape(constant), *map(re.escape, locals_)]
        word = rf"(?:{'|'.join(words)})(?![\w$])"
        # A test of Go says when it fails, one of JavaScript when it passes.
        is_fault = path.endswith(GO)
        above = rf"<=?\s*{word}" if not is_fault else rf">=?\s*{word}"
        below = rf">=?\s*{word}" if not is_fault else rf"<=?\s*{word}"
        patterns = {"more": [above, _WITHIN + word], "less": [below, rf"toBeCloseTo\([^\n]*,\s*{word}"]}
        wanted = patterns["more"] + patterns["less"] if way == "other" else patterns[way]
        if any(re.search(pattern, body) for pattern in wanted):
            yield constant
