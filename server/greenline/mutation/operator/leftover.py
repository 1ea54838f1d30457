"""Operators for what a first version does not think of: the rest after a loop, nothing found, a limit."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from greenline.mutation.operator.insertion import after, before
from greenline.mutation.source import Candidate, Function, Source

_Loop = ast.For | ast.While | ast.AsyncFor
_EMPTY = ast.List | ast.Dict | ast.Tuple | ast.Set
_LIMIT = re.compile(
    r"max|min|limit|cap|size|ceil|floor|bound|low|high|upper|lower|total|full|most|least|end|start"
)
_NO_NUMBERS = ("min", "max", "list", "dict", "set", "str")
_MAX_LIMITS = 8
_MAX_NAMES = 10


def rest(source: Source, node: ast.AST) -> Iterator[Candidate]:
    """Hand on after a loop what is still being gathered, as the loop does where a piece is complete."""
    if not isinstance(node, _Loop) or source.function(node) is None:
        return
    for branch in (inner for inner in ast.walk(node) if isinstance(inner, ast.If)):
        for block in (branch.body, branch.orelse):
            for given in block:
                text, names = ast.unparse(given), _renewed(block, given)
                if not names or "\n" in text:
                    continue
                asked = [ast.unparse(branch.test)] if _is_flag(branch.test) and given in branch.body else []
                for test in dict.fromkeys((*asked, *names)):
                    yield after(source, node, f"if {test}:\n    {text}", "missing rest", 0.5)
                yield after(source, node, text, "missing rest", 0.35)


def _is_flag(test: ast.expr) -> bool:
    return isinstance(test, ast.Name | ast.Attribute)


def _renewed(block: list[ast.stmt], given: ast.stmt) -> list[str]:
    """Return the names that a statement hands on and that its block begins anew below it."""
    if not isinstance(given, ast.Expr | ast.AugAssign):
        return []
    used = {inner.id for inner in ast.walk(given) if isinstance(inner, ast.Name)}
    names = []
    for other in block[block.index(given) + 1 :]:
        if isinstance(other, ast.Assign):
            target = other.targets[0]
            parts = target.elts if isinstance(target, ast.Tuple) else [target]
            names += [part.id for part in parts if isinstance(part, ast.Name)]
        elif isinstance(other, ast.Expr) and ast.unparse(other).endswith(".clear()"):
            names.append(ast.unparse(other)[: -len(".clear()")])
    return [name for name in names if name in used]


def first_result(source: Source, node: ast.AST) -> Iterator[Candidate]:
    """Go on with a loop that returns in its first round, unless there is something to return."""
    if not isinstance(node, ast.Return) or not isinstance(node.value, ast.Name | ast.Attribute):
        return
    holder = source.parent(node)
    if not isinstance(holder, _Loop) or node not in holder.body:
        return
    start, end = source.span(node)
    indent = source.indent(node)
    name = source.text(node.value)
    for test, prior in ((b"%s is not None" % name, 0.5), (name, 0.5), (b"not %s" % name, 0.2)):
        text = b"if %s:\n%s    %s" % (test, indent, source.text(node))
        yield Candidate(source.path, start, end, text, "early return", node.lineno, prior)


def absence(source: Source, node: ast.AST) -> Iterator[Candidate]:
    """Tell what is empty or zero from what is not there."""
    if isinstance(node, ast.BoolOp) and isinstance(node.op, ast.Or) and len(node.values) == 2:
        left, right = node.values
        if isinstance(left, ast.Name | ast.Attribute | ast.Subscript):
            name, other = ast.unparse(left), ast.unparse(right)
            yield source.replace(node, f"{other} if {name} is None else {name}", "absence", 0.35)
        elif isinstance(left, ast.Call) and ast.unparse(left.func).endswith(".get") and len(left.args) == 1:
            yield source.replace(node, f"{ast.unparse(left)[:-1]}, {ast.unparse(right)})", "absence", 0.35)
    elif isinstance(node, ast.If | ast.While | ast.IfExp):
        is_not = isinstance(node.test, ast.UnaryOp) and isinstance(node.test.op, ast.Not)
        asked = node.test.operand if isinstance(node.test, ast.UnaryOp) and is_not else node.test
        if isinstance(asked, ast.Name | ast.Attribute):
            word = "is None" if is_not else "is not None"
            yield source.replace(node.test, f"{ast.unparse(asked)} {word}", "absence", 0.25)


def limit(source: Source, node: ast.AST) -> Iterator[Candidate]:
    """Keep what is assigned or returned within a limit: a variable or an attribute that is named like one."""
    value = node.value if isinstance(node, ast.Assign | ast.Return) else None
    if not isinstance(value, ast.BinOp | ast.Name | ast.Attribute | ast.Call):
        return
    if isinstance(value, ast.Call) and ast.unparse(value.func) in _NO_NUMBERS:
        return
    text = ast.unparse(value)
    names = [name for name in source.names(node) if _LIMIT.search(name.lower())]
    names += [name for name in source.once("limits", lambda: _attributes(source)) if name != text]
    own = ast.unparse(node)
    for name in names[:_MAX_LIMITS]:
        is_self = name.startswith("self.")
        if name in own or (is_self and "self" not in source.names(node)):
            continue
        for function in ("min", "max"):
            prior = 0.3 if function in name.lower() or isinstance(value, ast.BinOp) else 0.15
            yield source.replace(value, f"{function}({name}, {text})", "bound", prior)


def _attributes(source: Source) -> list[str]:
    found = {
        ast.unparse(node)
        for node in ast.walk(source.tree)
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "self"
    }
    return sorted(name for name in found if _LIMIT.search(name.lower()))


def reset(source: Source, node: ast.AST) -> Iterator[Candidate]:
    """Begin another variable anew where one is."""
    function = source.function(node)
    if not isinstance(node, ast.Assign) or function is None or source.parent(node) is function:
        return
    initial = source.once(("initial", function), lambda: _initial(function))
    own = ast.unparse(node)
    if own not in initial:
        return
    holder = source.parent(node)
    beside = {ast.unparse(item) for field in ("body", "orelse") for item in _block(holder, field)}
    for text in initial:
        if text not in beside:
            yield after(source, node, text, "missing reset", 0.45)


def _block(holder: ast.AST | None, field: str) -> list[ast.stmt]:
    block = getattr(holder, field, None)
    return block if isinstance(block, list) else []


def _initial(function: Function) -> list[str]:
    """Return what variables begin as: the assignments of constants and empty collections before any loop."""
    return [
        ast.unparse(item)
        for item in function.body
        if isinstance(item, ast.Assign)
        and isinstance(item.targets[0], ast.Name)
        and (
            isinstance(item.value, ast.Constant)
            or (isinstance(item.value, _EMPTY) and not list(ast.iter_child_nodes(item.value))[1:])
        )
    ]


def stale(source: Source, node: ast.AST) -> Iterator[Candidate]:
    """Let a loop change what it reads and what only stands before it: a variable that stays as it began."""
    function = source.function(node)
    if not isinstance(node, _Loop) or function is None or not node.body:
        return
    names = [inner for inner in ast.walk(node) if isinstance(inner, ast.Name)]
    stored = {name.id for name in names if isinstance(name.ctx, ast.Store)}
    read = {name.id for name in names if isinstance(name.ctx, ast.Load)}
    began = {
        item.targets[0].id
        for item in function.body
        if isinstance(item, ast.Assign) and isinstance(item.targets[0], ast.Name)
    }
    last = node.body[-1]
    for name in sorted((began & read) - stored):
        for other in sorted((stored | read) & set(source.names(node)) - {name, "self"})[:_MAX_NAMES]:
            prior = 0.4 if other in stored else 0.15
            if isinstance(last, ast.Assign | ast.AugAssign):
                # Before it: the last step of a loop often moves on to the next, and the old is wanted.
                yield before(source, last, f"{name} = {other}", "missing update", prior)
            yield after(source, last, f"{name} = {other}", "missing update", prior)


def replaced_step(source: Source, node: ast.AST) -> Iterator[Candidate]:
    """Set to another variable what is counted on."""
    if not isinstance(node, ast.AugAssign) or not isinstance(node.op, ast.Add | ast.Sub):
        return
    target = ast.unparse(node.target)
    for name in source.names(node)[: 2 * _MAX_NAMES]:
        if name not in (target, "self", "cls"):
            yield source.replace(node, f"{target} = {name}", "assignment", 0.12)
