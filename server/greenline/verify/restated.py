"""Tests and helpers of Python's that are written in another way and say the same, or more; pure."""

from __future__ import annotations

import ast
import copy
import unittest
from collections.abc import Callable, Iterator, Mapping

from greenline.core.port import Tree
from greenline.verify.folded import last_name
from greenline.verify.python_suite import Function, SuiteFile

_BY_TEXT = {"assertRaisesRegex": "assertRaises", "assertWarnsRegex": "assertWarns"}
"""Assertion that asks for a text as well → the one that does not."""
_MAX_ROWS = 30
"""How many rows are looked at: an old test is among the first."""
_MATCHED = frozenset({"raises", "warns", "deprecated_call"})
_WAITING = frozenset({"run", "check_output", "check_call", "call", "communicate", "wait"})
_TEXTS = frozenset({"open", "read_text", "write_text", "run", "check_output"})
_CALLED_BY_RUNNERS = frozenset(dir(unittest.IsolatedAsyncioTestCase))


def is_stricter(old: ast.stmt, new: ast.stmt) -> bool:
    """Return whether a statement is the same but for what exceptions must say and how long programs run."""
    try:
        plain: ast.AST = _Plain().visit(copy.deepcopy(new))
        return ast.dump(plain) == ast.dump(old)
    except RecursionError:
        return False


class _Plain(ast.NodeTransformer):
    """Takes away what an exception must say, how long a program may run, and that text is UTF-8."""

    def visit_Call(self, node: ast.Call) -> ast.AST:
        """Return the call without it."""
        self.generic_visit(node)
        name = last_name(node.func)
        if name in _BY_TEXT and isinstance(node.func, ast.Attribute) and len(node.args) > 1:
            node.func.attr = _BY_TEXT[name]
            del node.args[1]
        elif name in _MATCHED:
            node.keywords = [keyword for keyword in node.keywords if keyword.arg != "match"]
        elif name in _WAITING | _TEXTS:
            node.keywords = [keyword for keyword in node.keywords if not _is_plain(name, keyword)]
        return node


def _is_plain(name: str, keyword: ast.keyword) -> bool:
    """Return whether a program may run for some seconds, or a text is in the encoding that is usual."""
    value = keyword.value.value if isinstance(keyword.value, ast.Constant) else None
    if name in _WAITING and keyword.arg == "timeout":
        return isinstance(value, int | float) and value >= 1
    return name in _TEXTS and keyword.arg == "encoding" and str(value).lower().replace("-", "") == "utf8"


def is_same_by_default(old: Function, new: Function) -> bool:
    """Return whether a function does the same where none of its further arguments is given, if it has any."""
    try:
        values = _further(old.args, new.args)
        if ast.dump(old.args) != ast.dump(new.args) and (not values or not _are_read_only(new, values)):
            return False
        plain: ast.AST = _filled(new, values)
        assert isinstance(plain, Function)
        plain.args = old.args
        return ast.dump(_Plain().visit(plain)) == ast.dump(old)
    except RecursionError:
        return False


def is_prose(node: ast.AST) -> bool:
    """Return whether a statement is a text for people."""
    return (
        isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Constant)
        and isinstance(node.value.value, str)
    )


def has_more_methods(old: ast.ClassDef, new: ast.ClassDef, is_used: Callable[[str], bool]) -> bool:
    """Return whether a test case that others share is the same with further methods, whose names none used.

    These must have names by which neither a runner nor any class of unittest's calls something else.
    """
    before = [ast.dump(node) for node in old.body if not is_prose(node)]
    if not old.bases or not all(last_name(parent).endswith("TestCase") for parent in old.bases):
        # In another class a further method can stand before one of the product's.
        return False
    head = [ast.dump(item) for item in (*old.decorator_list, *old.bases, *old.keywords)]
    if head != [ast.dump(item) for item in (*new.decorator_list, *new.bases, *new.keywords)]:
        return False
    known = {node.name for node in old.body if isinstance(node, Function)}
    for node in new.body:
        if before and ast.dump(node) == before[0]:
            del before[0]
        elif not is_prose(node) and not (isinstance(node, Function) and _is_further(node, known, is_used)):
            return False
    return not before


def _is_further(node: Function, known: set[str], is_used: Callable[[str], bool]) -> bool:
    """Return whether nobody has called a method of that name so far."""
    is_taken = node.name in known or node.name in _CALLED_BY_RUNNERS or node.name.startswith("_")
    is_set_up = node.name.lower().startswith(("setup", "teardown", "test", "pytest"))
    return not is_taken and not is_set_up and not node.decorator_list and not is_used(node.name)


def _filled(function: Function, values: Mapping[str, ast.expr]) -> Function:
    """Return a copy of a function with expressions in the place of names."""
    plain = copy.deepcopy(function)
    plain.body = [_Filled(values).visit(statement) for statement in plain.body]
    return plain


