"""Operators for a part that was omitted: what is gathered, a parent's share, a refusal, a varying size."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from greenline.mutation.operator.insertion import after, before
from greenline.mutation.source import Candidate, Function, Source

_MAX_NAMES = 8
_PLACES = ast.AugAssign | ast.BinOp | ast.Call | ast.Subscript | ast.Slice
_TESTS_OF_KIND = ("isinstance", "issubclass")
_NOT_NUMBERS = ast.JoinedStr | ast.List | ast.ListComp | ast.Dict | ast.DictComp | ast.Set | ast.SetComp


def gathered(source: Source, node: ast.AST) -> Iterator[Candidate]:
    """Add to what an entry holds already where it is overwritten."""
    if not isinstance(node, ast.Assign) or len(node.targets) != 1:
        return
    target = node.targets[0]
    if not isinstance(target, ast.Subscript | ast.Attribute):
        return
    bits = source.between(target, node.value, b"=", b"|=", "assignment", 0.2)
    if bits is not None and isinstance(node.value, ast.BinOp | ast.Name | ast.Call | ast.Set):
        yield bits
    is_entry = isinstance(target, ast.Subscript) and not isinstance(target.slice, ast.Slice)
    if is_entry and isinstance(target, ast.Subscript) and not isinstance(node.value, _NOT_NUMBERS):
        held = b"%s.get(%s, 0)" % (source.text(target.value), source.text(target.slice))
        yield source.replace(node.value, held + b" + " + source.operand(node.value), "missing sum", 0.3)


def joined(source: Source, node: ast.AST) -> Iterator[Candidate]:
    """Return a list of the function together with the one that is built where it is returned."""
    if not isinstance(node, ast.Return) or not isinstance(node.value, ast.ListComp | ast.List):
        return
    text = source.text(node.value)
    for name in source.names(node)[:_MAX_NAMES]:
        if name not in ("self", "cls"):
            yield source.replace(node.value, name.encode() + b" + " + text, "missing sum", 0.15)


def parent_method(source: Source, node: ast.AST) -> Iterator[Candidate]:
    """Let a method that overrides another of the file do its parent's part: first, last, or for a value."""
    if not isinstance(node, Function) or node.name.startswith("__"):
        return
    holder = source.parent(node)
    if not isinstance(holder, ast.ClassDef) or "super()" in ast.unparse(node):
        return
    classes = source.once("classes by name", lambda: _classes(source))
    over = _overridden(classes, holder, node.name)
    if over is None or (isinstance(node, ast.AsyncFunctionDef) is not isinstance(over, ast.AsyncFunctionDef)):
        return
    names = [argument.arg for argument in node.args.args[1 : len(over.args.args)]]
    word = "await " if isinstance(node, ast.AsyncFunctionDef) else ""
    text = f"{word}super().{node.name}({', '.join(names)})"
    has_prose = isinstance(node.body[0], ast.Expr) and isinstance(node.body[0].value, ast.Constant)
    own = node.body[1:] if has_prose else node.body
    if own:
        yield before(source, own[0], text, "missing parent's part", 0.4)
        if not isinstance(own[-1], ast.Return | ast.Raise):
            yield after(source, own[-1], text, "missing parent's part", 0.4)
    for step in own:
        if isinstance(step, ast.Assign | ast.Return) and step.value is not None:
            yield source.replace(step.value, text, "missing parent's part", 0.3)


def _classes(source: Source) -> dict[str, ast.ClassDef]:
    return {item.name: item for item in ast.walk(source.tree) if isinstance(item, ast.ClassDef)}


def _overridden(classes: dict[str, ast.ClassDef], holder: ast.ClassDef, name: str) -> Function | None:
    """Return the method of that name of the nearest parent in the file, if it does something."""
    seen, waiting = {holder.name}, list(holder.bases)
    while waiting:
        base = waiting.pop(0)
        parent = classes.get(base.id) if isinstance(base, ast.Name) and base.id not in seen else None
        if parent is None:
            continue
        seen.add(parent.name)
        for item in parent.body:
            if isinstance(item, Function) and item.name == name:
                return item if any(not _is_idle(step) for step in item.body) else None
        waiting += parent.bases
    return None


def _is_idle(step: ast.stmt) -> bool:
    is_constant = isinstance(step, ast.Expr) and isinstance(step.value, ast.Constant)
    return isinstance(step, ast.Pass | ast.Raise) or is_constant


