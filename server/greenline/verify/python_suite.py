"""One Python file of a suite: its tests, what else it binds, and which names each of them uses; pure.

Docstrings and annotations are no part of what is compared.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping

import attrs

from greenline.core.port import Tree
from greenline.core.syntax import parse_python
from greenline.verify.folded import last_name
from greenline.verify.table import opaque_names

Function = ast.FunctionDef | ast.AsyncFunctionDef
EVERYTHING = ""
"""Stands among names for what concerns every test: a fixture that none asks for, or a patched module."""
_PATCHING = frozenset({"setattr", "patch", "exec", "object"})
_SPACES = frozenset({"modules", "__dict__"})
_SET_UPS = frozenset({"setUpModule", "load_tests", "setup_module", "setup_function", "pytest_generate_tests"})
_NO_FIELDS = frozenset({"__all__", "__name__", "__doc__"})


@attrs.frozen
class SuiteFile:
    """A file of tests or of what they share."""

    tests: Mapping[str, Function]
    """Qualified name → test; of two with the same name the last, as at run time."""
    bound: Mapping[str, tuple[str, ...]]
    """Name → what binds it; `Class.` is all of a class of tests but these."""
    used: Mapping[str, frozenset[str]]
    """Name → names that its bindings use."""
    functions: Mapping[str, tuple[str, ...]]
    """Name → every function of that name, wherever it is."""
    nodes: Mapping[str, tuple[ast.AST, ...]]
    """Name → the statements of `bound`."""
    opaque: frozenset[str]
    """Names that are used in another way than as tables of which every row is a case."""

    @classmethod
    def of(cls, tree: Tree, path: str) -> SuiteFile:
        """Read a file; one that is not there or is no Python has nothing in it."""
        file = tree.get(path)
        try:
            module = parse_python(file.content) if file is not None else ast.Module([], [])
            return _read(module)
        except (SyntaxError, RecursionError):
            return cls({}, {}, {}, {}, {}, frozenset())

    def closed(self, names: frozenset[str]) -> frozenset[str]:
        """Return names with all that use one of them here, directly or over others."""
        found = set(names)
        grown = True
        while grown:
            more = {name for name, used in self.used.items() if name not in found and used & found}
            found |= more
            grown = bool(more)
        return frozenset(found)

    def uses(self, test: str) -> frozenset[str]:
        """Return the names that a test uses, and its classes' own."""
        parts = test.split(".")[:-1]
        classes = {f"{'.'.join(parts[:n])}." for n in range(1, len(parts) + 1)}
        return _names(self.tests[test]) | classes | {EVERYTHING}

    def every_use(self) -> frozenset[str]:
        """Return all names that anything here uses."""
        return frozenset().union(*self.used.values(), *(_names(test) for test in self.tests.values()))


def _read(module: ast.Module) -> SuiteFile:
    functions: dict[str, tuple[str, ...]] = {}
    for node in ast.walk(module):
        if isinstance(node, Function):
            _strip(node)
            functions[node.name] = (*functions.get(node.name, ()), ast.dump(node))
    tests: dict[str, Function] = {}
    bindings: list[tuple[str, ast.AST]] = []
    _collect(module.body, "", tests, bindings)
    bound: dict[str, tuple[str, ...]] = {}
    used: dict[str, frozenset[str]] = {}
    nodes: dict[str, tuple[ast.AST, ...]] = {}
    for name, node in bindings:
        nodes[name] = (*nodes.get(name, ()), node)
        bound[name] = (*bound.get(name, ()), ast.dump(node))
        used[name] = used.get(name, frozenset()) | (_names(node) - {name})
    return SuiteFile(tests, bound, used, functions, nodes, opaque_names(module))


def _collect(
    body: Iterable[ast.stmt], prefix: str, tests: dict[str, Function], bindings: list[tuple[str, ast.AST]]
) -> None:
    """Tell tests from everything else."""
    for node in body:
        if isinstance(node, Function) and node.name.startswith("test"):
            tests[prefix + node.name] = node
        elif isinstance(node, ast.ClassDef) and any(_is_test(inner) for inner in ast.walk(node)):
            own = f"{prefix}{node.name}."
            rest = [*node.decorator_list, *node.bases, *(k.value for k in node.keywords)]
            bindings.extend((own, item) for item in rest)
            _collect(node.body, own, tests, bindings)
        elif prefix:
            bindings.append((prefix, node))
        else:
            bindings.extend((name, _only(node, name)) for name in _binds(node))


def _is_test(node: ast.AST) -> bool:
    return isinstance(node, Function) and node.name.startswith("test")


