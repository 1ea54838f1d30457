"""Operators on names: another variable in scope, a sibling attribute."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from greenline.mutation.source import Candidate, Function, Source

_LOOKING = frozenset({"get", "keys", "values", "items", "index", "count", "copy", "find", "peek"})
_TAKING = frozenset({"pop", "popitem", "popleft", "remove", "discard", "clear"})
"""What takes something away is not meant where something is looked at."""


def variable(source: Source, node: ast.AST) -> Iterator[Candidate]:
    """Take another variable of the same function."""
    if not isinstance(node, ast.Name):
        return
    names = source.names(node)
    holder = source.parent(node)
    if node.id not in names and isinstance(holder, ast.Call):
        return
    function = source.function(node)
    read = source.once(("read", function), lambda: _read(function))
    beside = _beside(source, node)
    given = (
        {item.id for item in holder.args if isinstance(item, ast.Name)}
        if isinstance(holder, ast.Call)
        else set()
    )
    for other in names:
        if other not in (node.id, beside, "self", "cls"):
            # A variable that nothing reads is most likely the one that was meant.
            prior = 0.75 if other not in read else 0.45
            prior = prior if isinstance(node.ctx, ast.Load) else 0.3
            # Hardly any function is given the same thing twice.
            prior = 0.1 if other in given else prior
            yield source.replace(node, other, "variable", prior)
    if isinstance(node.ctx, ast.Load) and "self" in names and node.id != "self":
        yield source.replace(node, f"self.{node.id}", "missing self", 0.3)


def _sides(node: ast.AST | None) -> list[ast.expr]:
    """Return the operands of a comparison, sum or product, or what is sorted by; none of anything else."""
    if isinstance(node, ast.Tuple):
        return node.elts
    if isinstance(node, ast.BinOp):
        return [node.left, node.right]
    return [node.left, *node.comparators] if isinstance(node, ast.Compare) else []


def _beside(source: Source, node: ast.Name) -> str:
    """Return the name on the other side: nothing is put beside itself, and nothing's attribute either."""
    parent = source.parent(node)
    if isinstance(parent, ast.Attribute):
        alike = (s for s in _sides(source.parent(parent)) if isinstance(s, ast.Attribute) and s is not parent)
        others = [side.value for side in alike if side.attr == parent.attr]
    else:
        others = [side for side in _sides(parent) if side is not node]
    return next((other.id for other in others if isinstance(other, ast.Name)), "")


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
    function = source.function(node)
    near = source.once(("near", function), lambda: _on_owners(function))
    for other in sorted(used - {node.attr}):
        if _is_beside_itself(source, node, other) or (node.attr in _LOOKING and other in _TAKING):
            continue
        # What the function does elsewhere is likelier to be meant than what others do.
        prior = 0.45 if (owner, other) in near else 0.4
        prior = prior if isinstance(node.ctx, ast.Load) else 0.25
        yield Candidate(source.path, start, end, other.encode(), "attribute", node.lineno, prior)


def _on_owners(function: Function | None) -> set[tuple[str, str]]:
    """Return the attributes that a function uses, each with its dumped owner."""
    return {
        (ast.dump(inner.value), inner.attr)
        for inner in (ast.walk(function) if function is not None else ())
        if isinstance(inner, ast.Attribute)
    }


def _is_beside_itself(source: Source, node: ast.Attribute, name: str) -> bool:
    """Return whether an attribute of that name would stand beside itself."""
    new = f"{ast.unparse(node.value)}.{name}"
    own: ast.AST = node
    while isinstance(up := source.parent(own), ast.UnaryOp):
        own = up
    sides = _sides(source.parent(own))
    # Who sorts by one thing, falling or rising, sorts by it once.
    return any(side is not own and ast.unparse(side).lstrip("-") == new for side in sides)


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
    names = {item.name for item in up.body if isinstance(item, ast.FunctionDef | ast.AsyncFunctionDef)}
    # What Python itself calls is hardly ever called by name.
    return {name for name in names if not name.startswith("__")}


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
