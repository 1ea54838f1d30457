"""Operators that take what is there in part, or from elsewhere in the function."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from greenline.mutation.source import Candidate, Function, Source

_MAX_TEXTS = 8
_MAX_ELEMENTS = 12
_MAX_STRING = 12
_PAIRS = ("()", "[]", "{}", "<>")
_DISTANCES = (
    ast.Assign | ast.Return | ast.Compare | ast.GeneratorExp | ast.ListComp | ast.SetComp | ast.Lambda
)
"""Where a difference stands that may be meant without its sign."""
_ORDERS = ast.Lt | ast.LtE | ast.Gt | ast.GtE
_PLACES = (ast.Compare, ast.BinOp, ast.Return, ast.Assign, ast.AugAssign, ast.Call)


def expression(source: Source, node: ast.AST) -> Iterator[Candidate]:
    """Take an expression that stands elsewhere in the function for a name."""
    if not isinstance(node, ast.Name) or not isinstance(node.ctx, ast.Load):
        return
    function, parent = source.function(node), source.parent(node)
    if function is None or not isinstance(parent, _PLACES):
        return
    if isinstance(parent, ast.Call) and parent.func is node:
        return
    own = ast.unparse(parent)
    for text in source.once(("ingredients", function), lambda: _texts(function)):
        if text not in own:
            yield source.replace(node, text, "expression", 0.15)


def _texts(function: Function) -> list[str]:
    """Return the short element and call expressions of a function, in their order."""
    found: dict[str, None] = {}
    for node in ast.walk(function):
        is_call = isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and len(node.args) == 1
        if is_call or (isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Load)):
            text = ast.unparse(node)
            if len(text) <= 30:
                found[text] = None
    return list(found)[:_MAX_TEXTS]


def part(source: Source, node: ast.AST) -> Iterator[Candidate]:
    """Take a part of a sequence for all of it."""
    if not isinstance(node, ast.Name) or not isinstance(node.ctx, ast.Load):
        return
    parent = source.parent(node)
    is_argument = isinstance(parent, ast.Call) and node in parent.args
    if not is_argument and not isinstance(parent, ast.For | ast.comprehension | ast.Return | ast.Compare):
        return
    bounds = ["1:", ":-1"]
    for name in source.names(node):
        if name not in (node.id, "self", "cls"):
            bounds += [f"{name}:", f":{name}"]
    for bound in bounds:
        yield source.replace(node, f"{node.id}[{bound}]", "slice", 0.12)


def membership(source: Source, node: ast.AST) -> Iterator[Candidate]:
    """Ask the other way round whether one thing is in another."""
    if isinstance(node, ast.Compare) and len(node.ops) == 1 and isinstance(node.ops[0], ast.In | ast.NotIn):
        left, right = source.text(node.left), source.text(node.comparators[0])
        word = b"in" if isinstance(node.ops[0], ast.In) else b"not in"
        yield source.replace(node, b"%s %s %s" % (right, word, left), "swapped operands", 0.35)


def results(source: Source, node: ast.AST) -> Iterator[Candidate]:
    """Swap true and false in all that a function returns."""
    if not isinstance(node, ast.Return) or not is_truth(node.value):
        return
    function = source.function(node)
    if function is None:
        return
    returned = source.once(("truths", function), lambda: _truths(source, function))
    if len(returned) < 2 or returned[0] is not node:
        return
    start, end = source.span(returned[0])[0], source.span(returned[-1])[1]
    text, shift = source.data[start:end], start
    for place in reversed(returned):
        assert place.value is not None and isinstance(place.value, ast.Constant)
        left, right = source.span(place.value)
        text = text[: left - shift] + str(not place.value.value).encode() + text[right - shift :]
    yield Candidate(source.path, start, end, text, "swapped results", node.lineno, 0.4)


def _truths(source: Source, function: Function) -> list[ast.Return]:
    found = [
        node
        for node in ast.walk(function)
        if isinstance(node, ast.Return) and is_truth(node.value) and source.function(node) is function
    ]
    return sorted(found, key=lambda node: source.span(node))


def is_truth(node: ast.expr | None) -> bool:
    """Return whether an expression is `True` or `False`."""
    return isinstance(node, ast.Constant) and isinstance(node.value, bool)


def element(source: Source, node: ast.AST) -> Iterator[Candidate]:
    """Leave one element of a written-out collection out."""
    if not isinstance(node, ast.List | ast.Tuple | ast.Set) or not 2 < len(node.elts) <= _MAX_ELEMENTS:
        return
    if not isinstance(getattr(node, "ctx", ast.Load()), ast.Load):
        return
    for one, following in zip(node.elts, node.elts[1:], strict=False):
        start, end = source.span(one)[0], source.span(following)[0]
        yield Candidate(source.path, start, end, b"", "element left out", one.lineno, 0.15)
    start, end = source.span(node.elts[-2])[1], source.span(node.elts[-1])[1]
    yield Candidate(source.path, start, end, b"", "element left out", node.elts[-1].lineno, 0.15)


def spelling(source: Source, node: ast.AST) -> Iterator[Candidate]:
    """Write a short text with another case, the other bracket, a character less, or turned round."""
    if not isinstance(node, ast.Constant) or not isinstance(node.value, str):
        return
    value = node.value
    if not 0 < len(value) <= _MAX_STRING or isinstance(source.parent(node), ast.Expr | ast.JoinedStr):
        return
    near = [value.capitalize(), value.lower(), value.upper(), value[::-1], value[:-1], value[1:]]
    for pair in _PAIRS:
        if value in pair:
            near.append(pair[1 - pair.index(value)])
    if value in "([{":
        near += list("([{")
    for text in dict.fromkeys(near):
        if text != value:
            yield source.replace(node, repr(text), "string", 0.2)


def magnitude(source: Source, node: ast.AST) -> Iterator[Candidate]:
    """Take the absolute value of a difference."""
    holder = source.parent(node)
    is_difference = isinstance(node, ast.BinOp) and isinstance(node.op, ast.Sub)
    if is_difference and isinstance(holder, _DISTANCES):
        assert isinstance(node, ast.BinOp)
        # How far apart two things are is what a bound is for.
        is_bounded = isinstance(holder, ast.Compare) and isinstance(holder.ops[0], _ORDERS)
        prior = 0.45 if is_bounded else 0.25
        yield source.replace(node, b"abs(%s)" % source.text(node), "conversion", prior)
