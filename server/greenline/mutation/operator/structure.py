"""Operators on structure: order, conditions of loops, forgotten calls, shared rows, exception types."""

from __future__ import annotations

import ast
import itertools
from collections.abc import Iterator

from greenline.mutation.source import Candidate, Source

_EXCEPTIONS = (
    "ValueError",
    "KeyError",
    "TypeError",
    "IndexError",
    "AttributeError",
    "ZeroDivisionError",
    "StopIteration",
    "LookupError",
    "OSError",
)
_BROAD = 0.3
_METHODS = frozenset(
    name for kind in (str, list, dict, set, bytes) for name in dir(kind) if not name.startswith("_")
)


def order(source: Source, node: ast.AST) -> Iterator[Candidate]:
    """Swap two neighbours in a tuple, the sides of a sum, or two names throughout a statement."""
    if isinstance(node, ast.Tuple):
        for left, right in itertools.pairwise(node.elts):
            yield from _swapped(source, left, right, "swapped elements", 0.35)
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        yield from _swapped(source, node.left, node.right, "swapped operands", 0.25)
    if isinstance(node, ast.Assign | ast.AugAssign | ast.Return | ast.Expr):
        places = [inner for inner in ast.walk(node) if isinstance(inner, ast.Name)]
        for one, other in itertools.combinations(sorted({place.id for place in places}), 2):
            yield _renamed(source, node, places, {one: other, other: one})


def _renamed(source: Source, node: ast.stmt, places: list[ast.Name], names: dict[str, str]) -> Candidate:
    start, end = source.span(node)
    text = source.data[start:end]
    for place in sorted(places, key=lambda item: -source.span(item)[0]):
        if place.id in names:
            left, right = source.span(place)
            text = text[: left - start] + names[place.id].encode() + text[right - start :]
    return Candidate(source.path, start, end, text, "swapped names", node.lineno, 0.5)


def _swapped(
    source: Source, left: ast.expr, right: ast.expr, operator: str, prior: float
) -> Iterator[Candidate]:
    (start, middle), (begin, end) = source.span(left), source.span(right)
    text = source.data[begin:end] + source.data[middle:begin] + source.data[start:middle]
    yield Candidate(source.path, start, end, text, operator, left.lineno, prior)


def loop_condition(source: Source, node: ast.AST) -> Iterator[Candidate]:
    """Give an endless loop a condition: a name, or that its indices are within bounds."""
    if not isinstance(node, ast.While) or not isinstance(node.test, ast.Constant):
        return
    used = {inner.id for inner in ast.walk(node) if isinstance(inner, ast.Name)}
    names = [name for name in source.names(node) if name in used]
    for name in names:
        for text, prior in ((name, 0.45), (f"{name} > 0", 0.3), (f"{name} is not None", 0.3)):
            yield source.replace(node.test, text, "loop condition", prior)
    bounds = _bounds(node)
    for text in bounds:
        yield source.replace(node.test, text, "loop condition", 0.4)
    for one, other in itertools.combinations(bounds, 2):
        yield source.replace(node.test, f"{one} and {other}", "loop condition", 0.35)
    for one, other in itertools.permutations(names, 2):
        for operator in ("<", "<=", "!="):
            yield source.replace(node.test, f"{one} {operator} {other}", "loop condition", 0.2)


def _bounds(node: ast.While) -> list[str]:
    found = {
        f"{inner.slice.id} < len({inner.value.id})"
        for inner in ast.walk(node)
        if isinstance(inner, ast.Subscript)
        and isinstance(inner.slice, ast.Name)
        and isinstance(inner.value, ast.Name)
    }
    return sorted(found)[:6]


def forgotten_call(source: Source, node: ast.AST) -> Iterator[Candidate]:
    """Call a method that is only named; call a method of the same class through `self`."""
    if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Load):
        parent = source.parent(node)
        is_called = isinstance(parent, ast.Call) and parent.func is node
        own = source.once("functions", lambda: _functions(source))
        if not is_called and node.attr in _METHODS | own:
            yield source.replace(node, source.text(node) + b"()", "missing call", 0.6)
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
        top = {item.name for item in source.tree.body if isinstance(item, ast.FunctionDef | ast.ClassDef)}
        if node.func.id not in top and "self" in source.names(node):
            yield source.replace(node.func, f"self.{node.func.id}", "missing self", 0.5)


