"""Which text needs parentheses in the place of an expression, so that it stays the one operand that it is.

Levels follow the table of operator precedence in the Python language reference (6.17); higher is tighter.
"""

from __future__ import annotations

import ast

_LOOSEST, _WALRUS, _TEST, _OR, _AND, _NOT, _COMPARE, _BIT_OR, _BIT_XOR, _BIT_AND = range(10)
_SHIFT, _SUM, _TERM, _SIGN, _POWER, _AWAIT, _ATOM = range(10, 17)
_BINARY: dict[type[ast.operator], int] = {
    ast.BitOr: _BIT_OR,
    ast.BitXor: _BIT_XOR,
    ast.BitAnd: _BIT_AND,
    ast.LShift: _SHIFT,
    ast.RShift: _SHIFT,
    ast.Add: _SUM,
    ast.Sub: _SUM,
    ast.Pow: _POWER,
}
"""All others are terms."""


def needs_parentheses(parent: ast.AST | None, node: ast.expr, text: bytes) -> bool:
    """Return whether `text` would fall apart in the place of `node`, a child of `parent`."""
    wanted = _wanted(parent, node)
    if wanted <= _WALRUS or not text.strip():
        return False
    try:
        made = ast.parse(text.strip(), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return _level(made) < wanted


def _wanted(parent: ast.AST | None, node: ast.expr) -> int:
    """Return the level from which on an expression needs no parentheses there."""
    if isinstance(parent, ast.BinOp):
        level = _BINARY.get(type(parent.op), _TERM)
        if isinstance(parent.op, ast.Pow):
            return _AWAIT if node is parent.left else _SIGN
        return level if node is parent.left else level + 1
    if isinstance(parent, ast.UnaryOp):
        return _NOT if isinstance(parent.op, ast.Not) else _SIGN
    if isinstance(parent, ast.BoolOp):
        return _OR if isinstance(parent.op, ast.Or) else _AND
    if isinstance(parent, ast.Compare):
        return _BIT_OR
    if isinstance(parent, ast.IfExp):
        return _TEST if node is parent.orelse else _OR
    if isinstance(parent, ast.comprehension):
        return _OR
    is_owner = isinstance(parent, ast.Attribute | ast.Subscript) and node is parent.value
    is_called = isinstance(parent, ast.Call) and node is parent.func
    return _ATOM if is_owner or is_called or isinstance(parent, ast.Await) else _LOOSEST


def _level(made: ast.expr) -> int:
    """Return how tightly an expression holds together."""
    if isinstance(made, ast.BinOp):
        return _BINARY.get(type(made.op), _TERM)
    if isinstance(made, ast.BoolOp):
        return _OR if isinstance(made.op, ast.Or) else _AND
    if isinstance(made, ast.UnaryOp):
        return _NOT if isinstance(made.op, ast.Not) else _SIGN
    if isinstance(made, ast.Constant) and isinstance(made.value, int | float):
        # `1.real` is no attribute of a number.
        return _AWAIT
    loose: dict[type[ast.expr], int] = {
        ast.Tuple: _LOOSEST,
        ast.Yield: _LOOSEST,
        ast.YieldFrom: _LOOSEST,
        ast.NamedExpr: _WALRUS,
        ast.Lambda: _TEST,
        ast.IfExp: _TEST,
        ast.Compare: _COMPARE,
        ast.Await: _AWAIT,
    }
    return loose.get(type(made), _ATOM)
