"""What expressions of Python come to without being run: texts, numbers, modules by their names; pure."""

from __future__ import annotations

import ast
import math
import sys
from collections.abc import Mapping

_RUNNERS = frozenset({"pytest", "_pytest", "pluggy", "unittest", "hypothesis", "mock"})
_IMPORTS = frozenset({"import_module", "__import__"})


def text_of(node: ast.AST | None) -> str | None:
    """Return the text that an expression of literals comes to."""
    if isinstance(node, ast.Constant):
        return node.value if isinstance(node.value, str) else None
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        left, right = text_of(node.left), text_of(node.right)
        return None if left is None or right is None else left + right
    if isinstance(node, ast.JoinedStr):
        return _joined("", [v.value if isinstance(v, ast.FormattedValue) else v for v in node.values])
    if isinstance(node, ast.Subscript) and ast.unparse(node.slice) == "::-1":
        held = text_of(node.value)
        return None if held is None else held[::-1]
    if isinstance(node, ast.Call) and last_name(node.func) == "join" and len(node.args) == 1:
        between = text_of(node.func.value) if isinstance(node.func, ast.Attribute) else None
        if between is not None and isinstance(node.args[0], ast.List | ast.Tuple):
            return _joined(between, node.args[0].elts)
    return None


def number_of(node: ast.AST | None, numbers: Mapping[str, float]) -> float | None:
    """Return the number that an expression comes to, where `numbers` gives those that have a name."""
    if isinstance(node, ast.Constant):
        value = node.value
        if not isinstance(value, int | float) or isinstance(value, bool):
            return None
        # A modulus of a cipher is greater than any float.
        return math.inf if value > sys.float_info.max else float(value)
    if isinstance(node, ast.Name):
        return math.inf if node.id == "inf" else numbers.get(node.id)
    if isinstance(node, ast.Attribute):
        return math.inf if node.attr == "inf" else numbers.get(node.attr)
    if isinstance(node, ast.Call) and last_name(node.func) == "float" and node.args:
        word = (text_of(node.args[0]) or "").strip("+").lower()
        return math.inf if word in ("inf", "infinity") else number_of(node.args[0], numbers)
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult | ast.Pow):
        left, right = number_of(node.left, numbers), number_of(node.right, numbers)
        if left is None or right is None:
            return None
        try:
            return left * right if isinstance(node.op, ast.Mult) else float(left**right)
        except (OverflowError, ZeroDivisionError, TypeError):
            return math.inf
    return None


def numbers_of(module: ast.Module) -> dict[str, float]:
    """Return the numbers that a module gives names to."""
    found: dict[str, float] = {}
    for node in module.body:
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            number = number_of(node.value, found)
            if number is not None:
                found[node.targets[0].id] = number
    return found


def last_name(node: ast.AST) -> str:
    """Return the last part of a name with dots, or an empty text."""
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""


class Modules:
    """Which names of a file stand for modules that are not the project's, or for what one of them holds."""

    def __init__(self, module: ast.Module) -> None:
        self._names: dict[str, str] = {}
        for node in ast.walk(module):
            if isinstance(node, ast.Import):
                for alias in node.names:
                    name = alias.name if alias.asname else alias.name.partition(".")[0]
                    self._names[alias.asname or name] = name
            elif isinstance(node, ast.ImportFrom) and not node.level:
                for alias in node.names:
                    self._names[alias.asname or alias.name] = f"{node.module}.{alias.name}"
        self._names = {name: full for name, full in self._names.items() if is_outside(full)}
        self._shadowed: set[int] = set()
        for node in ast.walk(module):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                self._shadowed |= self._hidden(node)
        for node in ast.walk(module):
            if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
                full = self.full(node.value) if _is_path(node.value) else ""
                if full:
                    self._names.setdefault(node.targets[0].id, full)

    def _hidden(self, function: ast.FunctionDef | ast.AsyncFunctionDef) -> set[int]:
        """Return the names in a function that stand for something of its own."""
        inside = list(ast.walk(function))
        given = {n.arg for n in inside if isinstance(n, ast.arg)}
        stored = {n.id for n in inside if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
        own = (given | stored) & self._names.keys()
        for node in inside if own else ():
            if isinstance(node, ast.Global):
                own -= {*node.names}
            elif isinstance(node, ast.Assign) and self.full(node.value):
                own -= {target.id for target in node.targets if isinstance(target, ast.Name)}
        return {id(n) for n in inside if isinstance(n, ast.Name) and n.id in own}

    def full(self, node: ast.AST) -> str:
        """Return the whole name of what an expression stands for, `math.isclose`, or an empty text."""
        if isinstance(node, ast.Name):
            return "" if id(node) in self._shadowed else self._names.get(node.id, "")
        if isinstance(node, ast.Attribute):
            owner = self.full(node.value)
            return f"{owner}.{node.attr}" if owner else ""
        if isinstance(node, ast.Call) and last_name(node.func) in _IMPORTS and node.args:
            name = text_of(node.args[0])
            return name if name is not None and is_outside(name) else ""
        if isinstance(node, ast.Subscript) and self.full(node.value) == "sys.modules":
            name = text_of(node.slice)
            return name if name is not None and is_outside(name) else ""
        return ""


def is_outside(name: str) -> bool:
    """Return whether a module is the standard library's or a runner's, by its whole name."""
    top = name.partition(".")[0]
    return top in sys.stdlib_module_names or top in _RUNNERS


def is_of_runner(name: str) -> bool:
    """Return whether a whole name is of something that runs tests or stands in for things in tests."""
    return name.partition(".")[0] in _RUNNERS


def _is_path(node: ast.AST) -> bool:
    if isinstance(node, ast.Call):
        return last_name(node.func) in _IMPORTS
    return isinstance(node, ast.Name | ast.Attribute | ast.Subscript)


def _joined(between: str, parts: list[ast.expr]) -> str | None:
    texts = [text_of(part) for part in parts]
    return None if None in texts else between.join(text for text in texts if text is not None)
