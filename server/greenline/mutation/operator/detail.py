"""Operators for small slips: a sign, an argument not handed on, a guard, what is not used or never grows."""

from __future__ import annotations

import ast
import itertools
from collections.abc import Iterator
from functools import partial

from greenline.mutation.operator.insertion import after, before
from greenline.mutation.source import Candidate, Function, Source

_Value = ast.Name | ast.Attribute | ast.Subscript
_PLACES = ast.Return | ast.Call | ast.Tuple | ast.Assign | ast.AugAssign | ast.Yield | ast.keyword
_CLEANING = ("lower", "upper", "strip", "casefold", "rstrip", "lstrip", "copy", "title")
_GROWTH = {"[]": "append", "list()": "append", "set()": "add", "deque()": "append"}
_MAX_NAMES = 8


def sign(source: Source, node: ast.AST) -> Iterator[Candidate]:
    """Take the negative of a value that is returned, handed on or sorted by."""
    if isinstance(node, _Value) and isinstance(node.ctx, ast.Load) and _is_handed_on(source, node):
        holder = source.parent(node)
        is_sorted = isinstance(holder, ast.Tuple) and isinstance(source.parent(holder), ast.Lambda)
        yield source.replace(node, b"-" + source.text(node), "sign", 0.4 if is_sorted else 0.3)


def _is_handed_on(source: Source, node: ast.AST) -> bool:
    holder = source.parent(node)
    return isinstance(holder, _PLACES) and not (isinstance(holder, ast.Call) and holder.func is node)


def bits_cleared(source: Source, node: ast.AST) -> Iterator[Candidate]:
    """Clear bits where they are set or flipped."""
    if not isinstance(node, ast.AugAssign) or not isinstance(node.op, ast.BitXor | ast.BitOr | ast.BitAnd):
        return
    target = source.text(node.target)
    value = source.text(node.value)
    is_inverted = isinstance(node.value, ast.UnaryOp) and isinstance(node.value.op, ast.Invert)
    if is_inverted:
        yield source.replace(node, b"%s |= %s" % (target, value[1:].lstrip()), "assignment", 0.3)
    else:
        yield source.replace(node, b"%s &= ~(%s)" % (target, value), "assignment", 0.4)


def cleaned(source: Source, node: ast.AST) -> Iterator[Candidate]:
    """Clean a value as another place of the file cleans the same name, or any."""
    if not isinstance(node, ast.Name | ast.Attribute) or not isinstance(node.ctx, ast.Load):
        return
    if not isinstance(source.parent(node), ast.Call | ast.Compare | ast.Subscript | ast.Assign | ast.Return):
        return
    holder = source.parent(node)
    if isinstance(holder, ast.Call) and holder.func is node:
        return
    found = source.once("cleaned", lambda: _cleaned(source))
    text = ast.unparse(node)
    for method in sorted({method for _, method in found}):
        is_same = (text, method) in found or isinstance(holder, ast.Compare)
        yield source.replace(node, f"{text}.{method}()", "missing call", 0.35 if is_same else 0.18)


def cleaned_at_once(source: Source, node: ast.AST) -> Iterator[Candidate]:
    """Clean a variable right where it is set, or a parameter first of all, as the file cleans others."""
    if isinstance(node, ast.Assign):
        targets = node.targets[0]
        names = targets.elts if isinstance(targets, ast.Tuple) else [targets]
        set_names = [item.id for item in names if isinstance(item, ast.Name)]
    elif isinstance(node, Function) and len(node.body) > 1:
        set_names = [argument.arg for argument in node.args.args if argument.arg not in ("self", "cls")]
    else:
        return
    methods = sorted({method for _, method in source.once("cleaned", lambda: _cleaned(source))})
    for name in set_names[:_MAX_NAMES]:
        for method in methods:
            text = f"{name} = {name}.{method}()"
            if isinstance(node, ast.Assign):
                yield after(source, node, text, "missing call", 0.3)
            else:
                first = node.body[1] if _is_prose(node.body[0]) else node.body[0]
                yield before(source, first, text, "missing call", 0.25)


