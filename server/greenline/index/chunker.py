"""A file's text → parts that follow its syntax, cover it without overlap, and hold at most 400 tokens.

A definition that is large enough stands alone; small neighbours share a part; what is too large is cut
between its children, then between lines, and at last inside a line.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import attrs

from greenline.index.syntax import Lines
from greenline.index.token import MAX_TOKENS, count_tokens, quarters_before

if TYPE_CHECKING:
    from tree_sitter import Node

CHUNKER_STAMP = "1"
"""Changes with anything that changes where chunks begin or what is indexed of them."""

_ALONE_TOKENS = 150
"""A definition of this size is found better without its neighbours."""
_QUARTERS = 4 * MAX_TOKENS
_MAX_PIECE_BYTES = 1200
_MAX_DEPTH = 64
"""Chains of operators nest as deep as they are long; below this, lines are cut."""
_DEFINING = ("definition", "declaration", "function", "class", "_item", "method", "section", "export")


@attrs.frozen
class Part:
    """A range of whole lines, or of bytes within one line; lines are 1-based and inclusive."""

    start_byte: int
    end_byte: int
    start_line: int
    end_line: int
    n_tokens: int


def split(lines: Lines, root: Node | None) -> list[Part]:
    """Return the parts of a text in order; parts of nothing but blank lines are left out.

    Without a tree the text is cut by lines.
    """
    splitter = _Splitter(lines)
    spans = splitter.spans(0, len(lines), root)
    return [part for span in splitter.merged(spans) for part in splitter.parts(*span)]


_Span = tuple[int, int, bool]
"""First line (0-based), line after the last, and whether it is a definition of its own."""


class _Splitter:
    def __init__(self, lines: Lines) -> None:
        self._lines = lines
        self._sums = quarters_before(lines.source, lines.starts)

    def spans(self, first: int, after: int, node: Node | None, depth: int = 0) -> Iterator[_Span]:
        """Cut a range of lines until every span fits or cannot be cut by the tree any more."""
        if self._size(first, after) <= _QUARTERS or node is None or depth > _MAX_DEPTH:
            yield first, after, False
            return
        cuts = self._cuts(first, after, node)
        for i, (start, child) in enumerate(cuts):
            end = cuts[i + 1][0] if i + 1 < len(cuts) else after
            size = self._size(start, end)
            if size > _QUARTERS:
                yield from self.spans(start, end, child, depth + 1)
            else:
                yield start, end, size >= 4 * _ALONE_TOKENS and _is_definition(child)

    def merged(self, spans: Iterator[_Span]) -> Iterator[tuple[int, int]]:
        """Join small neighbours while they fit into one part."""
        first = after = -1
        for start, end, alone in spans:
            if first >= 0 and (alone or self._size(first, end) > _QUARTERS):
                yield first, after
                first = -1
            if alone:
                yield start, end
                continue
            if first < 0:
                first = start
            after = end
        if first >= 0:
            yield first, after

    def parts(self, first: int, after: int) -> Iterator[Part]:
        """Return a span without blank lines around it, cut by lines where it is too large."""
        # A list of what is left and no recursion: a large table is cut a thousand times.
        left = [(first, after)]
        while left:
            first, after = self._without_blanks(*left.pop())
            if first == after:
                continue
            if self._size(first, after) <= _QUARTERS:
                yield self._part(first, after)
                continue
            middle = self._middle(first, after)
            if middle is None:
                yield from self._pieces(first)
            else:
                left += [(middle, after), (first, middle)]

    def _without_blanks(self, first: int, after: int) -> tuple[int, int]:
        lines = self._lines.lines
        while first < after and not lines[first].strip():
            first += 1
        while after > first and not lines[after - 1].strip():
            after -= 1
        return first, after

    def _cuts(self, first: int, after: int, node: Node) -> list[tuple[int, Node | None]]:
        """Return the lines where a node's children begin, comments counted to what follows them."""
        cuts: list[tuple[int, Node | None]] = []
        last = -1
        glued = False
        for child in node.children:
            start = self._lines.line_of(child.start_byte) - 1
            end = self._lines.line_of(max(child.start_byte, child.end_byte - 1)) - 1
            if start >= after:
                break
            if end < first:
                continue
            if not cuts:
                cuts.append((first, child))
            elif start > last and not glued:
                cuts.append((start, child))
            elif _length(child) > _length(cuts[-1][1]) or glued:
                cuts[-1] = (cuts[-1][0], child)
            glued = start > last and "comment" in child.type
            last = max(last, end)
        return cuts or [(first, None)]

    def _size(self, first: int, after: int) -> int:
        return self._sums[after] - self._sums[first]

    def _part(self, first: int, after: int) -> Part:
        start = self._lines.starts[first]
        end = self._lines.starts[after]
        return Part(start, end, first + 1, after, (self._size(first, after) + 3) // 4)

    def _middle(self, first: int, after: int) -> int | None:
        """Return where to cut lines: as late as fits, and rather before a blank line or less indentation."""
        if after - first < 2:
            return None
        last = first + 1
        while last + 1 < after and self._size(first, last + 1) <= _QUARTERS:
            last += 1
        lines = self._lines.lines
        candidates = range(max(first + 1, last - (last - first) // 3), last + 1)
        return max(candidates, key=lambda n: (not lines[n - 1].strip(), -_indent(lines[n]), n))

    def _pieces(self, line: int) -> Iterator[Part]:
        """Cut one long line between characters."""
        start, end = self._lines.starts[line], self._lines.starts[line + 1]
        source = self._lines.source
        for piece_start, piece_end in _cut_bytes(source, start, end):
            yield Part(
                piece_start, piece_end, line + 1, line + 1, count_tokens(source[piece_start:piece_end])
            )


def _cut_bytes(source: bytes, start: int, end: int) -> Iterator[tuple[int, int]]:
    while start < end:
        size = min(_MAX_PIECE_BYTES, end - start)
        while count_tokens(source[start : start + size]) > MAX_TOKENS:
            size = size * 3 // 4
        stop = start + size
        while stop < end and source[stop] & 0xC0 == 0x80:
            stop -= 1
        yield start, stop
        start = stop


def _indent(line: bytes) -> int:
    return len(line) - len(line.lstrip())


def _length(node: Node | None) -> int:
    return 0 if node is None else node.end_byte - node.start_byte


def _is_definition(node: Node | None) -> bool:
    return node is not None and any(word in node.type for word in _DEFINING)
