"""Names that a patch's product code brings, and which rewritten tests use them; pure.

Where a file of tests cannot be imported without the patch, no run tells which of its tests need the patch.
What a test did not use before, and only the patch's product code has, can make it fail without the patch.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache, partial

import attrs

from greenline.core.port import Tree
from greenline.core.syntax import parse_python
from greenline.verify.java_suite import java_bodies
from greenline.verify.java_text import JAVA
from greenline.verify.java_text import bare as bare_java
from greenline.verify.python_suite import EVERYTHING, SuiteFile
from greenline.verify.source_line import GO, JAVASCRIPT, bare
from greenline.verify.test_body import bodies
from greenline.verify.test_function import Place

_SCRIPTS = (*JAVASCRIPT, *GO, *JAVA)
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
    suite = cache(lambda is_new, path: SuiteFile.of(patched if is_new else base, path))
    reader = cache(lambda is_new, path: _Reader.of(partial(suite, is_new), path, support))
    found = set()
    for path, name in wanted:
        if path.endswith(_SCRIPTS):
            new, old = (_script_words(tree, path, name) for tree in (patched, base))
            uses = bool((new - old) & every)
        else:
            read, before = reader(True, path), reader(False, path)
            # What is done around every test says nothing of one whose own text is another.
            is_same = read.text(name) == before.text(name)
            used, past = read.used(name, of_all=is_same), before.used(name, of_all=is_same)
            is_taken = any(map(brought.from_module, used.imports))
            uses = is_taken or bool((used.words - past.words) & every)
        if uses:
            found.add((path, name))
    return frozenset(found)


@attrs.frozen
class _Said:
    """What statements are made of."""

    words: frozenset[str] = frozenset()
    imports: tuple[ast.ImportFrom, ...] = ()

    @classmethod
    def of(cls, nodes: Iterable[ast.AST]) -> _Said:
        nodes = [*nodes]
        words = (word for node in nodes for inner in ast.walk(node) for word in _of_node(inner))
        return cls(frozenset(words), tuple(node for node in nodes if isinstance(node, ast.ImportFrom)))


@attrs.frozen
class _Reader:
    """One file of tests, and the changed files beside it."""

    own: SuiteFile
    said: Callable[[str], _Said]
    """Name → what its statements are made of in all of these files; read once, as many tests use it."""

    @classmethod
    def of(cls, suite: Callable[[str], SuiteFile], path: str, support: Iterable[str]) -> _Reader:
        own = suite(path)
        # A module of tests is used by itself alone.
        beside = [file for file in map(suite, support) if file is not own and not file.tests]
        files = (own, *beside)
        return cls(own, cache(lambda name: _Said.of(n for f in files for n in f.nodes.get(name, ()))))

    def text(self, test: str) -> str:
        """Return a test's own text, comparable."""
        return ast.dump(self.own.tests[test]) if test in self.own.tests else ""

    def used(self, test: str, *, of_all: bool) -> _Said:
        """Return what a test and all that it uses in these files, directly or over others, is made of.

        What is done around every test is among that with `of_all`.
        """
        if test not in self.own.tests:
            return _Said()
        itself = _Said.of([self.own.tests[test]])
        words, imports = {*itself.words}, [*itself.imports]
        asked: set[str] = set() if of_all else {EVERYTHING}
        left = {*self.own.uses(test), *itself.words} - asked
        while left:
            asked |= left
            said = [self.said(name) for name in left]
            imports += (node for one in said for node in one.imports)
            new = {word for one in said for word in one.words}
            words |= new
            left = new - asked
        return _Said(frozenset(words), tuple(imports))


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
        return frozenset(_WORD.findall(_bare(path, file.content.decode("utf-8", "replace"))))
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
    text = file.content.decode("utf-8", "replace")
    body = (java_bodies if path.endswith(JAVA) else bodies)(path, text).get(name, "")
    return frozenset(_WORD.findall(_bare(path, body)))


def _bare(path: str, text: str) -> str:
    return bare_java(text) if path.endswith(JAVA) else bare(text, is_go=path.endswith(GO))


def _parts(path: str) -> list[str]:
    return path.rpartition(".")[0].split("/")
