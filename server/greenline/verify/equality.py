"""Which Python of the product makes values that equal anything they are compared with; pure."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterator, Mapping

from greenline.verify.folded import Modules, last_name, number_of, numbers_of, text_of

_EQUALITY = frozenset({"__eq__", "__contains__"})
_OPERATORS = frozenset({"__eq__", "__ne__", "__contains__"})
_CLOSE = frozenset({"approx", "isclose", "allclose"})
_TOLERANCES = frozenset({"abs", "rel", "abs_tol", "rel_tol", "atol", "rtol"})
_HUGE = 1e6
"""A tolerance from which on two numbers are hardly ever told apart."""
_KINDS = frozenset(name for name in dir(builtins) if isinstance(getattr(builtins, name), type)) | {
    "Number", "Real", "Integral", "Complex", "Decimal", "Fraction",
}  # fmt: skip
_Function = ast.FunctionDef | ast.AsyncFunctionDef


def loosens(module: ast.Module) -> Iterator[tuple[str, int]]:
    """Yield what of a module equals anything, and its 1-based line."""
    modules, numbers = Modules(module), numbers_of(module)
    for node in ast.walk(module):
        if isinstance(node, _Function) and node.name in _OPERATORS:
            yield from _by_operator(node, numbers)
        elif isinstance(node, ast.Dict):
            for key, value in zip(node.keys, node.values, strict=True):
                yield from _by_value(text_of(key), value)
        elif isinstance(node, ast.Assign):
            yield from _by_assignment(node)
        elif isinstance(node, ast.Call):
            yield from _by_call(node, modules, numbers)
        elif isinstance(node, ast.Attribute | ast.ImportFrom) and _takes_any(node, modules):
            yield "mock.ANY", node.lineno


def _takes_any(node: ast.Attribute | ast.ImportFrom, modules: Modules) -> bool:
    """Return whether a module takes the value that equals every other."""
    if isinstance(node, ast.Attribute):
        return modules.full(node).endswith("mock.ANY")
    return (node.module or "").endswith("mock") and any(name.name == "ANY" for name in node.names)


def _by_operator(function: _Function, numbers: Mapping[str, float]) -> Iterator[tuple[str, int]]:
    parameters = [argument.arg for argument in [*function.args.posonlyargs, *function.args.args]]
    if function.name == "__ne__":
        if _returns_only(function, wanted=False):
            yield "__ne__ is never true", function.lineno
        return
    if _returns_only(function, wanted=True) or (
        function.name == "__eq__" and _is_loose(function.body, parameters)
    ):
        yield f"{function.name} is always true", function.lineno
    if function.name != "__eq__" or len(parameters) != 2:
        return
    own, other = parameters
    for node in ast.walk(function):
        if isinstance(node, ast.Assign) and any(
            isinstance(t, ast.Attribute) and isinstance(t.value, ast.Name) and t.value.id == own
            for t in node.targets
        ):
            if other in {n.id for n in ast.walk(node.value) if isinstance(n, ast.Name)}:
                yield "__eq__ takes over what it is compared with", node.lineno
        elif isinstance(node, ast.Compare) and isinstance(node.ops[0], ast.Lt | ast.LtE):
            limit = node.comparators[0]
            if (number_of(limit, numbers) or 0) >= _HUGE:
                yield f"__eq__ is true within {ast.unparse(limit)}", node.lineno


def _by_value(name: str | None, value: ast.expr) -> Iterator[tuple[str, int]]:
    """Yield an operator that a class gets as a value."""
    if name not in _OPERATORS or not isinstance(value, ast.Lambda):
        return
    body: list[ast.stmt] = [ast.Return(value.body)]
    parameters = [argument.arg for argument in [*value.args.posonlyargs, *value.args.args]]
    wanted = name != "__ne__"
    if _is_constant(value.body, wanted) or (wanted and _is_loose(body, parameters)):
        yield f"{name} is {'always' if wanted else 'never'} true", value.lineno


def _by_assignment(node: ast.Assign) -> Iterator[tuple[str, int]]:
    for target in node.targets:
        if not isinstance(target, ast.Attribute):
            continue
        yield from _by_value(target.attr, node.value)
        held = target.value
        if isinstance(held, ast.Attribute) and held.attr in _OPERATORS and target.attr != "__doc__":
            yield f"{held.attr} of a mock", node.lineno


def _by_call(node: ast.Call, modules: Modules, numbers: Mapping[str, float]) -> Iterator[tuple[str, int]]:
    name = last_name(node.func)
    is_close = name in _CLOSE or modules.full(node.func).rpartition(".")[2] in _CLOSE
    for keyword in node.keywords if is_close else ():
        if keyword.arg in _TOLERANCES and (number_of(keyword.value, numbers) or 0) >= _HUGE:
            yield f"{name} within {ast.unparse(keyword.value)}", node.lineno
    if name == "setattr" and len(node.args) == 3:
        yield from _by_value(text_of(node.args[1]), node.args[2])
    is_mock = name == "getattr" and len(node.args) > 1 and modules.full(node.args[0]).endswith("mock")
    if is_mock and text_of(node.args[1]) in ("ANY", None):
        yield "mock.ANY", node.lineno


def _returns_only(function: _Function, *, wanted: bool) -> bool:
    body = [s for s in function.body if not (isinstance(s, ast.Expr) and isinstance(s.value, ast.Constant))]
    only = body[0] if len(body) == 1 else None
    return isinstance(only, ast.Return) and only.value is not None and _is_constant(only.value, wanted)


def _is_constant(value: ast.expr, wanted: bool) -> bool:
    return isinstance(value, ast.Constant) and value.value is wanted


def _is_loose(body: list[ast.stmt], parameters: list[str]) -> bool:
    """Return whether a comparison is true wherever the other value is of some built-in kind.

    One that is true for all of its own class is not loose: such values have nothing to tell them apart.
    """
    if len(parameters) != 2:
        return False
    for statement in body:
        if isinstance(statement, ast.Return):
            value = statement.value
            return value is not None and _asks_kind(value, parameters)
        if isinstance(statement, ast.If) and _asks_kind(statement.test, parameters):
            returned = [s.value for s in statement.body if isinstance(s, ast.Return)]
            if any(value is not None and _is_constant(value, True) for value in returned):
                return True
    return False


def _asks_kind(test: ast.expr, parameters: list[str]) -> bool:
    """Return whether a condition is met by any value of a built-in kind, or by any other object."""
    if isinstance(test, ast.BoolOp):
        asked = [_asks_kind(part, parameters) for part in test.values]
        return any(asked) if isinstance(test.op, ast.Or) else all(asked)
    if isinstance(test, ast.Call) and last_name(test.func) == "isinstance" and len(test.args) == 2:
        kinds = test.args[1].elts if isinstance(test.args[1], ast.Tuple) else [test.args[1]]
        return any(last_name(kind) in _KINDS for kind in kinds)
    if isinstance(test, ast.Compare) and len(test.ops) == 1:
        left, right = test.left, test.comparators[0]
        if isinstance(test.ops[0], ast.IsNot):
            names = {last_name(left), last_name(right)}
            return names == set(parameters) or (names == {parameters[1], ""} and _is_none(right))
        is_type = isinstance(left, ast.Call) and last_name(left.func) == "type"
        return (
            is_type
            and isinstance(test.ops[0], ast.Is | ast.Eq | ast.In)
            and (
                any(last_name(part) in _KINDS for part in ast.walk(right))
                and not any(isinstance(part, ast.Call) for part in ast.walk(right))
            )
        )
    return False


def _is_none(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is None
