"""Operators on statements: removed, swapped, moved, returned, defaulted."""

from __future__ import annotations

import ast
import itertools
from collections.abc import Iterator

from greenline.mutation.source import Candidate, Function, Source

_AUGMENTED: dict[type[ast.operator], tuple[bytes, tuple[bytes, ...]]] = {
    ast.Add: (b"+=", (b"-=", b"=", b"*=")),
    ast.Sub: (b"-=", (b"+=", b"=")),
    ast.Mult: (b"*=", (b"/=", b"+=", b"**=")),
    ast.Div: (b"/=", (b"//=", b"*=")),
    ast.FloorDiv: (b"//=", (b"/=", b"%=")),
    ast.Mod: (b"%=", (b"//=",)),
    ast.BitAnd: (b"&=", (b"|=",)),
    ast.BitOr: (b"|=", (b"&=", b"=")),
    ast.BitXor: (b"^=", (b"&=", b"|=")),
}


def _block(source: Source, node: ast.stmt) -> list[ast.stmt]:
    parent = source.parent(node)
    for field in ("body", "orelse", "finalbody"):
        block = getattr(parent, field, None)
        if isinstance(block, list) and node in block:
            return block
    return []


def _indent(source: Source, node: ast.stmt) -> bytes:
    start, _ = source.line_span(node)
    line = source.data[start : source.span(node)[0]]
    return line if not line.strip() else b""


def removal(source: Source, node: ast.AST) -> Iterator[Candidate]:
    """Leave a statement out; take `else` bodies and conditions away."""
    if not isinstance(node, ast.stmt) or isinstance(
        node, Function | ast.ClassDef | ast.Import | ast.ImportFrom
    ):
        return
    block = _block(source, node)
    if len(block) > 1:
        start, end = source.line_span(node)
        twin = any(other is not node and ast.dump(other) == ast.dump(node) for other in block)
        yield Candidate(source.path, start, end, b"", "removed statement", node.lineno, 0.6 if twin else 0.2)
    elif block and isinstance(node, ast.Assign | ast.AugAssign | ast.Expr):
        yield source.replace(node, b"pass", "removed statement", 0.12)


def swap(source: Source, node: ast.AST) -> Iterator[Candidate]:
    """Swap a statement with the next one."""
    if not isinstance(node, ast.stmt):
        return
    block = _block(source, node)
    following = block.index(node) + 1 if block else 0
    if not block or following >= len(block):
        return
    other = block[following]
    (start, middle), (begin, end) = source.line_span(node), source.line_span(other)
    if (
        middle > begin
        or isinstance(node, Function | ast.ClassDef)
        or isinstance(other, Function | ast.ClassDef)
    ):
        return
    first, gap, second = source.data[start:middle], source.data[middle:begin], source.data[begin:end]
    if not second.endswith(b"\n"):
        second, first = second + b"\n", first.rstrip(b"\r\n")
    yield Candidate(source.path, start, end, second + gap + first, "swapped statements", node.lineno, 0.35)


def returned(source: Source, node: ast.AST) -> Iterator[Candidate]:
    """Return another value, or return where nothing is returned."""
    if isinstance(node, ast.Return) and node.value is not None:
        for other in source.names(node):
            yield source.replace(node.value, other, "returned value", 0.3)
        for value in ("True", "False", "None", "0", "1", "[]", "''"):
            yield source.replace(node.value, value, "returned value", 0.12)
        yield from _returned_instead(source, node.value)
    if isinstance(node, ast.Expr) and not isinstance(node.value, ast.Constant):
        yield source.replace(node, b"return %s" % source.text(node), "missing return", 0.4)
    if isinstance(node, ast.Assign) and _block(source, node)[-1:] == [node]:
        yield source.replace(node, b"return %s" % source.text(node.value), "missing return", 0.2)
    function = source.function(node)
    if isinstance(node, ast.stmt) and function is not None and function.body[-1] is node:
        if isinstance(node, ast.Return | ast.Raise):
            return
        _, end = source.line_span(node)
        indent = _indent(source, node)
        for name in source.names(node):
            text = indent + b"return " + name.encode() + b"\n"
            if not source.data[:end].endswith(b"\n"):
                text = b"\n" + text
            yield Candidate(source.path, end, end, text, "missing return", node.lineno, 0.4)


