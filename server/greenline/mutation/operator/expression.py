"""Operators on expressions: comparisons, arithmetic, logic, constants, indices."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping

from greenline.mutation.source import Candidate, Source

_COMPARE: dict[type[ast.cmpop], bytes] = {
    ast.Lt: b"<",
    ast.LtE: b"<=",
    ast.Gt: b">",
    ast.GtE: b">=",
    ast.Eq: b"==",
    ast.NotEq: b"!=",
    ast.Is: b"is",
    ast.IsNot: b"is not",
    ast.In: b"in",
    ast.NotIn: b"not in",
}
_UNITS = frozenset({7, 12, 24, 30, 52, 60, 100, 256, 360, 365, 1000, 1024, 1200, 1440, 3600, 86400})
"""By how much units of time, angle, money and memory differ; and a year of percents (1200)."""
_BOUNDARY = {b"<": b"<=", b"<=": b"<", b">": b">=", b">=": b">"}
_MIRROR = {b"<": b">", b"<=": b">=", b">": b"<", b">=": b"<="}
_OPPOSITE = {b"<": b">=", b"<=": b">", b">": b"<=", b">=": b"<", b"==": b"!=", b"!=": b"=="}
_OPPOSITE |= {b"is": b"is not", b"is not": b"is", b"in": b"not in", b"not in": b"in"}
_ARITHMETIC: dict[type[ast.operator], tuple[bytes, Mapping[bytes, float]]] = {
    ast.Add: (b"+", {b"-": 0.65, b"*": 0.25}),
    ast.Sub: (b"-", {b"+": 0.65, b"/": 0.1, b"//": 0.08, b"%": 0.05}),
    ast.Mult: (b"*", {b"/": 0.65, b"+": 0.25, b"**": 0.2, b"//": 0.25, b"-": 0.15}),
    ast.Div: (b"/", {b"//": 0.65, b"*": 0.3, b"%": 0.2, b"-": 0.15}),
    ast.FloorDiv: (b"//", {b"/": 0.65, b"%": 0.3, b"*": 0.25}),
    ast.Mod: (b"%", {b"//": 0.65, b"/": 0.25, b"*": 0.15}),
    ast.Pow: (b"**", {b"*": 0.65, b"//": 0.12}),
    ast.BitAnd: (b"&", {b"|": 0.65, b"^": 0.25, b"-": 0.25}),
    ast.BitOr: (b"|", {b"&": 0.65, b"^": 0.25, b"-": 0.25}),
    ast.BitXor: (b"^", {b"&": 0.65, b"|": 0.25}),
    ast.LShift: (b"<<", {b">>": 0.65}),
    ast.RShift: (b">>", {b"<<": 0.65}),
}


def comparison(source: Source, node: ast.AST) -> Iterator[Candidate]:
    """Move a boundary, mirror, invert or loosen a comparison."""
    if not isinstance(node, ast.Compare):
        return
    sides = [node.left, *node.comparators]
    for index, operator in enumerate(node.ops):
        old = _COMPARE[type(operator)]
        options = [(_BOUNDARY.get(old), 0.9), (_OPPOSITE.get(old), 0.6), (_MIRROR.get(old), 0.7)]
        if old in _BOUNDARY:
            options += [(b"==", 0.25), (b"!=", 0.25)]
        if old in (b"==", b"!="):
            options += [(b"<=", 0.3), (b">=", 0.3), (b"<", 0.25), (b">", 0.25)]
        options += {b"is": [(b"==", 0.6)], b"is not": [(b"!=", 0.6)]}.get(old, [])
        for new, prior in options:
            if new is not None:
                made = source.between(sides[index], sides[index + 1], old, new, "comparison", prior)
                if made is not None:
                    yield made


def arithmetic(source: Source, node: ast.AST) -> Iterator[Candidate]:
    """Take another arithmetic operator, swap its sides, regroup, or leave one side out."""
    if not isinstance(node, ast.BinOp):
        return
    old, options = _ARITHMETIC.get(type(node.op), (b"@", {}))
    for new, prior in options.items():
        made = source.between(node.left, node.right, old, new, "arithmetic", prior)
        if made is not None:
            yield made
    left, right = source.operand(node.left), source.operand(node.right)
    if old in (b"-", b"/", b"//", b"%", b"**", b"<<", b">>"):
        yield source.replace(node, b"%s %s %s" % (right, old, left), "swapped operands", 0.45)
    yield source.replace(node, left, "operand", 0.3)
    yield source.replace(node, right, "operand", 0.25)
    if isinstance(node.left, ast.BinOp) and isinstance(node.op, ast.Mult | ast.Div | ast.FloorDiv | ast.Mod):
        return
    if isinstance(node.right, ast.BinOp) and isinstance(node.right.op, ast.Mult | ast.Div | ast.FloorDiv):
        inner = node.right
        token = _ARITHMETIC[type(inner.op)][0]
        grouped = b"(%s %s %s) %s %s" % (
            left,
            old,
            source.operand(inner.left),
            token,
            source.operand(inner.right),
        )
        yield source.replace(node, grouped, "grouping", 0.35)
    if isinstance(node.left, ast.BinOp) and isinstance(node.left.op, ast.Mult | ast.Div | ast.FloorDiv):
        inner = node.left
        token = _ARITHMETIC[type(inner.op)][0]
        grouped = b"%s %s (%s %s %s)" % (
            source.operand(inner.left),
            token,
            source.operand(inner.right),
            old,
            right,
        )
        yield source.replace(node, grouped, "grouping", 0.35)


def boolean(source: Source, node: ast.AST) -> Iterator[Candidate]:
    """Swap `and` with `or`, or leave one condition out."""
    if not isinstance(node, ast.BoolOp):
        return
    old, new = (b"and", b"or") if isinstance(node.op, ast.And) else (b"or", b"and")
    for left, right in zip(node.values, node.values[1:], strict=False):
        made = source.between(left, right, old, new, "boolean", 0.7)
        if made is not None:
            yield made
    for index in range(len(node.values)):
        rest = [source.text(v) for i, v in enumerate(node.values) if i != index]
        joined = (b" %s " % old).join(rest)
        yield source.replace(node, joined, "condition left out", 0.3)


def constant(source: Source, node: ast.AST) -> Iterator[Candidate]:
    """Move a number by one, flip a truth value, take a neighbouring value."""
    if not isinstance(node, ast.Constant) or isinstance(source.parent(node), ast.Expr | ast.JoinedStr):
        return
    value = node.value
    if isinstance(value, bool):
        yield source.replace(node, str(not value), "constant", 0.6)
    elif isinstance(value, int):
        by_one = 0.2 if _is_unit(source, node, value) else 0.55
        for near, prior in (
            (value + 1, 0.65 if _is_unit(source, node, value + 1) else by_one),
            (value - 1, 0.65 if _is_unit(source, node, value - 1) else by_one),
            (-value, 0.35),
            (0, 0.3),
            (1, 0.3),
            (value + 2, 0.2),
            (value - 2, 0.2),
            (value * 2, 0.2),
        ):
            if near != value:
                yield source.replace(node, str(near), "constant", prior)
        for factor in (10, 100):
            yield source.replace(node, str(value * factor), "constant", 0.1)
            if value % factor == 0 and value:
                yield source.replace(node, str(value // factor), "constant", 0.12)
    elif isinstance(value, float):
        for close in (
            value + 1,
            value - 1,
            -value,
            value * 10,
            value / 10,
            value * 100,
            value / 100,
            1 - value,
            1 / value if value else 1.0,
        ):
            yield source.replace(node, repr(round(close, 12)), "constant", 0.2)
    elif isinstance(value, str):
        others = {"": '" "', " ": '""', ",": '", "', ", ": '","', "\n": '""'}
        if value in others:
            yield source.replace(node, others[value], "string", 0.35)
        is_key = isinstance(source.parent(node), ast.Subscript | ast.Tuple | ast.Dict | ast.Compare)
        for word in sorted(_sibling_strings(source, node)):
            yield source.replace(node, repr(word), "string", 0.35 if is_key else 0.2)
    elif value is None:
        for text in ("0", "''", "[]", "{}", "False"):
            yield source.replace(node, text, "constant", 0.15)


def _is_unit(source: Source, node: ast.Constant, value: int) -> bool:
    """Return whether a number that multiplies or divides is a unit, which is seldom off by one."""
    parent = source.parent(node)
    is_factor = isinstance(parent, ast.BinOp) and isinstance(
        parent.op, ast.Mult | ast.Div | ast.FloorDiv | ast.Mod
    )
    return is_factor and value in _UNITS


def _sibling_strings(source: Source, node: ast.Constant) -> set[str]:
    # The keys of records are spelt in any function of the file; what a function prints is its own.
    is_key = isinstance(source.parent(node), ast.Subscript | ast.Tuple | ast.Dict | ast.Compare)
    around = (None if is_key else source.function(node)) or source.tree
    return source.once(("strings", around), lambda: _strings(source, around)) - {str(node.value)}


def _strings(source: Source, around: ast.AST) -> set[str]:
    """Return the short strings in a part of the file that are values, and no documentation."""
    return {
        inner.value
        for inner in ast.walk(around)
        if isinstance(inner, ast.Constant)
        and isinstance(inner.value, str)
        and len(inner.value) <= 30
        and not isinstance(source.parent(inner), ast.Expr | ast.JoinedStr)
    }


def index_and_slice(source: Source, node: ast.AST) -> Iterator[Candidate]:
    """Move an index or a slice's bound by one, or leave a bound out."""
    if not isinstance(node, ast.Subscript):
        return
    index = node.slice
    if isinstance(index, ast.Slice):
        for bound in (index.lower, index.upper):
            if bound is not None:
                text = source.text(bound)
                yield source.replace(bound, b"%s + 1" % text, "slice", 0.5)
                yield source.replace(bound, b"%s - 1" % text, "slice", 0.5)
                yield source.replace(bound, b"", "slice", 0.3)
        value = source.text(node.value)
        lower = source.text(index.lower) if index.lower else b""
        upper = source.text(index.upper) if index.upper else b""
        for start, end in ((b"1", upper), (lower, b"-1")):
            if index.step is None and (start, end) != (lower, upper):
                yield source.replace(node, b"%s[%s:%s]" % (value, start, end), "slice", 0.3)
        yield source.replace(node, value, "slice", 0.25)
        if index.step is not None:
            yield source.replace(index.step, b"-" + source.text(index.step), "slice", 0.3)
        return
    text = source.text(index)
    if isinstance(index, ast.Constant) and isinstance(index.value, str):
        return
    yield source.replace(index, b"%s + 1" % text, "index", 0.5)
    yield source.replace(index, b"%s - 1" % text, "index", 0.5)
    for fixed in (b"0", b"-1", b"1"):
        if fixed != text:
            yield source.replace(index, fixed, "index", 0.35)


