"""What an edit changes in how a file looks, as numbers of a table."""

from __future__ import annotations

import ast
import re
import zlib
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable

from greenline.mutation.natural.shape import parameters, shapes
from greenline.mutation.natural.token import runs

SIZE = 1 << 18
"""How many numbers there are; what falls on the same one is taken for the same."""
_LINE_END = re.compile(r"\r\n|\r|\n|\Z")
"""As the parser counts lines."""
_Function = ast.FunctionDef | ast.AsyncFunctionDef

Edit = tuple[int, int, str]
"""Characters `start` … `end` and what they become."""


class Looks:
    """How one Python file looks; raises `SyntaxError` where it is none."""

    def __init__(self, text: str) -> None:
        tree = ast.parse(text)
        self._text = text
        self._known = parameters(tree)
        self._starts = [0]
        self._starts += [match.end() for match in _LINE_END.finditer(text)]
        self._spans = [
            (
                min([node.lineno, *(item.lineno for item in node.decorator_list)]),
                node.end_lineno or node.lineno,
            )
            for node in ast.walk(tree)
            if isinstance(node, _Function)
        ]
        self._shapes: dict[tuple[int, int], Counter[str]] = {}

    def change(self, edit: Edit) -> Counter[int]:
        """Return number → how many more of it there are with an edit made."""
        start, end, replacement = edit
        found = runs(self._text, start, end, replacement)
        first, last = self._around(start)
        last = max(last, end)
        after = self._shapes_of(self._text[first:start] + replacement + self._text[end:last])
        before = self._shapes.get((first, last))
        if before is None:
            before = self._shapes[first, last] = self._shapes_of(self._text[first:last])
        found.update(after)
        found.subtract(before)
        return _numbers(found.items())

    def _around(self, place: int) -> tuple[int, int]:
        """Return where the smallest function around a character begins and ends, or else the file."""
        line = bisect_right(self._starts, place)
        span = min(
            (span for span in self._spans if span[0] <= line <= span[1]),
            key=lambda span: span[1] - span[0],
            default=None,
        )
        return (self._starts[span[0] - 1], self._starts[span[1]]) if span else (0, len(self._text))

    def _shapes_of(self, text: str) -> Counter[str]:
        text = "if 1:\n" + text if text[:1] in (" ", "\t") else text
        try:
            return shapes(ast.parse(text), self._known)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return Counter()


def _numbers(found: Iterable[tuple[str, int]]) -> Counter[int]:
    numbers: Counter[int] = Counter()
    for text, count in found:
        if count:
            numbers[zlib.crc32(text.encode("utf-8", "backslashreplace")) % SIZE] += count
    return numbers