def _returned_instead(source: Source, value: ast.expr) -> Iterator[Candidate]:
    """Take a value that is built from a variable for a constant one."""
    if isinstance(value, ast.List) and not value.elts:
        yield source.replace(value, "[[]]", "returned value", 0.3)
        for name in source.names(value):
            yield source.replace(value, f"[{name}]", "returned value", 0.2)
    if isinstance(value, ast.Constant) and isinstance(value.value, bool):
        for name in source.names(value):
            for text in (f"{name} == 0", f"not {name}", f"bool({name})"):
                yield source.replace(value, text, "returned value", 0.2)


def augmented(source: Source, node: ast.AST) -> Iterator[Candidate]:
    """Take another assignment operator."""
    if isinstance(node, ast.AugAssign):
        old, options = _AUGMENTED.get(type(node.op), (b"", ()))
        for new in options:
            made = source.between(node.target, node.value, old, new, "assignment", 0.55) if old else None
            if made is not None:
                yield made
    if isinstance(node, ast.Assign) and len(node.targets) == 1:
        for new in (b"+=", b"-=", b"*="):
            made = source.between(node.targets[0], node.value, b"=", new, "assignment", 0.3)
            if made is not None:
                yield made
        target, text = node.targets[0], source.text(node.value)
        for bound in (b"0", source.text(target)):
            for function in (b"max", b"min"):
                if bound != text:
                    made = source.replace(node.value, b"%s(%s, %s)" % (function, bound, text), "bound", 0.15)
                    yield made


def default(source: Source, node: ast.AST) -> Iterator[Candidate]:
    """Make a mutable default fresh for each call."""
    function = node if isinstance(node, Function) else None
    if function is None or not function.body:
        return
    arguments = [*function.args.posonlyargs, *function.args.args]
    arguments = arguments[len(arguments) - len(function.args.defaults) :]
    first = function.body[0]
    if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant) and len(function.body) > 1:
        first = function.body[1]
    for argument, value in zip(arguments, function.args.defaults, strict=True):
        if isinstance(value, ast.List | ast.Dict | ast.Set | ast.Call):
            start, end = source.span(value)[0], source.span(first)[0]
            name, text, indent = argument.arg.encode(), source.text(value), _indent(source, first)
            middle = source.data[source.span(value)[1] : end]
            guard = b"if %s is None:\n%s    %s = %s\n%s" % (name, indent, name, text, indent)
            yield Candidate(
                source.path, start, end, b"None" + middle + guard, "mutable default", function.lineno, 0.8
            )


def missing_await(source: Source, node: ast.AST) -> Iterator[Candidate]:
    """Await a call in a coroutine, or stop awaiting."""
    in_coroutine = isinstance(source.function(node), ast.AsyncFunctionDef)
    if isinstance(node, ast.Call) and in_coroutine and not isinstance(source.parent(node), ast.Await):
        yield source.replace(node, b"await " + source.text(node), "missing await", 0.9)
    if isinstance(node, ast.Await):
        yield source.replace(node, source.text(node.value), "await", 0.3)


