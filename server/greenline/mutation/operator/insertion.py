"""Operators that put a missing statement in: a step of a loop, a jump, a call that stands elsewhere."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from greenline.mutation.source import Candidate, Function, Source

_MAX_COPIES = 40
_GROWING = {"append": "append", "pop": "append", "add": "add", "discard": "add", "appendleft": "append"}


def step(source: Source, node: ast.AST) -> Iterator[Candidate]:
    """Let a `while` loop change a name of its condition, at the end of its body."""
    if not isinstance(node, ast.While):
        return
    tested = {inner.id for inner in ast.walk(node.test) if isinstance(inner, ast.Name)}
    used = {inner.id for inner in ast.walk(node) if isinstance(inner, ast.Name)}
    names = [name for name in source.names(node) if name in tested]
    for block in _blocks(node):
        for name in names:
            for text in (f"{name} += 1", f"{name} -= 1"):
                yield after(source, block[-1], text, "missing step", 0.4)
            for other in source.names(node):
                if other != name and other in used:
                    for operator in ("//=", "-=", "+=", "="):
                        text = f"{name} {operator} {other}"
                        yield after(source, block[-1], text, "missing step", 0.15)


def _blocks(node: ast.While) -> list[list[ast.stmt]]:
    """Return the loop's body, and the branches and loops directly in it."""
    found = [node.body]
    for inner in node.body:
        for field in ("body", "orelse"):
            block = getattr(inner, field, None)
            if isinstance(block, list) and block and not isinstance(inner, Function | ast.ClassDef):
                found.append(block)
    return found


def jump(source: Source, node: ast.AST) -> Iterator[Candidate]:
    """Leave or go on with a loop at the end of a branch."""
    if not isinstance(node, ast.If) or not _in_loop(source, node):
        return
    for block in (node.body, node.orelse):
        if block and not isinstance(block[-1], ast.Break | ast.Continue | ast.Return | ast.Raise | ast.If):
            for text in ("break", "continue"):
                yield after(source, block[-1], text, "missing jump", 0.35)


def _in_loop(source: Source, node: ast.AST) -> bool:
    up = source.parent(node)
    while up is not None and not isinstance(up, Function):
        if isinstance(up, ast.For | ast.While | ast.AsyncFor):
            return True
        up = source.parent(up)
    return False


def copied(source: Source, node: ast.AST) -> Iterator[Candidate]:
    """Put a simple statement of the same file, or a growing container's call, before or after a statement."""
    if not isinstance(node, ast.stmt) or isinstance(node, Function | ast.ClassDef):
        return
    function = source.function(node)
    if function is None:
        return
    own = ast.unparse(node)
    for text, prior in source.once(("copies", function), lambda: _texts(source, function)):
        if text != own:
            if not isinstance(node, ast.Return | ast.Raise | ast.Break | ast.Continue):
                yield after(source, node, text, "missing statement", prior)
            if function.body[0] is node or isinstance(node, ast.Return | ast.For | ast.While | ast.If):
                yield before(source, node, text, "missing statement", prior)


def _texts(source: Source, function: Function) -> list[tuple[str, float]]:
    """Return what may be missing in a function, with how likely it is; the likeliest only."""
    names = set(source.names(function.body[0]))
    found: dict[str, float] = {}
    for text, needed, local in source.once("simple statements", lambda: _simple(source)):
        if needed <= names:
            found[text] = 0.22 if local is function else 0.18
    owner = source.parent(function)
    for text, needed, local in source.once("settings", lambda: _settings(source)):
        if needed <= names and local is not function and source.parent(local) is owner:
            found.setdefault(text, 0.2)
    if isinstance(owner, ast.ClassDef) and "self" in names:
        for text in _field_defaults(owner):
            found.setdefault(text, 0.2)
    growing = {
        (inner.func.value.id, _GROWING[inner.func.attr])
        for inner in ast.walk(function)
        if isinstance(inner, ast.Call)
        and isinstance(inner.func, ast.Attribute)
        and inner.func.attr in _GROWING
        and isinstance(inner.func.value, ast.Name)
    }
    for holder, method in sorted(growing):
        for name in sorted(names - {holder, "self", "cls"}):
            found.setdefault(f"{holder}.{method}({name})", 0.12)
    return sorted(found.items(), key=lambda item: (-item[1], item[0]))[:_MAX_COPIES]


def _simple(source: Source) -> list[tuple[str, set[str], Function]]:
    """Return the calls and steps of all functions: their text, the variables that they need, the function."""
    found = []
    for node in ast.walk(source.tree):
        is_call = isinstance(node, ast.Expr) and isinstance(node.value, ast.Call)
        local = source.function(node) if is_call or isinstance(node, ast.AugAssign) else None
        if local is not None:
            found.append((ast.unparse(node), _locals_of(source, node), local))
    return found


def _settings(source: Source) -> list[tuple[str, set[str], Function]]:
    """Return what methods set on their object to a constant, and the inverse of what they count."""
    found = []
    for node in ast.walk(source.tree):
        local = source.function(node)
        if local is None:
            continue
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Constant | ast.List | ast.Dict):
            if all(isinstance(target, ast.Attribute) for target in node.targets):
                found.append((ast.unparse(node), _locals_of(source, node), local))
        elif isinstance(node, ast.AugAssign) and isinstance(node.op, ast.Add | ast.Sub):
            word = "-=" if isinstance(node.op, ast.Add) else "+="
            text = f"{ast.unparse(node.target)} {word} {ast.unparse(node.value)}"
            found.append((text, _locals_of(source, node), local))
    return found


def _field_defaults(owner: ast.ClassDef) -> list[str]:
    """Return what sets the fields of a class, as those of a dataclass, back to their defaults."""
    return [
        f"self.{item.target.id} = {ast.unparse(item.value)}"
        for item in owner.body
        if isinstance(item, ast.AnnAssign)
        and isinstance(item.target, ast.Name)
        and isinstance(item.value, ast.Constant)
    ]


def _locals_of(source: Source, node: ast.AST) -> set[str]:
    """Return the variables of its own function that a statement needs."""
    theirs = set(source.names(node))
    return {inner.id for inner in ast.walk(node) if isinstance(inner, ast.Name) and inner.id in theirs}


def after(source: Source, node: ast.stmt, text: str, operator: str, prior: float) -> Candidate:
    """Return the edit that puts lines of their own right below a statement."""
    _, end = source.line_span(node)
    line = _lines(source, node, text)
    if not source.data[:end].endswith(b"\n"):
        line = b"\n" + line
    return Candidate(source.path, end, end, line, operator, node.lineno, prior)


def before(source: Source, node: ast.stmt, text: str, operator: str, prior: float) -> Candidate:
    """Return the edit that puts a line of its own right above a statement."""
    start, _ = source.line_span(node)
    line = _lines(source, node, text)
    return Candidate(source.path, start, start, line, operator, node.lineno, prior)


def _lines(source: Source, node: ast.stmt, text: str) -> bytes:
    indent = source.indent(node)
    return b"".join(indent + line.encode() + b"\n" for line in text.split("\n"))
