"""Which examples in documentation, where they are run as tests, a patch writes or rewrites; pure.

An example stands beside the code that it tests, so no run has it without the patch. One whose text changes
says what the patch makes it say, and a new one too: none of them can vouch for the patch.
"""

from __future__ import annotations

import ast
import builtins
import doctest
import re
from collections.abc import Iterable, Iterator, Mapping

import attrs

from greenline.core.evidence import TestReport
from greenline.core.port import Tree
from greenline.core.syntax import parse_python

_OPTION = re.compile(r"#\s*doctest:\s*(.+)$", re.M)
_PUTTING = frozenset({"setattr", "delattr", "exec", "eval", "globals", "vars", "locals", "__import__"})
_BUILTINS = frozenset(dir(builtins))
_BLOCKS = (ast.If, ast.Try, ast.TryStar, ast.ExceptHandler, ast.With, ast.For, ast.While)
_Documented = ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef


@attrs.frozen
class ExampleChange:
    """What a patch does to the examples that are tests."""

    rewritten: frozenset[str] = frozenset()
    """Ids of B whose examples are not all there any more as they were."""
    new: frozenset[str] = frozenset()
    """Ids in P of examples where there were none."""
    renamed: Mapping[str, str] = attrs.field(factory=dict)
    """Id of B → id in P of examples that are the same but for the name of what they stand in."""


class _Parser(doctest.DocTestParser):
    """Reads examples and leaves their options alone: runners have some of their own."""

    def _find_options(self, source: str, name: str, lineno: int) -> dict[int, bool]:
        return {}


@attrs.frozen
class _Example:
    code: str
    """What it runs, without comments and layout."""
    want: str
    options: frozenset[str]
    source: str


def example_change(
    base: Tree, patched: Tree, paths: Iterable[str], before: TestReport, after: TestReport
) -> ExampleChange:
    """Return what a patch to `paths` does to the examples that B (`before`) and P (`after`) run."""
    rewritten: set[str] = set()
    new: set[str] = set()
    renamed: dict[str, str] = {}
    known = [test.id for test in before.tests]
    ran = [test.id for test in after.tests]
    for path in paths:
        if path not in patched:
            continue
        old, now = _examples(base, path), _examples(patched, path)
        # What has another name expects what it did.
        moved = [_wants(examples) for name, examples in old.items() if name not in now]
        for name, examples in now.items():
            if name in old and not _says_as_much(old[name], examples):
                rewritten.update(test for test in known if old[name] and _is_of(test, path, name))
            elif examples and not old.get(name) and _wants(examples) not in moved:
                new.update(test for test in ran if _is_of(test, path, name))
        for was, name in _new_names(old, now):
            here = [test for test in ran if _is_of(test, path, name)]
            renamed |= {test: here[0] for test in known if here and _is_of(test, path, was)}
    return ExampleChange(frozenset(rewritten), frozenset(new - set(known)), renamed)


def _new_names(
    old: Mapping[str, list[_Example]], now: Mapping[str, list[_Example]]
) -> Iterator[tuple[str, str]]:
    """Yield each name that went with the one that came with its examples, once for each."""
    free = {name: examples for name, examples in now.items() if examples and name not in old}
    for was, examples in old.items():
        if not examples or was in now:
            continue
        for name, others in free.items():
            word, other = was.rpartition(".")[2], name.rpartition(".")[2]
            # As a name, and as an attribute's: the dump has both between quotes.
            said = [(e.code.replace(f"'{word}'", f"'{other}'"), e.want, e.options) for e in examples]
            if said == [(e.code, e.want, e.options) for e in others]:
                yield was, name
                del free[name]
                break


def _wants(examples: list[_Example]) -> list[str]:
    return [example.want for example in examples]


def _is_of(test: str, path: str, name: str) -> bool:
    """Return whether a test's id is that of the examples in one place of a file."""
    file, separator, rest = test.partition("::")
    if not path.endswith(".py"):
        base = path.rpartition("/")[2]
        return test == f"{path}::{base}" or test == base.replace(".", "_")
    module = path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")
    inside = rest if separator else test
    if separator and file != path:
        return False
    owner = inside.removesuffix(f".{name}") if name else inside
    return owner != (inside if name else "") and (module == owner or module.endswith(f".{owner}"))


def _examples(tree: Tree, path: str) -> Mapping[str, list[_Example]]:
    """Return qualified name → examples, of a file's docstrings; a text has all under the empty name."""
    if path not in tree or b">>>" not in tree[path].content:
        # Nothing but names, so that what is taken away is seen.
        return {name: [] for name, _ in _texts(tree, path)}
    found: dict[str, list[_Example]] = {}
    for name, text in _texts(tree, path):
        # A property has the name of its setter, whose text no runner reads.
        found.setdefault(name, []).extend(_parsed(text))
    return found


def _texts(tree: Tree, path: str) -> Iterator[tuple[str, str]]:
    content = tree[path].content if path in tree else b""
    if not path.endswith(".py"):
        if path in tree and b"\0" not in content:
            yield "", content.decode("utf-8", "replace")
        return
    try:
        yield from _docstrings(parse_python(content), "")
    except (SyntaxError, RecursionError):
        return


def _docstrings(node: _Documented, name: str) -> Iterator[tuple[str, str]]:
    yield name, ast.get_docstring(node) or ""
    left: list[ast.AST] = [*node.body] if isinstance(node, ast.Module | ast.ClassDef) else []
    while left:
        inner = left.pop(0)
        if isinstance(inner, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            yield from _docstrings(inner, f"{name}.{inner.name}" if name else inner.name)
        elif isinstance(inner, _BLOCKS):
            # What is defined under a condition is named as what is not.
            left[:0] = ast.iter_child_nodes(inner)


def _parsed(text: str) -> list[_Example]:
    try:
        found = _Parser().get_examples(text)
    except ValueError:
        return []
    return [_read(example) for example in found]


def _read(example: doctest.Example) -> _Example:
    options = " ".join(_OPTION.findall(example.source)).replace(",", " ").split()
    try:
        code = ast.dump(parse_python(example.source.encode()))
    except (SyntaxError, RecursionError):
        code = example.source.strip()
    asked = frozenset(option.lstrip("+") for option in options if option.startswith("+"))
    return _Example(code, example.want.rstrip(), asked, example.source)


def _says_as_much(old: list[_Example], new: list[_Example]) -> bool:
    """Return whether all examples are there, in their order, with nothing before that could change them."""
    used = {node.id for example in old for node in _walked(example) if isinstance(node, ast.Name)}
    left = [*old]
    for example in new:
        if not left:
            break
        first = left[0]
        if (first.code, first.want) == (example.code, example.want) and example.options <= first.options:
            del left[0]
        elif not _is_harmless(example, used):
            return False
    return not left


def _is_harmless(example: _Example, used: set[str]) -> bool:
    """Return whether an example gives nothing that others use another meaning."""
    bound: set[str] = set()
    for node in _walked(example):
        if isinstance(node, ast.Attribute | ast.Subscript) and not isinstance(node.ctx, ast.Load):
            return False
        if isinstance(node, ast.Name):
            if node.id in _PUTTING:
                return False
            if not isinstance(node.ctx, ast.Load):
                bound.add(node.id)
        elif isinstance(node, ast.alias):
            bound.add(node.asname or node.name.split(".")[0])
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            bound.add(node.name)
    return not bound & (used | _BUILTINS | {"*"})


def _walked(example: _Example) -> list[ast.AST]:
    try:
        return [*ast.walk(parse_python(example.source.encode()))]
    except (SyntaxError, RecursionError):
        return []
