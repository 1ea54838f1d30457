"""Which names a text binds and uses, and where: by the syntax tree in Python, by words elsewhere. Pure.

Lines count from 0. What cannot be read has no facts.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import PurePosixPath

import attrs

from greenline.core.syntax import parse_python
from greenline.edit.text import split_lines

Key = tuple[int, str]
"""A scope's number and a name in it; scope 0 is the module."""


@attrs.define
class Facts:
    """The names of one text."""

    bound: dict[Key, set[int]] = attrs.field(factory=dict)
    """Where a name gets its meaning in its scope."""
    used: list[tuple[int, Key]] = attrs.field(factory=list)
    """Uses of names that the text itself binds."""
    members: dict[str, set[int]] = attrs.field(factory=dict)
    """Where an attribute or a method gets its meaning."""
    member_uses: list[tuple[int, str]] = attrs.field(factory=list)
    parameters: dict[tuple[str, str], set[int]] = attrs.field(factory=dict)
    """(function, parameter) → lines."""
    keywords: list[tuple[int, str, str]] = attrs.field(factory=list)
    """Line, function, parameter of a call."""
    imports: list[tuple[int, str, str]] = attrs.field(factory=list)
    """Line, the module's last name, and the name taken from it; empty for the module itself."""

    def bind(self, scope: int, name: str, line: int) -> None:
        """Note that a line gives a name its meaning."""
        self.bound.setdefault((scope, name), set()).add(line)


def facts_of(path: str, text: str) -> Facts:
    """Return the names of a file's text."""
    name = PurePosixPath(path).name
    if not name.endswith((".py", ".pyi")):
        return _by_words(text) if _CODE.search(name) else Facts()
    tree = python_tree(text)
    try:
        return Facts() if tree is None else _Reader().read(tree)
    except RecursionError:
        # It is nested deeper than a reader goes.
        return Facts()


def python_tree(text: str) -> ast.Module | None:
    """Return the syntax tree of Python text, or None where it is none."""
    try:
        return parse_python(text)
    except SyntaxError:
        return None


# --- Python ---------------------------------------------------------------------------------------------

_Function = ast.FunctionDef | ast.AsyncFunctionDef


class _Reader:
    """Reads a module twice: what each scope binds, then what is used where."""

    def __init__(self) -> None:
        self._facts = Facts()
        self._parents: list[tuple[int, bool]] = [(0, False)]
        """For each scope its parent, and whether it is a class."""
        self._uses: list[tuple[int, int, str]] = []
        self._global: set[Key] = set()

    def read(self, tree: ast.Module) -> Facts:
        """Return the facts of a module."""
        for statement in tree.body:
            self._visit(statement, 0)
        for line, scope, name in self._uses:
            if (key := self._resolve(scope, name)) is not None:
                self._facts.used.append((line, key))
        return self._facts

    def _resolve(self, scope: int, name: str) -> Key | None:
        """Return the binding that a name means in a scope; a class's own names are seen in its body alone."""
        at, is_first = scope, True
        while True:
            parent, is_class = self._parents[at]
            if (at, name) in self._facts.bound and (is_first or not is_class):
                return at, name
            if at == 0:
                return None
            at, is_first = parent, False

    def _visit(self, node: ast.AST, scope: int) -> None:
        if isinstance(node, _Function):
            self._function(node, scope)
        elif isinstance(node, ast.Lambda):
            inner = self._scope(scope, is_class=False)
            self._arguments(node.args, scope, inner, "")
            self._visit(node.body, inner)
        elif isinstance(node, ast.ClassDef):
            self._class(node, scope)
        elif isinstance(node, ast.Import | ast.ImportFrom):
            self._import(node, scope)
        else:
            self._leaf(node, scope)
            for child in ast.iter_child_nodes(node):
                self._visit(child, scope)

    def _leaf(self, node: ast.AST, scope: int) -> None:
        facts = self._facts
        if isinstance(node, ast.Name):
            if isinstance(node.ctx, ast.Load):
                self._uses.append((node.lineno - 1, scope, node.id))
            else:
                facts.bind(0 if (scope, node.id) in self._global else scope, node.id, node.lineno - 1)
                if self._parents[scope][1]:
                    facts.members.setdefault(node.id, set()).add(node.lineno - 1)
        elif isinstance(node, ast.Attribute):
            line = (node.end_lineno or node.lineno) - 1
            if isinstance(node.ctx, ast.Load):
                facts.member_uses.append((line, node.attr))
            else:
                facts.members.setdefault(node.attr, set()).add(line)
        elif isinstance(node, ast.Call):
            name = _last_name(node.func)
            facts.keywords += [(k.value.lineno - 1, name, k.arg) for k in node.keywords if name and k.arg]
        elif isinstance(node, ast.Global):
            self._global.update((scope, name) for name in node.names)
        elif isinstance(node, ast.ExceptHandler | ast.MatchAs | ast.MatchStar) and node.name:
            facts.bind(scope, node.name, node.lineno - 1)

    def _function(self, node: _Function, scope: int) -> None:
        line = node.lineno - 1
        self._facts.bind(scope, node.name, line)
        if self._parents[scope][1]:
            self._facts.members.setdefault(node.name, set()).add(line)
        for child in (*node.decorator_list, *([node.returns] if node.returns else [])):
            self._visit(child, scope)
        inner = self._scope(scope, is_class=False)
        self._arguments(node.args, scope, inner, node.name)
        for statement in node.body:
            self._visit(statement, inner)

    def _arguments(self, node: ast.arguments, scope: int, inner: int, function: str) -> None:
        for default in (*node.defaults, *(d for d in node.kw_defaults if d is not None)):
            self._visit(default, scope)
        stars = [a for a in (node.vararg, node.kwarg) if a is not None]
        for argument in (*node.posonlyargs, *node.args, *node.kwonlyargs, *stars):
            self._facts.bind(inner, argument.arg, argument.lineno - 1)
            if function and argument.arg not in ("self", "cls"):
                key = (function, argument.arg)
                self._facts.parameters.setdefault(key, set()).add(argument.lineno - 1)
            if argument.annotation is not None:
                self._visit(argument.annotation, scope)

    def _class(self, node: ast.ClassDef, scope: int) -> None:
        self._facts.bind(scope, node.name, node.lineno - 1)
        for child in (*node.decorator_list, *node.bases, *(k.value for k in node.keywords)):
            self._visit(child, scope)
        inner = self._scope(scope, is_class=True)
        for statement in node.body:
            self._visit(statement, inner)

    def _import(self, node: ast.Import | ast.ImportFrom, scope: int) -> None:
        module = (getattr(node, "module", None) or "").rpartition(".")[2]
        for alias in node.names:
            line = alias.lineno - 1
            if isinstance(node, ast.Import):
                self._facts.imports.append((line, alias.name.rpartition(".")[2], ""))
            else:
                self._facts.imports += [(line, module, alias.name), (line, alias.name, "")]
            self._facts.bind(scope, alias.asname or alias.name.partition(".")[0], line)

    def _scope(self, parent: int, *, is_class: bool) -> int:
        self._parents.append((parent, is_class))
        return len(self._parents) - 1


