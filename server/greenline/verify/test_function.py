"""The functions that tests run, as a file of any language spells them out, and which one a test runs."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from greenline.core.evidence import TestResult
from greenline.core.port import Tree
from greenline.core.syntax import parse_python
from greenline.verify.folded import last_name
from greenline.verify.java_suite import java_bodies
from greenline.verify.java_text import JAVA
from greenline.verify.source_line import GO, JAVASCRIPT
from greenline.verify.test_body import bodies

Place = tuple[str, str]
"""A file, and the qualified name of a function in it."""


def place(test: TestResult) -> Place:
    """Return the file and the qualified name of the function that a test runs."""
    head, separator, rest = test.id.partition("::")
    if separator:
        # The subtests of one of Go's functions are its parameters.
        inside = rest.split("[")[0].split("::")
        return head, ".".join(inside[:1] if head.endswith(GO) else inside)
    return test.file or "", ".".join(test.id.split(".")[-2:])


def functions(tree: Tree, path: str) -> dict[str, str]:
    """Return qualified name → code without the name; the empty name holds all but tests and imports."""
    file = tree.get(path)
    if file is not None and path.endswith((*JAVASCRIPT, *GO)):
        return bodies(path, file.content.decode("utf-8", "replace"))
    if file is not None and path.endswith(JAVA):
        return java_bodies(path, file.content.decode("utf-8", "replace"))
    if file is None or not path.endswith(".py"):
        return {} if file is None else {"": repr(file.content)}
    found: dict[str, str] = {}
    try:
        found[""] = _dump(_take(parse_python(file.content).body, "", found))
    except (SyntaxError, RecursionError):
        return {"": repr(file.content)}
    return found


def _take(body: list[ast.stmt], prefix: str, found: dict[str, str]) -> list[ast.AST]:
    """Move test functions into `found`; return the other statements."""
    rest: list[ast.AST] = []
    for node in body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name.startswith("test"):
            key = prefix + node.name
            node.name = "_"
            _take_self(node)
            for decorator in node.decorator_list:
                _take_labels(decorator)
            found[key] = _dump([node])
        elif isinstance(node, ast.ClassDef):
            inner = _take(node.body, f"{prefix}{node.name}.", found)
            # A class with other tests in it is still the same class.
            if any(key.startswith(f"{prefix}{node.name}.") for key in found):
                rest += [*node.decorator_list, *node.bases, *inner]
            else:
                rest.append(node)
        elif not isinstance(node, ast.Import | ast.ImportFrom):
            rest.append(node)
    return rest


def _take_self(node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
    """Take away an instance that the test never asks: in a class or beside it, it is the same test."""
    given = node.args.args
    if given and given[0].arg == "self":
        named = (inner.id for part in node.body for inner in ast.walk(part) if isinstance(inner, ast.Name))
        if not {"self", "super"} & {*named}:
            del given[0]


def _take_labels(decorator: ast.expr) -> None:
    """Take away what rows are called, where that is written there: it says nothing."""
    if isinstance(decorator, ast.Call) and last_name(decorator.func) == "parametrize":
        decorator.keywords = [k for k in decorator.keywords if k.arg != "ids" or not _are_texts(k.value)]


def _are_texts(node: ast.expr) -> bool:
    elements = node.elts if isinstance(node, ast.List | ast.Tuple) else [node]
    return all(isinstance(e, ast.Constant) and isinstance(e.value, str | None) for e in elements)


def _dump(nodes: Iterable[ast.AST]) -> str:
    return "\n".join(ast.dump(node) for node in nodes)