def _is_prose(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def same_either_way(source: Source, node: ast.AST) -> Iterator[Candidate]:
    """Let the two ways of a condition differ where both give the same."""
    if not isinstance(node, ast.IfExp) or ast.dump(node.body) != ast.dump(node.orelse):
        return
    text = source.operand(node.body)
    for side in (node.body, node.orelse):
        for other in (b"not %s" % text, b"-%s" % text):
            yield source.replace(side, other, "negation", 0.7)


def _cleaned(source: Source) -> set[tuple[str, str]]:
    return {
        (ast.unparse(node.func.value), node.func.attr)
        for node in ast.walk(source.tree)
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr in _CLEANING
        and not node.args
    }


def handed_on(source: Source, node: ast.AST) -> Iterator[Candidate]:
    """Hand on in a call what its function takes and uses nowhere."""
    function = source.function(node)
    if not isinstance(node, ast.Call) or function is None:
        return
    text = source.text(node)
    if not text.endswith(b")"):
        return
    inside = text[:-1].rstrip()
    comma = b"" if inside.endswith((b",", b"(")) else b", "
    for form in _unused_around(source, node):
        prior = 0.6 if form.startswith("*") else 0.3
        yield source.replace(node, b"%s%s%s)" % (text[:-1], comma, form.encode()), "missing argument", prior)
        if not form.startswith("*"):
            named = f"{form}={form}".encode()
            yield source.replace(node, b"%s%s%s)" % (text[:-1], comma, named), "missing argument", 0.25)


def unused_name(source: Source, node: ast.AST) -> Iterator[Candidate]:
    """Take for a name or a constant a parameter that the function uses nowhere."""
    function = source.function(node)
    if function is None or not isinstance(node, ast.Name | ast.Constant):
        return
    if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
        return
    holder = source.parent(node)
    if isinstance(holder, ast.Expr | ast.JoinedStr | ast.FormattedValue | ast.arguments):
        return
    is_type = isinstance(holder, ast.ExceptHandler) and holder.type is node
    for name in _unused_around(source, node):
        if not name.startswith("*"):
            yield source.replace(node, name, "variable", 0.6 if is_type else 0.45)


def _around(source: Source, node: ast.AST) -> list[Function]:
    """Return the functions around a node, the innermost first."""
    found: list[Function] = []
    function = source.function(node)
    while function is not None:
        found.append(function)
        function = source.function(function)
    return found


def _unused_around(source: Source, node: ast.AST) -> list[str]:
    found = (source.once(("unused", f), partial(_unused, f)) for f in _around(source, node))
    return list(itertools.chain.from_iterable(found))


def _unused(function: Function) -> list[str]:
    """Return the parameters that are never read, as they are handed on."""
    read = {n.id for n in ast.walk(function) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)}
    arguments = function.args
    named = [a.arg for a in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)]
    found = [name for name in named if name not in read | {"self", "cls"} and not name.startswith("_")]
    found += [f"*{arguments.vararg.arg}"] if arguments.vararg and arguments.vararg.arg not in read else []
    found += [f"**{arguments.kwarg.arg}"] if arguments.kwarg and arguments.kwarg.arg not in read else []
    return found


def guard(source: Source, node: ast.AST) -> Iterator[Candidate]:
    """Ask first whether there is the thing whose attribute or element is asked for."""
    if not isinstance(node, ast.If | ast.While | ast.IfExp):
        return
    test = node.test
    text = source.text(test)
    old = b"(%s)" % text if isinstance(test, ast.BoolOp) else text
    names = {
        inner.value.id: None
        for inner in ast.walk(test)
        if isinstance(inner, ast.Attribute | ast.Subscript) and isinstance(inner.value, ast.Name)
    }
    for name in [name for name in names if name not in ("self", "cls")][:_MAX_NAMES]:
        encoded = name.encode()
        yield source.replace(test, b"%s is None or %s" % (encoded, old), "missing condition", 0.3)
        yield source.replace(test, b"%s is not None and %s" % (encoded, old), "missing condition", 0.25)
        yield source.replace(test, b"%s and %s" % (encoded, old), "missing condition", 0.2)
        yield source.replace(test, b"not %s or %s" % (encoded, old), "missing condition", 0.2)


