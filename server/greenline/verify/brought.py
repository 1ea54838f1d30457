"""Names that a patch's product code brings, and which rewritten tests use them; pure.

Where a file of tests cannot be imported without the patch, no run tells which of its tests need the patch.
What a test did not use before, and only the patch's product code has, can make it fail without the patch.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cache

import attrs

from greenline.core.port import Tree
from greenline.core.syntax import parse_python
from greenline.verify.python_suite import EVERYTHING, SuiteFile
from greenline.verify.source_line import GO, JAVASCRIPT, bare
from greenline.verify.test_body import bodies
from greenline.verify.test_function import Place

_SCRIPTS = (*JAVASCRIPT, *GO)
_WORD = re.compile(r"[A-Za-z_$][\w$]*")


@attrs.frozen
class Brought:
    """What the product code of a patch has that its base has not."""

    names: Mapping[str, frozenset[str]]
    """Changed file → names that are new in it; of a new file also what is new in its path."""

    @classmethod
    def of(cls, base: Tree, patched: Tree, product: Iterable[str]) -> Brought:
        """Read the changed files of product code."""
        known = {part for path in base for part in _parts(path)}
        return cls(
            {
                path: _defined(patched, path) - _defined(base, path)
                | (frozenset() if path in base else frozenset(_parts(path)) - known)
                for path in product
                if path in patched and path.endswith((".py", *_SCRIPTS))
            }
        )

    @property
    def every(self) -> frozenset[str]:
        """All new names."""
        return frozenset().union(*self.names.values())

    def from_module(self, node: ast.ImportFrom) -> bool:
        """Return whether an import takes a new name from where the patch put it."""
        module = (node.module or "").split(".") if node.module else []
        wanted = {alias.name for alias in node.names}
        for path, names in self.names.items():
            own = [part for part in _parts(path) if part != "__init__"]
            if names & wanted and own[len(own) - len(module) :] == module:
                return True
        return False


def leaning(
    base: Tree, patched: Tree, paths: Iterable[str], product: Iterable[str], places: Iterable[Place]
) -> frozenset[Place]:
    """Return the new and rewritten tests that use what a patch's product code brings, and did not before.

    `paths` are the changed files that are no product code; what tests use of these is followed in Python.
    """
    wanted = sorted(places)
    brought = Brought.of(base, patched, product) if wanted else Brought({})
    every = brought.every
    if not every:
        return frozenset()
    support = [path for path in sorted(paths) if path.endswith(".py")]
    # One file can hold thousands of them.
    reader = cache(lambda is_new, path: _Reader.of(patched if is_new else base, path, support))
    found = set()
    for path, name in wanted:
        if path.endswith(_SCRIPTS):
            new, old = (_script_words(tree, path, name) for tree in (patched, base))
            uses = bool((new - old) & every)
        else:
            read, before = reader(True, path), reader(False, path)
            # What is done around every test says nothing of one whose own text is another.
            is_same = read.text(name) == before.text(name)
            used, past = read.nodes(name, of_all=is_same), before.nodes(name, of_all=is_same)
            is_taken = any(isinstance(node, ast.ImportFrom) and brought.from_module(node) for node in used)
            uses = is_taken or bool((_words(used) - _words(past)) & every)
        if uses:
            found.add((path, name))
    return frozenset(found)


@attrs.frozen
class _Reader:
    """One file of tests, and the changed files beside it."""

    own: SuiteFile
    beside: tuple[SuiteFile, ...]

    @classmethod
    def of(cls, tree: Tree, path: str, support: Iterable[str]) -> _Reader:
        files = (SuiteFile.of(tree, other) for other in support if other != path)
        # A module of tests is used by itself alone.
        return cls(SuiteFile.of(tree, path), tuple(file for file in files if not file.tests))

    def text(self, test: str) -> str:
        """Return a test's own text, comparable."""
        return ast.dump(self.own.tests[test]) if test in self.own.tests else ""

    def nodes(self, test: str, *, of_all: bool) -> list[ast.AST]:
        """Return a test with what it uses in these files, directly or over others, `of_all` tests too."""
        if test not in self.own.tests:
            return []
        found: list[ast.AST] = [self.own.tests[test]]
        asked = set()
        left = [*(name for name in self.own.uses(test) if name != EVERYTHING or of_all), *_words(found)]
        while left:
            name = left.pop()
            if name in asked or (name == EVERYTHING and not of_all):
                continue
            asked.add(name)
            for file in (self.own, *self.beside):
                nodes = file.nodes.get(name, ())
                found += nodes
                left += _words(nodes)
        return found


def _words(nodes: Iterable[ast.AST]) -> frozenset[str]:
    """Return the words that statements are made of."""
    return frozenset(word for node in nodes for inner in ast.walk(node) for word in _of_node(inner))


def _of_node(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.Name):
        yield node.id
    elif isinstance(node, ast.Attribute):
        yield node.attr
    elif isinstance(node, ast.arg | ast.keyword):
        yield node.arg or "**"
    elif isinstance(node, ast.alias):
        yield from node.name.split(".")
    elif isinstance(node, ast.ImportFrom):
        yield from (node.module or "").split(".")
    elif isinstance(node, ast.Constant) and isinstance(node.value, str):
        # A name that is looked up, as in `patch("shop.calc.net")`.
        yield from (part for part in node.value.split(".") if part.isidentifier())


def _defined(tree: Tree, path: str) -> frozenset[str]:
    """Return the names that a file of product code gives something."""
    file = tree.get(path)
    if file is None:
        return frozenset()
    if path.endswith(_SCRIPTS):
        text = bare(file.content.decode("utf-8", "replace"), is_go=path.endswith(GO))
        return frozenset(_WORD.findall(text))
    try:
        nodes = list(ast.walk(parse_python(file.content)))
    except (SyntaxError, RecursionError):
        return frozenset()
    return frozenset(name for node in nodes for name in _gives(node))


def _gives(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        yield node.name
    elif isinstance(node, ast.arg):
        yield node.arg
    elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
        yield node.id
    elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
        yield node.attr
    elif isinstance(node, ast.alias):
        yield (node.asname or node.name).split(".")[-1]


def _script_words(tree: Tree, path: str, name: str) -> frozenset[str]:
    file = tree.get(path)
    if file is None:
        return frozenset()
    body = bodies(path, file.content.decode("utf-8", "replace")).get(name, "")
    return frozenset(_WORD.findall(bare(body, is_go=path.endswith(GO))))


def _parts(path: str) -> list[str]:
    return path.rpartition(".")[0].split("/")
