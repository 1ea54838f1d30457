"""Joins changed lines that make no sense apart: where one of them alone would break the syntax. Pure."""

from __future__ import annotations

import ast
import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import PurePosixPath

from greenline.edit.fact import python_tree
from greenline.edit.hunk import Group, Span, apart

_MAX_LINES = 100_000
"""How many lines of one file may be parsed to try its spans one by one."""
_BRACES = re.compile(
    r"\.(js|jsx|ts|tsx|mjs|cjs|json|jsonc|go|rs|java|kt|scala|swift|c|h|cc|cpp|hpp|cs|php|dart|zig)$"
    r"|\.(css|scss|tf|py|pyi|lua|toml)$"
)
_PAIRS = {"(": ")", "[": "]", "{": "}"}
_Works = Callable[[Span], bool]
"""Whether a span alone leaves the text as sound as it was."""


def sensible(path: str) -> Group:
    """Return how the spans of a file become hunks."""
    name = PurePosixPath(path).name
    if name.endswith((".py", ".pyi")):
        return _python
    return _balanced if _BRACES.search(name) else apart


def _python(before: Sequence[str], after: Sequence[str], spans: Sequence[Span]) -> Sequence[Span]:
    if len(spans) < 2:
        return spans
    tree = python_tree("".join(before))
    if tree is None or python_tree("".join(after)) is None:
        return _balanced(before, after, spans)
    starts = [_first_line(statement) for statement in tree.body]
    regions = [_region(span, starts, len(before)) for span in spans]
    if sum(end - start for start, end in regions) > _MAX_LINES:
        return _balanced(before, after, spans)
    return _joined(spans, partial(_parses, before, after, starts))


def _parses(before: Sequence[str], after: Sequence[str], starts: Sequence[int], span: Span) -> bool:
    """Return whether the statements around a span are Python with that span alone."""
    start, end = _region(span, starts, len(before))
    pieces = [*before[start : span.start], *after[span.to_start : span.to_end], *before[span.end : end]]
    return python_tree("".join(pieces)) is not None


def _region(span: Span, starts: Sequence[int], n_lines: int) -> tuple[int, int]:
    """Return the lines of the module's own statements that a span touches."""
    first = bisect_right(starts, max(span.start - 1, 0)) - 1
    last = bisect_left(starts, max(span.end, span.start + 1))
    return starts[first] if first >= 0 else 0, starts[last] if last < len(starts) else n_lines


def _first_line(statement: ast.stmt) -> int:
    decorators: list[ast.expr] = getattr(statement, "decorator_list", [])
    return min([statement.lineno, *(d.lineno for d in decorators)]) - 1


def _balanced(before: Sequence[str], after: Sequence[str], spans: Sequence[Span]) -> Sequence[Span]:
    def works(span: Span) -> bool:
        return _brackets(before[span.start : span.end]) == _brackets(after[span.to_start : span.to_end])

    if len(spans) < 2 or not works(Span(0, len(before), 0, len(after))):
        return spans
    return _joined(spans, works)


def _brackets(lines: Sequence[str]) -> dict[str, int]:
    counts = Counter("".join(lines))
    return {opening: counts[opening] - counts[closing] for opening, closing in _PAIRS.items()}


def _joined(spans: Sequence[Span], works: _Works) -> Sequence[Span]:
    """Join each span that does not work alone with its nearer neighbours, until it does."""
    found: list[Span] = []
    left = list(spans)
    while left:
        span = left.pop(0)
        while not works(span) and (left or found):
            gap = left[0].start - span.end if left else None
            back = span.start - found[-1].end if found else None
            if gap is not None and (back is None or gap <= back or not works(_join(found[-1], span))):
                span = _join(span, left.pop(0))
            else:
                span = _join(found.pop(), span)
        found.append(span)
    return found


def _join(one: Span, other: Span) -> Span:
    return Span(one.start, other.end, one.to_start, other.to_end)