def extreme(source: Source, node: ast.AST) -> Iterator[Candidate]:
    """Take the greater or the smaller of two things' attribute for one's."""
    if not isinstance(node, ast.Attribute) or not isinstance(node.ctx, ast.Load):
        return
    function = source.function(node)
    if function is None or not isinstance(node.value, ast.Name) or not _is_handed_on(source, node):
        return
    own = ast.unparse(node)
    owners = source.once(("owners", function), lambda: _owners(function))
    for other in [name for name in owners if name != node.value.id][:_MAX_NAMES]:
        for name in ("max", "min"):
            yield source.replace(node, f"{name}({other}.{node.attr}, {own})", "bound", 0.3)


def _owners(function: Function) -> list[str]:
    found = {
        node.value.id: None
        for node in ast.walk(function)
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name)
    }
    return [name for name in found if name not in ("self", "cls")]


def growth(source: Source, node: ast.AST) -> Iterator[Candidate]:
    """Let a collection grow that begins empty, is asked, and never gets anything."""
    function = source.function(node)
    if not isinstance(node, ast.stmt) or function is None or isinstance(node, Function | ast.ClassDef):
        return
    found = (source.once(("never grows", f), partial(_never_grows, f)) for f in _around(source, node))
    for name, method in itertools.chain.from_iterable(found):
        for other in [item for item in source.names(node) if item not in (name, "self", "cls")]:
            text = f"{name}.{method}({other})"
            if not isinstance(node, ast.Return | ast.Raise | ast.Break | ast.Continue):
                yield after(source, node, text, "missing statement", 0.45)
            for block in _blocks(node):
                yield before(source, block[0], text, "missing statement", 0.45)


def _blocks(node: ast.stmt) -> list[list[ast.stmt]]:
    """Return the branches of a condition, or the body of a loop."""
    if isinstance(node, ast.For | ast.While):
        return [node.body]
    if not isinstance(node, ast.If):
        return []
    is_chain = len(node.orelse) == 1 and isinstance(node.orelse[0], ast.If)
    return [node.body, node.orelse] if node.orelse and not is_chain else [node.body]


def _never_grows(function: Function) -> list[tuple[str, str]]:
    begun = {
        node.targets[0].id: _GROWTH[ast.unparse(node.value)]
        for node in ast.walk(function)
        if isinstance(node, ast.Assign)
        and isinstance(node.targets[0], ast.Name)
        and ast.unparse(node.value) in _GROWTH
    }
    changed = {
        node.value.id
        for node in ast.walk(function)
        if isinstance(node, ast.Attribute | ast.Subscript)
        and isinstance(node.value, ast.Name)
        and (isinstance(node, ast.Attribute) or isinstance(node.ctx, ast.Store))
    }
    changed |= {
        node.target.id
        for node in ast.walk(function)
        if isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name)
    }
    return [(name, method) for name, method in begun.items() if name not in changed]


def nothing(source: Source, node: ast.AST) -> Iterator[Candidate]:
    """Begin with nothing where the file asks whether there is nothing yet, and not with zero."""
    if not isinstance(node, ast.Constant) or node.value not in (0, "", -1) or isinstance(node.value, bool):
        return
    if not isinstance(source.parent(node), ast.Assign | ast.Tuple | ast.Return):
        return
    if source.once("asks for nothing", lambda: " is None" in ast.unparse(source.tree)):
        yield source.replace(node, "None", "constant", 0.25)
