"""One Python file as bytes and syntax tree, with exact byte spans for its nodes."""

from __future__ import annotations

import ast
import re
import tokenize
from bisect import bisect_right
from collections.abc import Callable, Hashable, Iterable, Iterator
from typing import Any, TypeVar

import attrs

from greenline.core.syntax import parse_python
from greenline.mutation.precedence import needs_parentheses

T = TypeVar("T")

Function = ast.FunctionDef | ast.AsyncFunctionDef
_NEAR = 200
"""Bytes beside an expression in which its own parentheses are looked for."""
_BARE_END = re.compile(rb"(?<!\r)\n")
_LINE_END = re.compile(rb"\r\n|\r|\n")
"""As the parser counts lines."""


@attrs.frozen
class Candidate:
    """One small edit: the bytes `start` … `end` of a file become `replacement`."""

    path: str
    """Relative to the root, with `/`."""
    start: int
    end: int
    replacement: bytes
    operator: str
    line: int
    """1-based line of the base that the fault would be on."""
    prior: float
    """How often, from 0 to 1, an edit of this kind is the fix."""


def edited(data: bytes, edits: Iterable[Candidate]) -> bytes:
    """Return a file with all edits of it made, later places first; they may not overlap."""
    for edit in sorted(edits, key=lambda edit: -edit.start):
        data = data[: edit.start] + edit.replacement + data[edit.end :]
    return data


def _encoding(data: bytes) -> str | None:
    """Return the encoding that a file declares, or None where its columns are those of UTF-8."""
    lines = iter(_LINE_END.split(data, maxsplit=2)[:2])
    name, _ = tokenize.detect_encoding(lambda: next(lines) + b"\n")
    return None if data.isascii() or name in ("utf-8", "utf-8-sig") else name


