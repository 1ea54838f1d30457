"""Which lines of a file are code, and which executed lines show that a test ran them; pure.

In Python only statements inside functions can be shown to run in a test: what import executes does not count.
A function's signature and decorators count as run where a test runs its body, and the value that a module or
a class gives to a name where a test runs a line, in a function of the same file, that reads the name.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence

from greenline.core.syntax import parse_python
from greenline.verify import source_line
from greenline.verify.java_line import java_lines
from greenline.verify.java_text import JAVA
from greenline.verify.reader import Readers

Witnesses = Mapping[int, frozenset[int]]
"""1-based line of code → the lines whose execution shows that it ran; empty where only import runs it."""

_NOWHERE: frozenset[int] = frozenset()


PYTHON = (".py", ".pyi")


def is_measured(path: str) -> bool:
    """Return whether a file is of a language whose lines are known to be code or not."""
    return path.endswith((*PYTHON, *source_line.JAVASCRIPT, *source_line.GO, *JAVA))


def code_lines(path: str, source: bytes) -> Witnesses:
    """Return the witnesses of each line of code of a measured file; comments and blank lines are none."""
    if path.endswith(JAVA):
        return java_lines(source)
    return python_lines(source) if path.endswith(PYTHON) else source_line.code_lines(path, source)


def python_lines(source: bytes) -> Witnesses:
    """Return the witnesses of each line of Python code; docstrings are not code either."""
    text = source.decode("utf-8", "replace")
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    try:
        return _python_lines(parse_python(source), lines)
    except (SyntaxError, RecursionError):
        return {n: _NOWHERE for n, line in enumerate(lines, 1) if _is_text(line)}


def _python_lines(module: ast.Module, lines: Sequence[str]) -> Witnesses:
    found: dict[int, frozenset[int]] = {}
    readers = Readers.of(module)
    for node, in_function in _walk(module, in_function=False):
        start, end = _header(node)
        witnesses = frozenset(range(start, end + 1)) if in_function else readers.lines_for(node)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            witnesses |= frozenset(range(node.body[0].lineno, (node.end_lineno or end) + 1))
        for number in range(start, end + 1):
            if number <= len(lines) and _is_text(lines[number - 1]):
                found[number] = witnesses
    return found


def covered_by(
    numbers: Sequence[int],
    witnesses: Witnesses,
    path: str,
    coverage: Mapping[str, Mapping[str, Sequence[int]]],
) -> tuple[str, ...]:
    """Return the tests whose own context executes one of the lines."""
    wanted = (
        frozenset().union(*(witnesses.get(number, _NOWHERE) for number in numbers)) if numbers else _NOWHERE
    )
    return tuple(
        sorted(test for test, files in coverage.items() if not wanted.isdisjoint(files.get(path, ())))
    )


def _is_text(line: str) -> bool:
    stripped = line.strip()
    return bool(stripped) and not stripped.startswith("#")


def _walk(node: ast.AST, *, in_function: bool) -> Iterator[tuple[ast.stmt | ast.ExceptHandler, bool]]:
    """Yield statements and handlers, outer ones first, with whether they lie inside a function."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.stmt | ast.ExceptHandler):
            if not _is_inert(child):
                yield child, in_function
            inner = isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef) or (
                in_function and not isinstance(child, ast.ClassDef)
            )
            yield from _walk(child, in_function=inner)
        elif isinstance(child, ast.match_case):
            yield from _walk(child, in_function=in_function)


def _is_inert(node: ast.AST) -> bool:
    """Return whether a statement is a docstring (or any bare constant string) or a mere declaration."""
    if isinstance(node, ast.Global | ast.Nonlocal):
        return True
    return (
        isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Constant)
        and isinstance(node.value.value, str)
    )


def _header(node: ast.stmt | ast.ExceptHandler) -> tuple[int, int]:
    """Return the first and last line of a statement without the statements in it."""
    start = min([node.lineno, *(d.lineno for d in getattr(node, "decorator_list", ()))])
    body = getattr(node, "body", None) or getattr(node, "cases", None)
    if not body:
        return start, node.end_lineno or node.lineno
    first = body[0]
    inside = first.pattern.lineno if isinstance(first, ast.match_case) else first.lineno
    inside = min([inside, *(d.lineno for d in getattr(first, "decorator_list", ()))])
    return start, max(node.lineno, inside - 1)
