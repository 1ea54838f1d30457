"""Operators on what is held: copied while it changes, changed for others, marked too late, never kept up."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from greenline.mutation.operator.insertion import after, before
from greenline.mutation.operator.slip import deep_copy_name
from greenline.mutation.source import Candidate, Function, Source

_MAX_NAMES = 6
_VIEWS = ("get", "items", "values", "keys", "setdefault")
_EMPTY_NUMBERS = ("0", "0.0")
_NEW = {
    "sort": "{0} = sorted({0}{1})",
    "reverse": "{0} = {0}[::-1]",
    "append": "{0} = [*{0}{1}]",
    "extend": "{0} = [*{0}, *{2}]",
    "update": "{0} = {{**{0}, **{2}}}",
    "clear": "{0} = []",
}
"""Method that changes a collection in place → the same for a new one, of `{2}` or of the arguments `{1}`."""
_MARKS = ("add", "append")


def snapshot(source: Source, node: ast.AST) -> Iterator[Candidate]:
    """Go through a copy of what the loop may change: what it holds, or what its own object's methods do."""
    if not isinstance(node, ast.For) or not _is_held(node.iter):
        return
    text = ast.unparse(node.iter)
    inside = [inner for step in node.body for inner in ast.walk(step)]
    roots = {inner.id for inner in ast.walk(node.iter) if isinstance(inner, ast.Name)}
    calls = [inner.func for inner in inside if isinstance(inner, ast.Call)]
    is_changed = any(
        isinstance(func, ast.Attribute)
        and isinstance(func.value, ast.Name | ast.Attribute)
        and ast.unparse(func.value).split(".")[0] in roots
        for func in calls
    ) or any(isinstance(inner, ast.Delete) for inner in inside)
    if is_changed:
        yield source.replace(node.iter, f"list({text})", "conversion", 0.45)


def _is_held(node: ast.expr) -> bool:
    if isinstance(node, ast.Call):
        return isinstance(node.func, ast.Attribute) and node.func.attr in _VIEWS
    return isinstance(node, ast.Name | ast.Attribute | ast.Subscript)


def changed_for_others(source: Source, node: ast.AST) -> Iterator[Candidate]:
    """Make a new collection where a parameter is changed in place, which the caller still holds."""
    if not isinstance(node, ast.Expr) or not isinstance(node.value, ast.Call):
        return
    call, function = node.value, source.function(node)
    if (
        function is None
        or not isinstance(call.func, ast.Attribute)
        or not isinstance(call.func.value, ast.Name)
    ):
        return
    name, form = call.func.value.id, _NEW.get(call.func.attr)
    parameters = {argument.arg for argument in function.args.args}
    if form is None or name not in parameters - {"self", "cls"}:
        return
    given = [ast.unparse(part) for part in (*call.args, *call.keywords)]
    if call.func.attr in ("append", "extend", "update") and len(given) != 1:
        return
    more = "".join(f", {text}" for text in given)
    yield source.replace(node, form.format(name, more, *given[:1] or [""]), "conversion", 0.35)


def held_deeply(source: Source, node: ast.AST) -> Iterator[Candidate]:
    """Keep or give out a copy of all that a name holds, in a file that knows how to make one."""
    if not isinstance(node, ast.Name | ast.Attribute | ast.Subscript) or not isinstance(node.ctx, ast.Load):
        return
    holder = source.parent(node)
    is_kept = isinstance(holder, ast.Assign) and not isinstance(holder.targets[0], ast.Name)
    if not is_kept and not isinstance(holder, ast.Return | ast.Assign | ast.Yield):
        return
    if name := deep_copy_name(source):
        yield source.replace(node, f"{name}({ast.unparse(node)})", "conversion", 0.4 if is_kept else 0.25)


def used_last(source: Source, node: ast.AST) -> Iterator[Candidate]:
    """Say of what an ordered dictionary is asked for that it was used last."""
    if not isinstance(node, ast.Return | ast.Assign) or not isinstance(node.value, ast.Subscript):
        return
    if not source.once("keeps order", lambda: "OrderedDict" in ast.unparse(source.tree)):
        return
    entry = node.value
    text = f"{ast.unparse(entry.value)}.move_to_end({ast.unparse(entry.slice)})"
    yield before(source, node, text, "missing statement", 0.4)