def _binds(node: ast.stmt) -> Iterator[str]:
    """Yield the names that a statement of a module binds."""
    if isinstance(node, Function | ast.ClassDef):
        yield node.name
        if isinstance(node, Function) and ((is_autouse(node) and not _unsets(node)) or _sets_up(node)):
            yield EVERYTHING
        return
    for inner in ast.walk(node):
        if isinstance(inner, ast.Name) and isinstance(inner.ctx, ast.Store) and inner.id not in _NO_FIELDS:
            yield inner.id
        elif isinstance(inner, ast.alias):
            yield inner.asname or inner.name.split(".")[0]
        elif isinstance(inner, Function | ast.ClassDef):
            yield inner.name
        elif _patches(inner):
            yield EVERYTHING


def _only(node: ast.stmt, name: str) -> ast.AST:
    """Return what of an import binds a name, so that another name beside it is another statement."""
    if not isinstance(node, ast.Import | ast.ImportFrom):
        return node
    aliases = [a for a in node.names if (a.asname or a.name.split(".")[0]) == name]
    if isinstance(node, ast.Import):
        return ast.Import(aliases)
    return ast.ImportFrom(node.module, aliases, node.level)


def _sets_up(node: Function) -> bool:
    """Return whether a function that is called before the tests puts something elsewhere."""
    if node.name.startswith("pytest_"):
        own = {n.arg for n in ast.walk(node) if isinstance(n, ast.arg)}
        own |= {n.id for n in ast.walk(node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
        stored = [n for n in ast.walk(node) if isinstance(n, ast.Attribute) and isinstance(n.ctx, ast.Store)]
        return any(isinstance(n.value, ast.Name) and n.value.id not in own for n in stored)
    return node.name in _SET_UPS and any(map(_patches, ast.walk(node)))


def is_autouse(node: Function) -> bool:
    """Return whether a fixture is for all tests."""
    return any(
        isinstance(decorator, ast.Call) and any(keyword.arg == "autouse" for keyword in decorator.keywords)
        for decorator in node.decorator_list
    )


def _unsets(node: Function) -> bool:
    """Return whether a fixture only gives a test a place of its own: no variables, a folder, no memory."""
    asked = {argument.arg for argument in ast.walk(node.args) if isinstance(argument, ast.arg)}
    return asked <= {"monkeypatch", "tmp_path"} and all(map(_is_unset, node.body))


def _is_unset(statement: ast.stmt) -> bool:
    if isinstance(statement, ast.For):
        names = statement.iter.elts if isinstance(statement.iter, ast.Tuple | ast.List) else [statement.iter]
        is_plain = all(isinstance(name, ast.Constant) for name in names)
        return is_plain and not statement.orelse and all(map(_is_unset, statement.body))
    if not isinstance(statement, ast.Expr):
        return False
    value = statement.value
    if not isinstance(value, ast.Call):
        return isinstance(value, ast.Constant) or (isinstance(value, ast.Yield) and value.value is None)
    given = [*value.args, *(keyword.value for keyword in value.keywords)]
    called = ast.unparse(value.func)
    if called == "monkeypatch.chdir":
        return [ast.unparse(argument) for argument in given] == ["tmp_path"]
    if last_name(value.func) == "cache_clear":
        # Of `functools.cache`: what it forgot is computed again.
        return not given
    is_plain = all(isinstance(argument, ast.Constant | ast.Name) for argument in given)
    return is_plain and called == "monkeypatch.delenv"


def _patches(node: ast.AST) -> bool:
    """Return whether a statement puts something in another module or object."""
    if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
        return True
    if isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Store | ast.Del):
        held = node.value
        return last_name(held) in _SPACES or (
            isinstance(held, ast.Call) and last_name(held.func) in ("globals", "vars", "locals")
        )
    if isinstance(node, ast.Call):
        owner = node.func.value if isinstance(node.func, ast.Attribute) else None
        return last_name(node.func) in _PATCHING or (owner is not None and last_name(owner) in _SPACES)
    return False


def _strip(node: Function) -> None:
    """Take away what has no effect on a test."""
    node.returns = None
    arguments = node.args
    for argument in [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]:
        argument.annotation = None
    first = node.body[0]
    if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant) and len(node.body) > 1:
        del node.body[0]
    for inner in ast.walk(node):
        # What an assertion says of its failure is only for people, unless it calls what could end the test.
        if isinstance(inner, ast.Assert) and inner.msg is not None and not _calls(inner.msg):
            inner.msg = None


def _calls(node: ast.expr) -> bool:
    return any(isinstance(inner, ast.Call | ast.Await) for inner in ast.walk(node))


def _names(node: ast.AST) -> frozenset[str]:
    """Return the names, arguments and attributes that a node mentions, and fixtures that it asks for."""
    found = set()
    for inner in ast.walk(node):
        if isinstance(inner, ast.Name):
            found.add(inner.id)
        elif isinstance(inner, ast.arg):
            found.add(inner.arg)
        elif isinstance(inner, ast.Attribute):
            found.add(inner.attr)
        elif isinstance(inner, ast.Constant) and isinstance(inner.value, str):
            # A name, or a file of data.
            name = inner.value.rpartition("/")[2]
            if inner.value.isidentifier() or ("." in name and len(name.split()) == 1):
                found.add(name)
    return frozenset(found)
