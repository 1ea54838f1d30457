"""Which Python of the product lets no failure out, and so hides the assertions of a test; pure."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from greenline.verify.folded import last_name

_EXITS = frozenset({"__exit__", "__aexit__"})
_MANAGERS = frozenset({"contextmanager", "asynccontextmanager"})
_EVERYTHING = frozenset({"Exception", "BaseException", "AssertionError"})
_Function = ast.FunctionDef | ast.AsyncFunctionDef


def swallows(module: ast.Module) -> Iterator[tuple[str, int]]:
    """Yield what of a module swallows every failure, and its 1-based line."""
    for node in ast.walk(module):
        if isinstance(node, ast.Try | ast.TryStar) and _catches_assertions(node):
            yield "catches what assertions raise", node.lineno
        if not isinstance(node, _Function):
            continue
        if node.name in _EXITS and _always_true(node.body, _arguments(node)):
            yield f"{node.name} swallows every failure", node.lineno
        is_manager = any(
            last_name(d.func if isinstance(d, ast.Call) else d) in _MANAGERS for d in node.decorator_list
        )
        callbacks = frozenset() if is_manager else _arguments(node)
        for inner in ast.walk(node):
            held = _swallowed(inner, node if is_manager else None)
            if any(
                _gives_way(one, is_manager, callbacks) for statement in held for one in ast.walk(statement)
            ):
                yield f"{node.name} swallows every failure", getattr(inner, "lineno", node.lineno)
                break


def _catches_assertions(node: ast.Try | ast.TryStar) -> bool:
    """Return whether a handler by name keeps what assertions raise, but for those of its own `try`."""
    if any(isinstance(inner, ast.Assert) for statement in node.body for inner in ast.walk(statement)):
        return False
    for handler in node.handlers:
        kinds = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
        is_named = any(kind is not None and last_name(kind) == "AssertionError" for kind in kinds)
        if is_named and not any(isinstance(inner, ast.Raise) for inner in ast.walk(handler)):
            return True
    return False


def _swallowed(node: ast.AST, manager: _Function | None) -> list[ast.stmt]:
    """Return the statements of which no failure gets out of a `try` or `with`."""
    if isinstance(node, ast.Try | ast.TryStar):
        for handler in node.handlers:
            if _takes_everything(handler.type):
                is_silent = _is_quiet(handler, manager) if manager else _is_silent(handler)
                return node.body if is_silent else []
    if isinstance(node, ast.With):
        for item in node.items:
            call = item.context_expr
            if not isinstance(call, ast.Call) or last_name(call.func) != "suppress":
                continue
            if any(map(_takes_everything, call.args)):
                return node.body
    return []


def _is_quiet(handler: ast.ExceptHandler, manager: _Function) -> bool:
    """Return whether a context manager raises nothing in a handler, nor keeps the error to raise it later."""
    within: ast.AST = manager if handler.name else handler
    return not any(isinstance(node, ast.Raise) for node in ast.walk(within))


def _is_silent(handler: ast.ExceptHandler) -> bool:
    # What a callback raises may be told elsewhere: only where nothing at all is done with it.
    return all(
        isinstance(s, ast.Pass | ast.Continue | ast.Break)
        or (isinstance(s, ast.Return) and (s.value is None or isinstance(s.value, ast.Constant)))
        or (isinstance(s, ast.Expr) and isinstance(s.value, ast.Constant))
        for s in handler.body
    )


def _takes_everything(kind: ast.expr | None) -> bool:
    if kind is None:
        return True
    parts = kind.elts if isinstance(kind, ast.Tuple) else [kind]
    return any(last_name(part) in _EVERYTHING for part in parts)


def _gives_way(node: ast.AST, is_manager: bool, callbacks: frozenset[str]) -> bool:
    """Return whether a node lets others' code run: the body of a `with`, or a callback."""
    if isinstance(node, ast.Yield | ast.YieldFrom):
        return is_manager
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in callbacks


def _arguments(function: _Function) -> frozenset[str]:
    given = function.args
    every = [*given.posonlyargs, *given.args, *given.kwonlyargs, given.vararg, given.kwarg]
    return frozenset(argument.arg for argument in every if argument)


def _always_true(body: list[ast.stmt], given: frozenset[str]) -> bool:
    """Return whether a block returns something true whatever was raised, which `given` names tell."""
    for statement in body:
        if isinstance(statement, ast.Return):
            return _is_true(statement.value, given)
        blocks: list[list[ast.stmt]] = []
        if isinstance(statement, ast.With):
            blocks = [statement.body]
        elif isinstance(statement, ast.Try):
            blocks = [statement.body, statement.finalbody]
        elif isinstance(statement, ast.If):
            is_raised = _is_met(statement.test, given)
            if is_raised is not None:
                blocks = [statement.body if is_raised else statement.orelse]
            # What is told apart here is not known further down.
            told = [statement] if is_raised is None else blocks[0]
            if any(isinstance(n, ast.Return) for one in told for n in ast.walk(one)):
                return any(_always_true(block, given) for block in blocks)
        if any(_always_true(block, given) for block in blocks):
            return True
    return False


def _is_true(value: ast.expr | None, given: frozenset[str]) -> bool:
    if isinstance(value, ast.Constant):
        return bool(value.value)
    if isinstance(value, ast.Call) and last_name(value.func) in ("isinstance", "issubclass"):
        return len(value.args) == 2 and _takes_everything(value.args[1])
    return value is not None and _is_met(value, given) is True


def _is_met(test: ast.expr, given: frozenset[str]) -> bool | None:
    """Return what a condition comes to where anything was raised, or None where it asks for more."""
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        inner = _is_met(test.operand, given)
        return None if inner is None else not inner
    if isinstance(test, ast.Compare) and len(test.ops) == 1 and isinstance(test.ops[0], ast.Is | ast.IsNot):
        other = test.comparators[0]
        is_asked = isinstance(test.left, ast.Name) and test.left.id in given
        is_none = isinstance(other, ast.Constant) and other.value is None
        return isinstance(test.ops[0], ast.IsNot) if is_asked and is_none else None
    return True if isinstance(test, ast.Name) and test.id in given else None