def refusal(source: Source, node: ast.AST) -> Iterator[Candidate]:
    """Leave the function at the end of a branch: with the truth value, or nothing, as it may elsewhere."""
    if not isinstance(node, ast.If) or source.function(node) is None:
        return
    last = node.body[-1]
    if isinstance(last, ast.Return | ast.Raise | ast.Break | ast.Continue | ast.If | ast.For | ast.While):
        return
    function = source.function(node)
    for text in source.once(("refusals", function), lambda: _refusals(source, function)):
        yield after(source, last, text, "missing return", 0.3)


def _refusals(source: Source, function: Function | None) -> list[str]:
    """Return what a function may return early: by what it returns elsewhere."""
    if function is None:
        return []
    returned = [
        inner.value
        for inner in ast.walk(function)
        if isinstance(inner, ast.Return) and source.function(inner) is function
    ]
    values = {value.value for value in returned if isinstance(value, ast.Constant)}
    if any(isinstance(value, bool) for value in values) or any(isinstance(v, ast.Compare) for v in returned):
        return ["return False", "return True"]
    return ["return None"] if any(value is not None for value in returned) else ["return"]


def varying(source: Source, node: ast.AST) -> Iterator[Candidate]:
    """Take a variable for a number that is written out."""
    if not isinstance(node, ast.Constant) or type(node.value) is not int:
        return
    if not isinstance(source.parent(node), _PLACES):
        return
    names = [name for name in source.names(node) if name not in ("self", "cls")]
    statement = source.statement(node)
    own = {inner.id for inner in ast.walk(statement) if isinstance(inner, ast.Name)} if statement else set()
    for name in [name for name in names if name not in own][:_MAX_NAMES]:
        yield source.replace(node, name, "constant", 0.2)


def kind(source: Source, node: ast.AST) -> Iterator[Candidate]:
    """Ask for another class of the file."""
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name) or len(node.args) != 2:
        return
    asked = node.args[1]
    if node.func.id not in _TESTS_OF_KIND or not isinstance(asked, ast.Name):
        return
    for name in sorted(source.once("classes by name", lambda: _classes(source)))[:_MAX_NAMES]:
        if name != asked.id:
            yield source.replace(asked, name, "class", 0.35)


def borrowed_base(source: Source, node: ast.AST) -> Iterator[Candidate]:
    """End a method that calls itself where others of its class end: with the least of its own kind."""
    if not isinstance(node, Function) or not node.body:
        return
    owner = source.parent(node)
    text = ast.unparse(node)
    if not isinstance(owner, ast.ClassDef) or f".{node.name}(" not in text:
        return
    own = [argument.arg for argument in node.args.args if argument.arg not in ("self", "cls")]
    is_prose = isinstance(node.body[0], ast.Expr) and isinstance(node.body[0].value, ast.Constant)
    first = node.body[1 if is_prose and len(node.body) > 1 else 0]
    for test, needed in source.once(("ends", owner), lambda: _ends(owner)):
        if needed <= {*own, "self", "cls"} and f"if {test}:" not in text:
            for value in _least(node, own):
                guard = f"if {test}:\n    return {value}"
                yield before(source, first, guard, "missing base case", 0.3)


def _ends(owner: ast.ClassDef) -> list[tuple[str, set[str]]]:
    """Return what the methods of a class ask where they return at once, with the variables that it takes."""
    found: dict[str, set[str]] = {}
    for node in ast.walk(owner):
        if isinstance(node, ast.If) and len(node.body) == 1 and isinstance(node.body[0], ast.Return):
            names = {inner.id for inner in ast.walk(node.test) if isinstance(inner, ast.Name)}
            found[ast.unparse(node.test)] = names
    return list(found.items())[:_MAX_NAMES]


def _least(function: Function, own: list[str]) -> list[str]:
    """Return the least that a function may come to, by the collection that it returns; numbers otherwise."""
    returned = {ast.unparse(i.value) for i in ast.walk(function) if isinstance(i, ast.Return) and i.value}
    begun = {
        ast.unparse(item.value)
        for item in ast.walk(function)
        if isinstance(item, ast.Assign) and ast.unparse(item.targets[0]) in returned
    }
    if "{}" in begun:
        pairs = [f"{{{key}: {value}}}" for key in own for value in (*own, "1") if key != value]
        return ["{}", *pairs[:_MAX_NAMES]]
    if "[]" in begun:
        return ["[]", *(f"[{name}]" for name in own)]
    if "set()" in begun:
        return ["set()", *(f"{{{name}}}" for name in own)]
    return ["0", "1", *own]
