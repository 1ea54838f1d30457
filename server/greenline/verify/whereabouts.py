"""Expressions by which product code tells where it runs: among temporary files, or by whom; pure."""

from __future__ import annotations

import ast

from greenline.verify.folded import last_name, text_of

_TEMPORARY = frozenset({"gettempdir", "gettempdirb"})
_COMPARING = frozenset({"startswith", "endswith", "is_relative_to", "commonpath", "fullmatch", "match"})


def asks_whereabouts(node: ast.expr) -> bool:
    """Return whether an expression compares with the folder for temporary files, or with the program's name.

    What a program writes there, or says of its own name, asks nothing.
    """
    if isinstance(node, ast.Compare):
        parts = [node.left, *node.comparators]
        return any(map(_is_temporary, parts)) or (any(map(_is_program, parts)) and any(map(_is_text, parts)))
    if isinstance(node, ast.Call) and last_name(node.func) in _COMPARING:
        owner = [node.func.value] if isinstance(node.func, ast.Attribute) else []
        parts = [*owner, *node.args]
        return any(map(_is_temporary, parts)) or (
            any(map(_is_program, owner)) and any(map(_is_text, node.args))
        )
    return False


def _is_temporary(node: ast.expr) -> bool:
    return any(
        isinstance(inner, ast.Call) and last_name(inner.func) in _TEMPORARY for inner in ast.walk(node)
    )


def _is_program(node: ast.expr) -> bool:
    """Return whether it is made of `sys.argv[0]`."""
    return any(
        isinstance(inner, ast.Subscript)
        and last_name(inner.value) == "argv"
        and isinstance(inner.slice, ast.Constant)
        and inner.slice.value == 0
        for inner in ast.walk(node)
    )


def _is_text(node: ast.expr) -> bool:
    if isinstance(node, ast.Tuple | ast.List | ast.Set):
        return bool(node.elts) and all(map(_is_text, node.elts))
    return text_of(node) is not None