class Source:
    """A parsed file; raises `SyntaxError` where it is not Python."""

    def __init__(self, path: str, data: bytes) -> None:
        self.path = path
        self.data = data
        self.tree = parse_python(data)
        # The parser strips a byte order mark before it counts columns.
        self._shift = 3 if data.startswith(b"\xef\xbb\xbf") else 0
        self._starts = [self._shift, *(match.end() for match in _LINE_END.finditer(data))]
        self._encoding = _encoding(data)
        self._has_crlf = data.count(b"\r\n") * 2 > data.count(b"\n")
        self._facts: dict[Hashable, Any] = {}
        self._parents: dict[ast.AST, ast.AST] = {}
        for node in ast.walk(self.tree):
            for child in ast.iter_child_nodes(node):
                self._parents[child] = node

    def once(self, about: Hashable, find: Callable[[], T]) -> T:
        """Return what `find` finds, found once a file: a walk for each node would cost its square."""
        if about not in self._facts:
            self._facts[about] = find()
        found: T = self._facts[about]
        return found

    def span(self, node: ast.expr | ast.stmt) -> tuple[int, int]:
        """Return a node's byte span."""
        assert node.end_lineno is not None and node.end_col_offset is not None
        return (
            self._offset(node.lineno, node.col_offset),
            self._offset(node.end_lineno, node.end_col_offset),
        )

    def _offset(self, line: int, column: int) -> int:
        """Return where a column of the parser lies: it counts the bytes that the line has in UTF-8."""
        start = self._starts[line - 1]
        if self._encoding is None:
            return start + column
        end = self._starts[line] if line < len(self._starts) else len(self.data)
        before = self.data[start:end].decode(self._encoding).encode()[:column].decode()
        return start + len(before.encode(self._encoding))

    def line_of(self, offset: int) -> int:
        """Return the line, 1-based, that a byte stands on."""
        return max(1, bisect_right(self._starts, offset))

    def text(self, node: ast.expr | ast.stmt) -> bytes:
        """Return a node's own bytes."""
        start, end = self.span(node)
        return self.data[start:end]

    def operand(self, node: ast.expr) -> bytes:
        """Return an expression's bytes with the parentheses right around it, where it has some."""
        text = self.text(node)
        return b"(%s)" % text if self._is_enclosed(*self.span(node)) else text

    def _is_enclosed(self, start: int, end: int) -> bool:
        before, after = self.data[max(0, start - _NEAR) : start], self.data[end : end + _NEAR]
        return before.rstrip()[-1:] == b"(" and after.lstrip()[:1] == b")"

    def line_span(self, node: ast.stmt) -> tuple[int, int]:
        """Return the span of a statement's whole lines, the last line end included."""
        assert node.end_lineno is not None
        end = self._starts[node.end_lineno] if node.end_lineno < len(self._starts) else len(self.data)
        return self._starts[node.lineno - 1], end

    def indent(self, node: ast.stmt) -> bytes:
        """Return what stands before a statement on its line, where that is blank."""
        start, _ = self.line_span(node)
        line = self.data[start : self.span(node)[0]]
        return line if not line.strip() else b""

    def parent(self, node: ast.AST) -> ast.AST | None:
        """Return the node that holds `node`."""
        return self._parents.get(node)

    def function(self, node: ast.AST) -> Function | None:
        """Return the innermost function around a node."""
        up = self._parents.get(node)
        while up is not None and not isinstance(up, Function):
            up = self._parents.get(up)
        return up

    def statement(self, node: ast.AST) -> ast.stmt | None:
        """Return the innermost statement that holds a node, itself included."""
        up: ast.AST | None = node
        while up is not None and not isinstance(up, ast.stmt):
            up = self._parents.get(up)
        return up

    def names(self, node: ast.AST) -> list[str]:
        """Return the variables of the function around a node, sorted: arguments and what is assigned."""
        function = self.function(node)
        if function is None:
            return []
        return self.once(("names", function), lambda: self._names(function))

    @staticmethod
    def _names(function: Function) -> list[str]:
        found = {a.arg for a in ast.walk(function.args) if isinstance(a, ast.arg)}
        for inner in ast.walk(function):
            if isinstance(inner, ast.Name) and isinstance(inner.ctx, ast.Store):
                found.add(inner.id)
            elif isinstance(inner, Function) and inner is not function:
                found.add(inner.name)
        return sorted(found)

    def replace(
        self, node: ast.expr | ast.stmt, replacement: bytes | str, operator: str, prior: float
    ) -> Candidate:
        """Return the edit that puts `replacement` in a node's place, in parentheses where it needs them."""
        start, end = self.span(node)
        text = replacement.encode(self._encoding or "utf-8") if isinstance(replacement, str) else replacement
        if isinstance(node, ast.expr) and needs_parentheses(self.parent(node), node, text):
            text = text if self._is_enclosed(start, end) else b"(%s)" % text
        return Candidate(self.path, start, end, text, operator, node.lineno, prior)

    def between(
        self,
        left: ast.expr,
        right: ast.expr,
        old: bytes,
        new: bytes,
        operator: str,
        prior: float,
    ) -> Candidate | None:
        """Return the edit that swaps an operator's token between two nodes, or None where it is not found."""
        start, end = self.span(left)[1], self.span(right)[0]
        at = self.data.find(old, start, end)
        if at < 0:
            return None
        return Candidate(self.path, at, at + len(old), new, operator, left.end_lineno or left.lineno, prior)

    def with_own_ends(self, candidate: Candidate) -> Candidate:
        """Return an edit whose new lines end as those of the file do."""
        if b"\n" not in candidate.replacement or not self._has_crlf:
            return candidate
        return attrs.evolve(candidate, replacement=_BARE_END.sub(b"\r\n", candidate.replacement))

    def takes(self, candidate: Candidate) -> bool:
        """Return whether an edit changes the text, and leaves it Python."""
        is_same = self.data[candidate.start : candidate.end] == candidate.replacement
        return not is_same and self.parses(candidate)

    def parses(self, candidate: Candidate) -> bool:
        """Return whether the function around an edit, or else the file, is still Python with it."""
        first, last = self._around(candidate.line)
        start = min(self._starts[first - 1], candidate.start)
        end = max(self._starts[last] if last < len(self._starts) else len(self.data), candidate.end)
        text = self.data[start : candidate.start] + candidate.replacement + self.data[candidate.end : end]
        # Below a condition a text may be indented, as methods are.
        text = b"if 1:\n" + text if text[:1] in (b" ", b"\t") else text
        try:
            parse_python(text.decode(self._encoding or "utf-8"))
        except (SyntaxError, UnicodeDecodeError):
            return False
        return True

    def _around(self, line: int) -> tuple[int, int]:
        """Return the lines, 1-based, of the smallest function on a line, or else of the whole file."""
        spans = self.once("spans", self._spans)
        return min(
            (span for span in spans if span[0] <= line <= span[1]),
            key=lambda span: span[1] - span[0],
            default=(1, len(self._starts)),
        )

    def _spans(self) -> list[tuple[int, int]]:
        found = []
        for node in ast.walk(self.tree):
            if isinstance(node, Function):
                first = min([node.lineno, *(item.lineno for item in node.decorator_list)])
                found.append((first, node.end_lineno or node.lineno))
        return found

    def apply(self, candidate: Candidate) -> bytes:
        """Return the file with one edit made."""
        return self.data[: candidate.start] + candidate.replacement + self.data[candidate.end :]

    def expressions(self, lines: set[int]) -> Iterator[ast.AST]:
        """Yield the nodes whose own first line, or whose statement's, is among `lines`."""
        for node in ast.walk(self.tree):
            line = getattr(node, "lineno", None)
            if line is None:
                continue
            statement = self.statement(node)
            if line in lines or (statement is not None and statement.lineno in lines):
                yield node