def _last_name(node: ast.expr) -> str:
    if isinstance(node, ast.Name):
        return node.id
    return node.attr if isinstance(node, ast.Attribute) else ""


# --- other languages --------------------------------------------------------------------------------------

_CODE = re.compile(
    r"\.(js|jsx|ts|tsx|mjs|cjs|vue|svelte|go|rs|java|kt|scala|swift|c|h|cc|cpp|hpp|cs|php|rb|lua|sh|dart|zig)$"
)
_DEFINES = re.compile(
    r"\b(?:def|class|function|func|fn|fun|interface|struct|enum|trait|type|module|macro)\s+"
    r"(?:\([^)]*\)\s*)?([A-Za-z_$][\w$]*)"
    r"|\b(?:let|const|var|val|static|local|final)\s+(?:mut\s+)?([A-Za-z_$][\w$]*)"
    r"|^\s*([A-Za-z_$][\w$]*)\s*:?=(?![=>])"
    r"|^\s*#\s*define\s+(\w+)"
)
_TAKEN = re.compile(r"^\s*(?:import|use|using|from|const|let|var)\b[^;\n{]*\{([^}]*)\}|^\s*import\s+(\w+)\b")
_MODULE = re.compile(r"""(?:from|require|import|include)\b\s*\(?\s*["'<]([^"'>]+)["'>]""")
_PLAIN_STRING = re.compile(r'"(?:[^"\\\n]|\\.)*"|\'(?:[^\'\\\n]|\\.)*\'|//[^\n]*')
_WORD = re.compile(r"[A-Za-z_$][\w$]*")


def _by_words(text: str) -> Facts:
    """Read a text word by word, as one scope: coarse, but the same for every language."""
    facts = Facts()
    lines = split_lines(text)
    for number, line in enumerate(lines):
        modules = [PurePosixPath(found).stem for found in _MODULE.findall(line)]
        for name in (*_defined(line), *_taken(line)):
            facts.bind(0, name, number)
        facts.imports += [(number, module, "") for module in modules]
        facts.imports += [(number, module, name) for module in modules for name in _taken(line)]
    for number, line in enumerate(lines):
        words = _WORD.findall(_PLAIN_STRING.sub(" ", line))
        facts.used += [(number, (0, word)) for word in words if (0, word) in facts.bound]
    return facts


def _defined(line: str) -> Iterator[str]:
    for match in _DEFINES.finditer(_PLAIN_STRING.sub('""', line)):
        yield from (name for name in match.groups() if name)


def _taken(line: str) -> Iterator[str]:
    for match in _TAKEN.finditer(line):
        for part in (match[1] or match[2] or "").split(","):
            words = _WORD.findall(part)
            if words:
                yield words[-1]
