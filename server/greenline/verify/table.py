"""Tables of test cases in Python that only gain rows, and where more rows let no test say less; pure.

A row that was there must be there still, as it was. More rows say more where each row is a test of its own
(`parametrize`), or where a loop asserts something of every row; `any(...)`, an index or a loop that may end
before its last row can say less by one more row, so a table that is used so must stay as it is.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

BY_ROW = frozenset({"parametrize", "fixture", "expand"})
"""What makes a test of each row."""
_VIEWS = frozenset({"items", "keys", "values"})
_COPIES = frozenset({"list", "tuple", "sorted", "set", "frozenset", "dict", "OrderedDict"})
_CATCHES = frozenset({"raises", "assertRaises", "assertRaisesRegex", "suppress"})
_SEQUENCES = (ast.List, ast.Tuple, ast.Set)


def is_grown(old: ast.expr, new: ast.expr) -> bool:
    """Return whether a table is the same, or has all of its rows in their order and more of them."""
    if ast.dump(old) == ast.dump(new):
        return True
    if isinstance(new, ast.BinOp) and isinstance(new.op, ast.Add):
        both = isinstance(old, ast.BinOp) and is_grown(old.left, new.left) and is_grown(old.right, new.right)
        return both or is_grown(old, new.left) or is_grown(old, new.right)
    if isinstance(old, ast.Dict) and isinstance(new, ast.Dict):
        return _has_all_keys(old, new)
    if isinstance(new, _SEQUENCES):
        if isinstance(old, type(new)):
            return _is_within(map(ast.dump, old.elts), map(ast.dump, new.elts))
        return any(isinstance(e, ast.Starred) and is_grown(old, e.value) for e in new.elts)
    if isinstance(old, ast.Call) and isinstance(new, ast.Call) and len(old.args) == len(new.args) == 1:
        same = ast.dump(old.func) == ast.dump(new.func) and not (old.keywords or new.keywords)
        return same and called(new) in _COPIES and is_grown(old.args[0], new.args[0])
    return False


def is_longer(old: ast.stmt, new: ast.stmt, opaque: frozenset[str]) -> bool:
    """Return whether a statement is the same, or one that walks or keeps a table with more rows."""
    if ast.dump(old) == ast.dump(new):
        return True
    if isinstance(old, ast.Assert) and isinstance(new, ast.Assert):
        # What is said of a failure, unless saying it does something.
        is_said = new.msg is None or not any(isinstance(n, ast.Call | ast.Await) for n in ast.walk(new.msg))
        return is_said and ast.dump(old.test) == ast.dump(new.test)
    if isinstance(old, ast.For) and isinstance(new, ast.For):
        same = ast.dump(_without_rows(old)) == ast.dump(_without_rows(new))
        return same and _asserts_each(new) and is_grown(old.iter, new.iter)
    table = longer_table(old, new)
    return table is not None and table not in opaque


def longer_table(old: ast.AST, new: ast.AST) -> str | None:
    """Return the one name that two statements give the same table, with more rows in the second."""
    before, after = _kept(old), _kept(new)
    if before is None or after is None or before[0] != after[0]:
        return None
    return after[0] if is_grown(before[1], after[1]) else None


def opaque_names(module: ast.AST) -> frozenset[str]:
    """Return the names that a file uses in another way than as a table that is walked row by row."""
    within = {id(inner) for node in ast.walk(module) if _ends_early(node) for inner in ast.walk(node)}
    walked = {id(part) for node in ast.walk(module) if id(node) not in within for part in _walked(node)}
    found = set()
    for node in ast.walk(module):
        if isinstance(node, ast.alias) and node.asname:
            found.add(node.name)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            found.add(node.value)
        elif id(node) not in walked and isinstance(getattr(node, "ctx", None), ast.Load | ast.Del):
            if isinstance(node, ast.Name):
                found.add(node.id)
            elif isinstance(node, ast.Attribute):
                found.add(node.attr)
    return frozenset(found)


def called(node: ast.Call) -> str:
    """Return the last part of the name that a call calls."""
    name = node.func
    return name.attr if isinstance(name, ast.Attribute) else name.id if isinstance(name, ast.Name) else ""


def _has_all_keys(old: ast.Dict, new: ast.Dict) -> bool:
    """Return whether all entries are there still, and no other one takes the place of one."""
    try:
        keys = [ast.literal_eval(key) for key in new.keys if key is not None]
        if len(keys) != len(new.keys) or len(set(keys)) != len(keys):
            return False
    except (ValueError, TypeError):
        return False
    return _is_within(_entries(old), _entries(new))


def _entries(table: ast.Dict) -> Iterator[str]:
    for key, value in zip(table.keys, table.values, strict=True):
        yield f"{ast.dump(key) if key else ''}: {ast.dump(value)}"


def _is_within(rows: Iterable[str], others: Iterable[str]) -> bool:
    left = iter(others)
    return all(row in left for row in rows)


def _kept(node: ast.AST) -> tuple[str, ast.expr] | None:
    """Return the one name that a statement gives a value, and the value."""
    if isinstance(node, ast.Assign) and len(node.targets) == 1:
        target, value = node.targets[0], node.value
    elif isinstance(node, ast.AnnAssign) and node.value is not None:
        target, value = node.target, node.value
    else:
        return None
    return (target.id, value) if isinstance(target, ast.Name) else None


def _walked(node: ast.AST) -> Iterator[ast.expr]:
    """Yield the names in a node that stand for a table of which every row says something."""
    if isinstance(node, ast.For) and _asserts_each(node):
        yield from _tables(node.iter)
    elif isinstance(node, ast.Assert) and isinstance(node.test, ast.Call) and called(node.test) == "all":
        for inner in node.test.args:
            if isinstance(inner, ast.GeneratorExp | ast.ListComp):
                yield from _tables(inner.generators[0].iter)
    elif isinstance(node, ast.Call) and called(node) in BY_ROW:
        for value in [*node.args, *(keyword.value for keyword in node.keywords)]:
            yield from _tables(value)
            if isinstance(value, ast.GeneratorExp | ast.ListComp):
                yield from _tables(value.generators[0].iter)


def _tables(value: ast.expr) -> Iterator[ast.expr]:
    if isinstance(value, ast.Name | ast.Attribute):
        yield value
    elif isinstance(value, ast.BinOp) and isinstance(value.op, ast.Add):
        yield from _tables(value.left)
        yield from _tables(value.right)
    elif isinstance(value, ast.List | ast.Tuple):
        for item in value.elts:
            if isinstance(item, ast.Starred):
                yield from _tables(item.value)
    elif isinstance(value, ast.Starred):
        yield from _tables(value.value)
    elif isinstance(value, ast.Call) and called(value) in _VIEWS and not value.args:
        yield from _tables(value.func.value) if isinstance(value.func, ast.Attribute) else ()
    elif isinstance(value, ast.Call) and called(value) in _COPIES and len(value.args) == 1:
        yield from _tables(value.args[0])


def _ends_early(node: ast.AST) -> bool:
    """Return whether a block goes on after itself where one row of a loop in it raises."""
    if isinstance(node, ast.Try | ast.TryStar):
        return bool(node.handlers)
    calls = [item.context_expr for item in node.items] if isinstance(node, ast.With) else []
    return any(isinstance(call, ast.Call) and called(call) in _CATCHES for call in calls)


def _asserts_each(loop: ast.For) -> bool:
    """Return whether a loop comes to every row, and says something of it there and then."""
    inside = [inner for statement in loop.body for inner in ast.walk(statement)]
    if loop.orelse or any(isinstance(n, ast.Break | ast.Return | ast.Try | ast.AugAssign) for n in inside):
        return False
    return any(
        isinstance(n, ast.Assert) or (isinstance(n, ast.Call) and called(n).startswith("assert"))
        for n in inside
    )


def _without_rows(loop: ast.For) -> ast.For:
    return ast.For(loop.target, ast.Constant(None), loop.body, loop.orelse, None)
