"""Where the functions of a Python file read what its module and its classes give values to; pure."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping

import attrs

_Function = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
_NOWHERE: frozenset[int] = frozenset()


@attrs.frozen
class Readers:
    """1-based lines inside functions by the name that they read."""

    names: Mapping[str, frozenset[int]]
    """Plain names that the function, and those around it, do not bind themselves."""
    attributes: Mapping[str, frozenset[int]]
    """Names behind a dot, whatever stands before it."""
    in_class: frozenset[ast.stmt]
    """The statements that are directly in a class."""

    @classmethod
    def of(cls, module: ast.Module) -> Readers:
        """Return the readers of a module's text."""
        names: dict[str, set[int]] = {}
        attributes: dict[str, set[int]] = {}
        for node, bound in _inside(module, None):
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and node.id not in bound:
                names.setdefault(node.id, set()).add(node.lineno)
            elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Load):
                attributes.setdefault(node.attr, set()).add(node.end_lineno or node.lineno)
        classes = (node for node in ast.walk(module) if isinstance(node, ast.ClassDef))
        return cls(
            {name: frozenset(lines) for name, lines in names.items()},
            {name: frozenset(lines) for name, lines in attributes.items()},
            frozenset(statement for found in classes for statement in found.body),
        )

    def lines_for(self, node: ast.AST) -> frozenset[int]:
        """Return the lines that read what a statement outside of functions gives a value to, if it does."""
        if isinstance(node, ast.Assign):
            targets = node.targets
        elif isinstance(node, ast.AnnAssign | ast.AugAssign) and node.value is not None:
            targets = [node.target]
        else:
            return _NOWHERE
        given = [name.id for target in targets for name in _plain(target)]
        found = [self.attributes.get(name, _NOWHERE) for name in given if node in self.in_class]
        if node not in self.in_class:
            found = [self.names.get(name, _NOWHERE) for name in given]
        return _NOWHERE.union(*found)


def _plain(target: ast.expr) -> Iterator[ast.Name]:
    if isinstance(target, ast.Name):
        yield target
    elif isinstance(target, ast.Tuple | ast.List):
        for inner in target.elts:
            yield from _plain(inner)


def _inside(node: ast.AST, bound: frozenset[str] | None) -> Iterator[tuple[ast.AST, frozenset[str]]]:
    """Yield what lies inside functions, with the names that these bind; `bound` is None outside of them."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, _Function):
            # Defaults and decorators run where the function is defined.
            body = child.body if isinstance(child.body, list) else [child.body]
            local = (bound or frozenset()) | _bound_by(child)
            for statement in body:
                yield statement, local
                yield from _inside(statement, local)
            continue
        if bound is not None:
            yield child, bound
        yield from _inside(child, bound)


def _bound_by(function: _Function) -> frozenset[str]:
    arguments = function.args
    named = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
    names = {argument.arg for argument in named}
    names |= {argument.arg for argument in (arguments.vararg, arguments.kwarg) if argument is not None}
    shared: set[str] = set()
    for node in ast.walk(function):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            names.add(node.id)
        elif isinstance(node, ast.Global):
            shared.update(node.names)
    return frozenset(names - shared)