def _functions(source: Source) -> set[str]:
    return {item.name for item in ast.walk(source.tree) if isinstance(item, ast.FunctionDef)}


def shared_row(source: Source, node: ast.AST) -> Iterator[Candidate]:
    """Make each row of a repeated list a list of its own."""
    if not isinstance(node, ast.BinOp) or not isinstance(node.op, ast.Mult):
        return
    if isinstance(node.left, ast.List) and len(node.left.elts) == 1:
        row = node.left.elts[0]
        is_row = isinstance(row, ast.List | ast.ListComp | ast.Dict | ast.Call | ast.BinOp)
        if is_row:
            text = b"[%s for _ in range(%s)]" % (source.text(row), source.text(node.right))
            yield source.replace(node, text, "shared row", 0.7)


def exception_type(source: Source, node: ast.AST) -> Iterator[Candidate]:
    """Catch or raise another exception: one that the file names, or a common one."""
    if isinstance(node, ast.ExceptHandler):
        places = [node.type] if isinstance(node.type, ast.Name) else []
    elif isinstance(node, ast.Raise):
        raised = node.exc.func if isinstance(node.exc, ast.Call) else node.exc
        places = [raised] if isinstance(raised, ast.Name) else []
    else:
        return
    likely = source.once("exceptions", lambda: _exceptions(source))
    for place in places:
        for name in sorted(likely | set(_EXCEPTIONS)):
            if name != place.id:
                prior = 0.5 if name in likely else 0.35
                # What is broader than the one that was meant passes every test that it does.
                prior = prior * _BROAD if name in ("Exception", "LookupError") else prior
                yield source.replace(place, name, "exception type", prior)


def _exceptions(source: Source) -> set[str]:
    """Return the exceptions that the file defines or names."""
    nodes = list(ast.walk(source.tree))
    names = {item.id for item in nodes if isinstance(item, ast.Name)}
    found = {name for name in names if name.endswith(("Error", "Exception"))}
    raised = [
        item.exc.func if isinstance(item.exc, ast.Call) else item.exc
        for item in nodes
        if isinstance(item, ast.Raise)
    ]
    found |= {item.id for item in raised if isinstance(item, ast.Name)} - _caught(nodes)
    for item in nodes:
        # A parent's class is defined before its children's.
        if isinstance(item, ast.ClassDef) and any(
            isinstance(b, ast.Name) and b.id in found for b in item.bases
        ):
            found.add(item.name)
    return found


def _caught(nodes: list[ast.AST]) -> set[str]:
    """Return the names that caught exceptions are given, which may be raised again."""
    return {item.name for item in nodes if isinstance(item, ast.ExceptHandler) and item.name}


def branch(source: Source, node: ast.AST) -> Iterator[Candidate]:
    """Make an `elif` an `if` of its own, or the other way round."""
    if not isinstance(node, ast.If):
        return
    start, _ = source.span(node)
    if source.data[start : start + 4] == b"elif":
        yield Candidate(source.path, start, start + 4, b"if", "branch", node.lineno, 0.3)
    elif source.data[start : start + 2] == b"if":
        yield Candidate(source.path, start, start + 2, b"elif", "branch", node.lineno, 0.25)


def clause(source: Source, node: ast.AST) -> Iterator[Candidate]:
    """Add a clause on a variable to a condition, or loosen a test for emptiness."""
    if isinstance(node, ast.If | ast.While | ast.IfExp) and not isinstance(node.test, ast.Constant):
        text = source.text(node.test)
        used = {inner.id for inner in ast.walk(node.test) if isinstance(inner, ast.Name)}
        for name in source.names(node):
            if name in used or name in ("self", "cls"):
                continue
            for added in (f" and {name}", f" or not {name}", f" and not {name}", f" or {name}"):
                grouped = b"(%s)" % text if isinstance(node.test, ast.BoolOp | ast.IfExp) else text
                yield source.replace(node.test, grouped + added.encode(), "added condition", 0.1)
    if isinstance(node, ast.Compare) and len(node.ops) == 1 and isinstance(node.ops[0], ast.Eq):
        side = node.comparators[0]
        if isinstance(side, ast.Constant) and side.value == 0:
            yield source.replace(node, source.text(node.left) + b" <= 1", "comparison", 0.3)
