"""Operators on names: another variable in scope, a sibling attribute."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from greenline.mutation.source import Candidate, Function, Source


def variable(source: Source, node: ast.AST) -> Iterator[Candidate]:
    """Take another variable of the same function."""
    if not isinstance(node, ast.Name):
        return
    names = source.names(node)
    if node.id not in names and isinstance(source.parent(node), ast.Call):
        return
    function = source.function(node)
    read = source.once(("read", function), lambda: _read(function))
    for other in names:
        if other != node.id and other not in ("self", "cls"):
            # A variable that nothing reads is most likely the one that was meant.
            prior = 0.75 if other not in read else 0.45
            prior = prior if isinstance(node.ctx, ast.Load) else 0.3
            yield source.replace(node, other, "variable", prior)
    if isinstance(node.ctx, ast.Load) and "self" in names and node.id != "self":
        yield source.replace(node, f"self.{node.id}", "missing self", 0.3)


def _read(function: Function | None) -> set[str]:
    return {
        inner.id
        for inner in (ast.walk(function) if function is not None else ())
        if isinstance(inner, ast.Name) and isinstance(inner.ctx, ast.Load)
    }


def attribute(source: Source, node: ast.AST) -> Iterator[Candidate]:
    """Take another attribute that the file uses on the same name."""
    if not isinstance(node, ast.Attribute):
        return
    owner = ast.dump(node.value).replace("Store()", "Load()")
    used = set(source.once("attributes", lambda: _attributes(source)).get(owner, ()))
    if isinstance(node.value, ast.Name) and node.value.id == "self":
        used |= _methods(source, node)
    used |= source.once("fields", lambda: _same_kind(source))
    end = source.span(node)[1]
    start = end - len(node.attr.encode())
    for other in sorted(used - {node.attr}):
        yield Candidate(source.path, start, end, other.encode(), "attribute", node.lineno, 0.4)


def _attributes(source: Source) -> dict[str, set[str]]:
    """Return dumped owner → the attributes that the file uses on it."""
    found: dict[str, set[str]] = {}
    for node in ast.walk(source.tree):
        if isinstance(node, ast.Attribute):
            found.setdefault(ast.dump(node.value), set()).add(node.attr)
    return found


def _methods(source: Source, node: ast.AST) -> set[str]:
    up = source.parent(node)
    while up is not None and not isinstance(up, ast.ClassDef):
        up = source.parent(up)
    if up is None:
        return set()
    return {item.name for item in up.body if isinstance(item, ast.FunctionDef | ast.AsyncFunctionDef)}


def _same_kind(source: Source) -> set[str]:
    """Return fields that the file's classes declare or set on themselves."""
    fields: set[str] = set()
    for node in ast.walk(source.tree):
        if isinstance(node, ast.ClassDef):
            fields |= {
                item.target.id
                for item in node.body
                if isinstance(item, ast.AnnAssign) and isinstance(item.target, ast.Name)
            }
        elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
            fields.add(node.attr)
    return fields
