"""Operators for slips: a sign that binds late, a shallow copy, a wrong direction, a field left as it was."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from greenline.mutation.operator.insertion import after
from greenline.mutation.source import Candidate, Function, Source

_MAX_NAMES = 6
_COPIES = ("dict", "list", "set")


def late_sign(source: Source, node: ast.AST) -> Iterator[Candidate]:
    """Raise the negative number and not its opposite: `-1 ** n` is `-(1 ** n)`."""
    if not isinstance(node, ast.UnaryOp) or not isinstance(node.op, ast.USub):
        return
    power = node.operand
    if (
        isinstance(power, ast.BinOp)
        and isinstance(power.op, ast.Pow)
        and isinstance(power.left, ast.Constant)
    ):
        text = b"(-%s) ** %s" % (source.text(power.left), source.operand(power.right))
        yield source.replace(node, text, "grouping", 0.5)


def deep_copy(source: Source, node: ast.AST) -> Iterator[Candidate]:
    """Copy what is in a collection as well, in a file that knows how to."""
    if not isinstance(node, ast.Call):
        return
    copied: ast.expr | None = None
    if isinstance(node.func, ast.Attribute) and node.func.attr == "copy":
        is_module = ast.unparse(node.func.value) == "copy"
        copied = node.args[0] if is_module and len(node.args) == 1 else node.func.value
    elif isinstance(node.func, ast.Name) and node.func.id in _COPIES and len(node.args) == 1:
        copied = node.args[0]
    name = deep_copy_name(source) if copied is not None else ""
    if name and copied is not None:
        yield source.replace(node, f"{name}({ast.unparse(copied)})", "conversion", 0.45)


def deep_copy_name(source: Source) -> str:
    """Return by which name a file can copy deeply; empty where it cannot."""
    return source.once("deep copy", lambda: _deep_copy(source))


def _deep_copy(source: Source) -> str:
    for node in ast.walk(source.tree):
        if isinstance(node, ast.Import) and any(a.name == "copy" and a.asname is None for a in node.names):
            return "copy.deepcopy"
        if isinstance(node, ast.ImportFrom) and node.module == "copy":
            return next((a.asname or a.name for a in node.names if a.name == "deepcopy"), "")
    return ""


def direction(source: Source, node: ast.AST) -> Iterator[Candidate]:
    """Go through a sequence from its end."""
    if isinstance(node, ast.For) and isinstance(node.iter, ast.Name | ast.Attribute | ast.Call):
        text = source.text(node.iter)
        if not text.startswith((b"reversed(", b"enumerate(", b"zip(")):
            yield source.replace(node.iter, b"reversed(%s)" % text, "order", 0.3)


def limited_part(source: Source, node: ast.AST) -> Iterator[Candidate]:
    """Keep one side of a sum or difference within another variable."""
    if not isinstance(node, ast.BinOp) or not isinstance(node.op, ast.Add | ast.Sub):
        return
    beside = {inner.id for inner in ast.walk(node) if isinstance(inner, ast.Name)}
    names = [name for name in source.names(node) if name not in beside and name not in ("self", "cls")]
    for side in (node.left, node.right):
        if isinstance(side, ast.Name):
            for name in names[:_MAX_NAMES]:
                for function in ("min", "max"):
                    yield source.replace(side, f"{function}({side.id}, {name})", "bound", 0.15)


def left_behind(source: Source, node: ast.AST) -> Iterator[Candidate]:
    """Let go of what is taken out of a field: set it to what it begins as."""
    if not isinstance(node, ast.Assign) or not isinstance(node.targets[0], ast.Name):
        return
    value, function = node.value, source.function(node)
    if not isinstance(value, ast.Attribute) or not isinstance(value.value, ast.Name) or function is None:
        return
    known = source.once("beginnings", lambda: _beginnings(source)).get(value.attr)
    if not known or ast.unparse(value) in source.once(("stored", function), lambda: _stored(function)):
        return
    for text in sorted(known)[:_MAX_NAMES]:
        yield after(source, node, f"{ast.unparse(value)} = {text}", "missing reset", 0.35)


def _stored(function: Function) -> set[str]:
    """Return the fields that a function sets."""
    inner = (node for node in ast.walk(function) if isinstance(node, ast.Attribute))
    return {ast.unparse(node) for node in inner if isinstance(node.ctx, ast.Store)}


def _beginnings(source: Source) -> dict[str, set[str]]:
    """Return field → the constants and empty collections that classes and methods give it."""
    found: dict[str, set[str]] = {}
    for node in ast.walk(source.tree):
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            name, value = node.target.id, node.value
        elif isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Attribute):
            name, value = node.targets[0].attr, node.value
        else:
            continue
        is_empty = isinstance(value, ast.List | ast.Dict) and not list(ast.iter_child_nodes(value))[1:]
        if value is not None and (isinstance(value, ast.Constant) or is_empty):
            found.setdefault(name, set()).add(ast.unparse(value))
    return found
