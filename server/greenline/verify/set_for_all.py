"""What a file of tests sets in a module of the project by being imported, for all that follow; pure."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from greenline.core.port import Tree
from greenline.core.syntax import parse_python
from greenline.verify.folded import last_name, text_of
from greenline.verify.python_suite import Function

_CHANGING = frozenset({"update", "clear", "pop", "popitem", "append", "extend", "insert", "remove", "add"})
"""Methods that change what a module holds."""


def set_for_all(tree: Tree, path: str) -> frozenset[str]:
    """Return `module.name` of what a file sets outside of any function in what it imports of the project."""
    file = tree.get(path)
    try:
        module = parse_python(file.content) if file is not None else ast.Module([], [])
        return frozenset(_found(module, tree))
    except (SyntaxError, RecursionError):
        return frozenset()


def _found(module: ast.Module, tree: Tree) -> Iterator[str]:
    imported = dict(_imported(module, tree))
    for statement in (*_executed(module.body), *_by_fixtures(module)):
        for target in _set(statement):
            root = target
            while isinstance(root, ast.Attribute | ast.Subscript):
                root = root.value
            if isinstance(root, ast.Name) and root.id in imported and root is not target:
                yield ast.unparse(target)


def _executed(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    """Yield the simple statements that an import executes."""
    for node in body:
        inner = [getattr(node, field, []) for field in ("body", "orelse", "finalbody")]
        if isinstance(node, ast.If | ast.Try | ast.With | ast.For | ast.While):
            for block in inner:
                yield from _executed(block)
        elif not isinstance(node, Function | ast.ClassDef):
            yield node


def _by_fixtures(module: ast.Module) -> Iterator[ast.stmt]:
    """Yield what fixtures execute that outlive a test and take nothing back."""
    for node in ast.walk(module):
        if not isinstance(node, Function) or not any(map(_outlives, node.decorator_list)):
            continue
        yields = [k for k, step in enumerate(node.body) if _is_yield(step)]
        if not yields or yields[-1] == len(node.body) - 1:
            yield from _executed(node.body)


def _outlives(decorator: ast.expr) -> bool:
    """Return whether a decorator makes a fixture of more than one test."""
    if not isinstance(decorator, ast.Call) or last_name(decorator.func) != "fixture":
        return False
    scopes = [text_of(keyword.value) for keyword in decorator.keywords if keyword.arg == "scope"]
    return any(scope in ("session", "package", "module") for scope in scopes)


def _is_yield(step: ast.stmt) -> bool:
    return any(isinstance(inner, ast.Yield) for inner in ast.walk(step))


def _set(statement: ast.stmt) -> Iterator[ast.expr]:
    if isinstance(statement, ast.Assign):
        yield from statement.targets
    elif isinstance(statement, ast.AugAssign):
        yield statement.target
    elif isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call):
        call = statement.value
        name = text_of(call.args[1]) if len(call.args) == 3 and last_name(call.func) == "setattr" else None
        if name:
            yield ast.Attribute(call.args[0], name, ast.Store())
        elif isinstance(call.func, ast.Attribute) and call.func.attr in _CHANGING:
            held = call.func.value
            # Of a bare name nobody knows whether it is the module's own.
            yield held if isinstance(held, ast.Attribute) else ast.Attribute(held, "*", ast.Store())


def _imported(module: ast.Module, tree: Tree) -> Iterator[tuple[str, str]]:
    """Yield the names that the file imports from modules of the tree, and those modules."""
    for node in ast.walk(module):
        if isinstance(node, ast.Import):
            for alias in node.names:
                if _is_there(alias.name, tree):
                    yield alias.asname or alias.name.split(".")[0], alias.name
        elif isinstance(node, ast.ImportFrom):
            for alias in node.names:
                # An object, such as an application, is there to be set up; a module or a table is not.
                is_module = _is_there(f"{node.module}.{alias.name}".strip("."), tree)
                if is_module or (alias.name.isupper() and _is_there(node.module or "", tree)):
                    yield alias.asname or alias.name, node.module or ""


def _is_there(name: str, tree: Tree) -> bool:
    path = name.replace(".", "/")
    places = (f"{folder}{path}{end}" for folder in ("", "src/", "lib/") for end in (".py", "/__init__.py"))
    is_of_tests = path.split("/")[0] in ("test", "tests", "testing") or path == "conftest"
    return not is_of_tests and any(place in tree for place in places)