def _further(old: ast.arguments, new: ast.arguments) -> dict[str, ast.expr]:
    """Return the arguments that are new, with the constants that stand for them; none if others changed."""
    values: dict[str, ast.expr] = {}
    rest = copy.deepcopy(new)
    while len(rest.args) > len(old.args) and rest.defaults:
        values[rest.args.pop().arg] = rest.defaults.pop()
    known = {argument.arg for argument in old.kwonlyargs}
    kept = []
    for argument, default in zip(rest.kwonlyargs, rest.kw_defaults, strict=True):
        if argument.arg not in known and default is not None:
            values[argument.arg] = default
        else:
            kept.append((argument, default))
    rest.kwonlyargs = [argument for argument, _ in kept]
    rest.kw_defaults = [default for _, default in kept]
    is_plain = all(isinstance(value, ast.Constant) for value in values.values())
    return values if is_plain and ast.dump(rest) == ast.dump(old) else {}


def unrolled(old: Function, new: Function) -> Iterator[Function]:
    """Yield a test with each of its rows written into it, where it had none before and has parameters now."""
    before = [ast.dump(decorator) for decorator in old.decorator_list]
    added = [d for d in new.decorator_list if ast.dump(d) not in before]
    if len(added) != 1 or len(new.decorator_list) != len(before) + 1:
        return
    call = added[0]
    if not isinstance(call, ast.Call) or last_name(call.func) != "parametrize" or len(call.args) != 2:
        return
    if any(keyword.arg != "ids" for keyword in call.keywords):
        return
    names, rows = _names(call.args[0]), call.args[1]
    given = [argument for argument in new.args.args if argument.arg not in names]
    if not isinstance(rows, ast.List | ast.Tuple) or len(given) + len(names) != len(new.args.args):
        return
    for row in rows.elts[:_MAX_ROWS]:
        values = _row(names, row)
        if values and _are_read_only(new, values):
            try:
                plain = _filled(new, values)
            except RecursionError:
                return
            plain.args.args = given
            plain.decorator_list = old.decorator_list
            yield plain


def _names(node: ast.expr) -> list[str]:
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return [name.strip() for name in node.value.split(",") if name.strip()]
    if isinstance(node, ast.List | ast.Tuple):
        return [name for item in node.elts for name in _names(item)]
    return []


def _row(names: list[str], row: ast.expr) -> dict[str, ast.expr]:
    """Return what one row gives to each name; nothing where that is not written there, or it has marks."""
    if isinstance(row, ast.Call) and last_name(row.func) == "param":
        if any(keyword.arg != "id" for keyword in row.keywords):
            return {}
        items = row.args
    elif len(names) == 1:
        items = [row]
    else:
        items = row.elts if isinstance(row, ast.List | ast.Tuple) else []
    return dict(zip(names, items, strict=True)) if len(items) == len(names) else {}


def _are_read_only(node: Function, names: Mapping[str, ast.expr]) -> bool:
    """Return whether a function gives none of its arguments another value, nor another meaning within."""
    return not any(
        (isinstance(n, ast.Name) and n.id in names and not isinstance(n.ctx, ast.Load))
        or (n is not node and isinstance(n, Function | ast.Lambda | ast.ClassDef | ast.Global | ast.Nonlocal))
        for n in ast.walk(node)
    )


class _Filled(ast.NodeTransformer):
    """Puts expressions in the place of names."""

    def __init__(self, values: Mapping[str, ast.expr]) -> None:
        self._values = values

    def visit_Name(self, node: ast.Name) -> ast.AST:
        """Return what stands for a name."""
        return copy.deepcopy(self._values.get(node.id, node))


def handed_up(
    patched: Tree, path: str, names: frozenset[str], old: SuiteFile, new: SuiteFile
) -> frozenset[str]:
    """Return the fixtures among `names` that stand word for word in a `conftest.py` above the file now."""
    found = set()
    for name in names - new.bound.keys():
        if not all(map(_is_fixture, old.nodes.get(name, ()))) or name not in old.nodes:
            continue
        for folder in _above(path):
            shared = SuiteFile.of(patched, f"{folder}conftest.py")
            if name in shared.bound:
                if _is_same_there(name, old, new, shared):
                    found.add(name)
                break
    return frozenset(found)


def _above(path: str) -> Iterator[str]:
    parts = path.split("/")[:-1]
    for n in range(len(parts), -1, -1):
        yield "".join(f"{part}/" for part in parts[:n])


def _is_fixture(node: ast.AST) -> bool:
    return isinstance(node, Function) and any(
        last_name(d.func if isinstance(d, ast.Call) else d) == "fixture" for d in node.decorator_list
    )


def _is_same_there(name: str, old: SuiteFile, new: SuiteFile, shared: SuiteFile) -> bool:
    """Return whether a fixture and all that it uses are the same in another file."""
    if shared.bound[name] != old.bound[name]:
        return False
    asked = {n.arg for node in old.nodes[name] for n in ast.walk(node) if isinstance(n, ast.arg)}
    for used in old.used[name] & old.bound.keys():
        kept = new if used in asked and used in new.bound else shared
        if kept.bound.get(used) != old.bound[used]:
            return False
    return True
