"""Which product code that a patch brings knows what only tests have: their variables, their stand-ins; pure.

A variable of the environment that the tests set and that no product code has read so far, or the name of a
class that only tests define, tells a test from everybody else; one that only the tests read tells a test what
to do, such as to write down what it compares with.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterable, Iterator

from greenline.core.port import Tree
from greenline.core.syntax import parse_python
from greenline.verify.folded import last_name, text_of

_SETS = frozenset({"setenv", "putenv"})
_READS = frozenset({"getenv", "get", "pop", "__getitem__"})
_NAMES = frozenset({"__name__", "__qualname__"})
_KNOWN = re.compile(
    r"(?i)XDG_\w+|HOME|NO_COLOR|FORCE_COLOR|CLICOLOR\w*|COLORTERM|TERM|TZ|LANG|LANGUAGE|LC_\w+|CI|COLUMNS|LINES"
    r"|PATH|PAGER|EDITOR|VISUAL|SHELL|USER|USERNAME|USERPROFILE|TMPDIR|TEMP|TMP|APPDATA|LOCALAPPDATA|DISPLAY"
    r"|HOSTNAME|\w+_PROXY|PYTHON\w+|SOURCE_DATE_EPOCH|DATABASE_URL|DEBUG|DJANGO_SETTINGS_MODULE"
)
"""Variables that many programs read, and that tests set for many reasons."""
_ASKED = re.compile(rb"environ|getenv|__name__|__qualname__")


def familiar(
    base: Tree, patched: Tree, paths: Iterable[str], is_product: Callable[[str], bool]
) -> Iterator[str]:
    """Yield `FILE:LINE: WHAT` of the product files `paths`."""
    changed = [path for path in paths if path.endswith(".py") and path in patched]
    changed = [path for path in changed if _ASKED.search(patched[path].content)]
    if not changed:
        return
    modules = [path for path in base if path.endswith(".py")]
    product = [path for path in modules if is_product(path)]
    tests = {*modules}.difference(product)
    for path in changed:
        for name, line in _variables_read(_tree(patched, path)):
            if not _is_said(base, product, name) and name in _variables_set(base, tests, name):
                yield f"{path}:{line}: asks for {name}, which the tests set"
        for name, line in _variables_given(_tree(patched, path)):
            if not _is_said(base, product, name) and name in _variables_asked(base, tests, name):
                yield f"{path}:{line}: sets {name}, which the tests ask for"
        for name, line in _classes_named(_tree(patched, path)):
            if not _is_said(base, product, name) and _is_defined(base, tests, name):
                yield f"{path}:{line}: asks for {name}, a class of the tests"


def _tree(tree: Tree, path: str) -> ast.Module:
    try:
        return parse_python(tree[path].content)
    except (SyntaxError, RecursionError):
        return ast.Module([], [])


def _word(name: str) -> bytes:
    """Return a name as files hold it; half a character, which an escape can write, stands in none."""
    return name.encode("utf-8", "surrogatepass")


def _is_said(tree: Tree, paths: Iterable[str], name: str) -> bool:
    word = _word(name)
    return any(word in tree[path].content for path in paths)


def _is_defined(tree: Tree, paths: Iterable[str], name: str) -> bool:
    word = re.escape(_word(name))
    defined = re.compile(rb"^\s*class %s\b" % word, re.MULTILINE)
    return any(defined.search(tree[path].content) for path in paths)


def _variables_read(module: ast.Module) -> Iterator[tuple[str, int]]:
    for node in ast.walk(module):
        read: ast.expr | None = None
        if isinstance(node, ast.Call) and node.args and last_name(node.func) in _READS:
            is_of_environment = isinstance(node.func, ast.Attribute) and _is_environment(node.func.value)
            read = node.args[0] if is_of_environment or last_name(node.func) == "getenv" else None
        elif isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Load):
            read = node.slice if _is_environment(node.value) else None
        elif isinstance(node, ast.Compare) and isinstance(node.ops[0], ast.In | ast.NotIn):
            read = node.left if _is_environment(node.comparators[0]) else None
        if read is not None and (name := text_of(read)) and not _KNOWN.fullmatch(name):
            yield name, read.lineno


def _of(node: ast.Call, method: str) -> bool:
    """Return whether a call is that of a method of the environment."""
    called = node.func
    return isinstance(called, ast.Attribute) and called.attr == method and _is_environment(called.value)


def _is_environment(node: ast.expr) -> bool:
    """Return whether it is the process's environment: a request's, say, has the same name."""
    if isinstance(node, ast.Attribute):
        return node.attr == "environ" and isinstance(node.value, ast.Name) and node.value.id == "os"
    return isinstance(node, ast.Name) and node.id == "environ"


def _variables_set(tree: Tree, paths: Iterable[str], name: str) -> set[str]:
    """Return the variables that files with a name in their text set."""
    found = (_variables_given(_tree(tree, p)) for p in paths if _word(name) in tree[p].content)
    return {given for module in found for given, _ in module}


def _variables_asked(tree: Tree, paths: Iterable[str], name: str) -> set[str]:
    """Return the variables that files with a name in their text read."""
    found = (_variables_read(_tree(tree, p)) for p in paths if _word(name) in tree[p].content)
    return {read for module in found for read, _ in module}


def _variables_given(module: ast.Module) -> Iterator[tuple[str, int]]:
    for node in ast.walk(module):
        given: list[ast.expr | None] = []
        if isinstance(node, ast.Call) and (last_name(node.func) in _SETS or _of(node, "setdefault")):
            given = [*node.args[:1]]
        elif isinstance(node, ast.Call) and (last_name(node.func) == "dict" or _of(node, "update")):
            given = [key for argument in node.args if isinstance(argument, ast.Dict) for key in argument.keys]
        elif isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Store):
            given = [node.slice] if _is_environment(node.value) else []
        for key in given:
            if key is not None and (text := text_of(key)):
                yield text, key.lineno


def _classes_named(module: ast.Module) -> Iterator[tuple[str, int]]:
    """Yield the texts that the name of a class is compared with."""
    for node in ast.walk(module):
        if not isinstance(node, ast.Compare):
            continue
        sides = [node.left, *node.comparators]
        if any(isinstance(side, ast.Attribute) and side.attr in _NAMES for side in sides):
            for side in sides:
                for inner in ast.walk(side):
                    if isinstance(inner, ast.Constant) and isinstance(inner.value, str):
                        yield inner.value, node.lineno