def base_case(source: Source, node: ast.AST) -> Iterator[Candidate]:
    """Begin a function with a guard for an empty, zero or missing argument."""
    function = source.function(node)
    if function is None or not isinstance(node, ast.stmt) or function.body[0] is not node:
        return
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and len(function.body) > 1:
        node = function.body[1]
    start, indent = source.span(node)[0], _indent(source, node)
    names = [a.arg for a in function.args.args if a.arg not in ("self", "cls")]
    recursive = any(
        isinstance(inner, ast.Call) and isinstance(inner.func, ast.Name) and inner.func.id == function.name
        for inner in ast.walk(function)
    )
    for name in names:
        tests = [f"not {name}", f"{name} is None"] + ([f"{name} <= 1", f"{name} == 0"] if recursive else [])
        for test in tests:
            for value in ("[]", "0", "None", "''", "{}", "1", "False", "True", name):
                text = f"if {test}:\n".encode() + indent + f"    return {value}\n".encode() + indent
                prior = 0.2 if recursive else 0.14
                yield Candidate(source.path, start, start, text, "missing base case", node.lineno, prior)
    for left, right in itertools.combinations(names, 2):
        for value in ("0", "[]", "True", "False", "None", left):
            text = f"if {left} == {right}:\n".encode() + indent + f"    return {value}\n".encode() + indent
            yield Candidate(source.path, start, start, text, "missing base case", node.lineno, 0.12)


def indentation(source: Source, node: ast.AST) -> Iterator[Candidate]:
    """Move a block's last statement out of it, or the statement after a block into it."""
    if not isinstance(node, ast.stmt) or isinstance(node, Function | ast.ClassDef):
        return
    parent = source.parent(node)
    indent = _indent(source, node)
    start, end = source.line_span(node)
    lines = source.data[start:end]
    block = _block(source, node)
    if isinstance(parent, ast.For | ast.While | ast.If | ast.With) and len(block) > 1 and block[-1] is node:
        text = _moved(lines, indent, _indent(source, parent))
        if text is not None:
            yield Candidate(source.path, start, end, text, "indentation", node.lineno, 0.45)
    if block and block.index(node) > 0:
        before = block[block.index(node) - 1]
        last = before.body[-1] if isinstance(before, ast.For | ast.While | ast.If | ast.With) else None
        # Behind what leaves the block nothing is executed.
        if last is not None and not isinstance(last, ast.Raise | ast.Return | ast.Continue | ast.Break):
            inner = _indent(source, last)
            text = _moved(lines, indent, inner) if inner else None
            if text is not None:
                yield Candidate(source.path, start, end, text, "indentation", node.lineno, 0.4)


def _moved(lines: bytes, old: bytes, new: bytes) -> bytes | None:
    """Return lines at another depth; None where one does not begin as the first, or is part of a text."""
    own = lines.splitlines(keepends=True)
    if b'"' * 3 in lines or b"'" * 3 in lines:
        return None
    if not all(line.startswith(old) or not line.strip() for line in own):
        return None
    return b"".join(new + line[len(old) :] if line.strip() else line for line in own)


def loop_exit(source: Source, node: ast.AST) -> Iterator[Candidate]:
    """Swap `break` with `continue`; stop or go on where nothing does."""
    if isinstance(node, ast.Break):
        yield source.replace(node, b"continue", "loop exit", 0.5)
    if isinstance(node, ast.Continue):
        yield source.replace(node, b"break", "loop exit", 0.5)
    if isinstance(node, ast.If) and not node.orelse:
        start, end = source.span(node)[0], source.span(node.test)[0]
        prior = 0.4 if _is_used_up(node) else 0.12
        yield Candidate(source.path, start, end, b"while ", "loop exit", node.lineno, prior)
    if isinstance(node, ast.While):
        start, end = source.span(node)[0], source.span(node.test)[0]
        yield Candidate(source.path, start, end, b"if ", "loop exit", node.lineno, 0.1)


def _is_used_up(node: ast.If) -> bool:
    """Return whether a branch takes something away from what its condition looks at."""
    asked = {ast.unparse(item) for item in ast.walk(node.test) if isinstance(item, ast.Name | ast.Attribute)}
    calls = (item.func for step in node.body for item in ast.walk(step) if isinstance(item, ast.Call))
    return any(
        isinstance(func, ast.Attribute) and func.attr.startswith("pop") and ast.unparse(func.value) in asked
        for func in calls
    )