def first_mark(source: Source, node: ast.AST) -> Iterator[Candidate]:
    """Mark what a search begins with, as it marks what it comes to."""
    function = source.function(node)
    if not isinstance(node, ast.Assign) or function is None:
        return
    value = node.value
    if isinstance(value, ast.Call) and len(value.args) == 1:
        value = value.args[0]
    if not isinstance(value, ast.List | ast.Set) or len(value.elts) != 1:
        return
    first = ast.unparse(value.elts[0])
    marks = source.once(("marks", function), lambda: _marks(function))
    own = {ast.unparse(target) for target in node.targets}
    for holder, method in marks:
        if holder not in own:
            yield after(source, node, f"{holder}.{method}({first})", "missing statement", 0.4)


def _marks(function: Function) -> list[tuple[str, str]]:
    """Return what the function's loops add one thing to, which a caller or an assignment began."""
    found = {
        (ast.unparse(inner.func.value), inner.func.attr)
        for loop in ast.walk(function)
        if isinstance(loop, ast.For | ast.While)
        for inner in ast.walk(loop)
        if isinstance(inner, ast.Call)
        and isinstance(inner.func, ast.Attribute)
        and inner.func.attr in _MARKS
        and len(inner.args) == 1
    }
    return sorted(found)


def never_kept_up(source: Source, node: ast.AST) -> Iterator[Candidate]:
    """Keep up a field that its class begins and asks for, and that nothing ever changes."""
    function = source.function(node)
    if not isinstance(node, ast.stmt) or function is None or isinstance(node, Function | ast.ClassDef):
        return
    owner = source.parent(function)
    if not isinstance(owner, ast.ClassDef) or function.name == "__init__":
        return
    fields = source.once(("never kept up", owner), lambda: _never_changed(owner))
    beside = {inner.id for inner in ast.walk(node) if isinstance(inner, ast.Name)}
    names = [name for name in source.names(node) if name in beside - {"self", "cls"}][:_MAX_NAMES]
    for field, kind in fields:
        for text in _kept_up(f"self.{field}", kind, names):
            if not isinstance(node, ast.Return | ast.Raise | ast.Break | ast.Continue):
                yield after(source, node, text, "missing update", 0.4)
            elif isinstance(node, ast.Return):
                yield before(source, node, text, "missing update", 0.35)


def _kept_up(field: str, kind: str, names: list[str]) -> list[str]:
    if kind == "number":
        return [f"{field} += 1", *(f"{field} += {name}" for name in names)]
    if kind == "numbers":
        by_one = [f"{field}[{name}] += 1" for name in names]
        return by_one + [f"{field}[{key}] += {name}" for key in names for name in names if key != name]
    method = "add" if kind == "set" else "append"
    return [f"{field}.{method}({name})" for name in names]


def _never_changed(owner: ast.ClassDef) -> list[tuple[str, str]]:
    """Return the fields that `__init__` begins empty or at zero and that only are read, with their kinds."""
    begun: dict[str, str] = {}
    n_read: set[str] = set()
    changed: set[str] = set()
    for method in (item for item in owner.body if isinstance(item, Function)):
        for inner in ast.walk(method):
            if method.name == "__init__" and isinstance(inner, ast.Assign):
                for target in inner.targets:
                    if isinstance(target, ast.Attribute) and (kind := _kind(inner.value)):
                        begun[target.attr] = kind
            elif method.name != "__init__" and isinstance(inner, ast.Attribute):
                n_read.add(inner.attr)
                if isinstance(inner.ctx, ast.Store):
                    changed.add(inner.attr)
            if method.name != "__init__":
                changed |= _changed_by(inner)
    return [(name, kind) for name, kind in begun.items() if name in n_read - changed]


def _changed_by(node: ast.AST) -> set[str]:
    """Return the fields whose elements a node sets, or on which it calls what may change them."""
    if isinstance(node, ast.Subscript) and not isinstance(node.ctx, ast.Load):
        return {node.value.attr} if isinstance(node.value, ast.Attribute) else set()
    if (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr not in _VIEWS[:4]
    ):
        return {node.func.value.attr} if isinstance(node.func.value, ast.Attribute) else set()
    return set()


def _kind(value: ast.expr) -> str:
    """Return what a field begins as, where it can be kept up: `number`, `numbers`, `list` or `set`."""
    text = ast.unparse(value)
    if text in _EMPTY_NUMBERS:
        return "number"
    if text in ("Counter()", "collections.Counter()", "defaultdict(int)"):
        return "numbers"
    if isinstance(value, ast.DictComp) and ast.unparse(value.value) in _EMPTY_NUMBERS:
        return "numbers"
    return {"[]": "list", "list()": "list", "set()": "set", "deque()": "list"}.get(text, "")