def negation(source: Source, node: ast.AST) -> Iterator[Candidate]:
    """Negate a condition, or take a negation or a minus away."""
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not | ast.USub):
        yield source.replace(node, source.text(node.operand), "negation", 0.6)
    if isinstance(node, ast.If | ast.While | ast.IfExp):
        yield from _negated(source, node.test)
    if isinstance(node, ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp):
        for generator in node.generators:
            for test in generator.ifs:
                yield from _negated(source, test)
    if isinstance(node, ast.Return) and isinstance(
        node.value, ast.Name | ast.Call | ast.Attribute | ast.BoolOp
    ):
        yield source.replace(node.value, b"not (%s)" % source.text(node.value), "negation", 0.35)
        yield source.replace(node.value, b"-(%s)" % source.text(node.value), "negation", 0.15)
    if isinstance(node, ast.BoolOp):
        for value in node.values:
            yield from _negated(source, value)


def _negated(source: Source, test: ast.expr) -> Iterator[Candidate]:
    if isinstance(test, ast.Compare | ast.UnaryOp):
        return
    text = source.text(test)
    if isinstance(test, ast.Name | ast.Attribute | ast.Call | ast.Subscript):
        yield source.replace(test, b"not %s" % text, "negation", 0.6)
    else:
        # A word is forgotten more easily than a pair of parentheses with it.
        yield source.replace(test, b"not (%s)" % text, "negation", 0.35)


def off_by_one(source: Source, node: ast.AST) -> Iterator[Candidate]:
    """Add or take one where a number is returned, assigned, compared or passed on."""
    if not isinstance(node, ast.Name | ast.Call | ast.BinOp | ast.Attribute | ast.Subscript):
        return
    if not isinstance(getattr(node, "ctx", ast.Load()), ast.Load):
        return
    parent = source.parent(node)
    prior = 0.0
    if isinstance(parent, ast.Return | ast.Compare):
        prior = 0.4
    elif isinstance(parent, ast.Assign | ast.AugAssign | ast.BinOp):
        prior = 0.25
    elif isinstance(parent, ast.Call) and node in parent.args:
        prior = 0.3
    if prior:
        text = source.text(node)
        yield source.replace(node, b"%s + 1" % text, "off by one", prior)
        yield source.replace(node, b"%s - 1" % text, "off by one", prior)
