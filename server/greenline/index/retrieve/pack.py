"""Hits → text for a prompt within a budget of tokens, never cutting a definition in the middle.

What is packed is a chunk that cuts no function (of a class, whole members), or else the whole definition
around it, or, where that does not fit, the lines that announce it. The text is data of the workspace: whoever
puts it into a prompt marks it as such.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import attrs

from greenline.index.chunk import Chunk, File, Symbol
from greenline.index.retrieve.retriever import Hit
from greenline.index.source import Source, read_source
from greenline.index.store import IndexStore
from greenline.index.token import count_tokens
from greenline.workspace.regular import read_regular

TextOf = Callable[[File], bytes | None]
"""Returns a file's text as it was indexed, or None where it is another by now."""

_HEADER_TOKENS = 24
"""For the line that names a part's place."""


@attrs.frozen
class Part:
    """Whole lines of one file."""

    file: File
    start_line: int
    """1-based."""
    end_line: int
    """1-based, inclusive."""
    symbol: str
    text: str
    is_whole: bool = True
    """False where only the beginning of a definition is shown because the whole did not fit."""


@attrs.frozen
class Packed:
    """What fitted."""

    parts: tuple[Part, ...]
    """By rank of the best hit in each file, then by line; parts of one file do not overlap."""
    n_tokens: int
    """Estimated, headers included; at most the budget."""
    n_left_out: int
    """Hits that nothing is shown of."""

    def text(self) -> str:
        """Return the parts one below the other, each under a line with its place."""
        return "\n".join(
            f"{part.file.path}:{part.start_line}-{part.end_line}"
            + (f" {part.symbol}" if part.symbol else "")
            + ("" if part.is_whole else " (its beginning)")
            + f"\n{part.text}"
            for part in self.parts
        )


def text_on_disk(file: File) -> bytes | None:
    """Return a file's text from the disk where that is what was indexed; buffers are others' to read."""
    try:
        source = read_source(file.path, read_regular(Path(file.root, file.path)))
    except OSError:
        return None
    if not isinstance(source, Source) or source.content_hash != file.content_hash:
        return None
    return source.text


def pack(
    store: IndexStore, hits: Sequence[Hit], budget_tokens: int, text_of: TextOf = text_on_disk
) -> Packed:
    """Take the hits in their order while the budget lasts."""
    packer = _Packer(store, budget_tokens, text_of)
    n_left_out = sum(not packer.take(hit.chunk) for hit in hits)
    return Packed(packer.parts(), packer.n_tokens, n_left_out)


class _Packer:
    def __init__(self, store: IndexStore, budget_tokens: int, text_of: TextOf) -> None:
        self._store = store
        self._budget = budget_tokens
        self._text_of = text_of
        self._lines: dict[int, list[str] | None] = {}
        self._symbols: dict[int, list[Symbol]] = {}
        self._parts: dict[int, list[Part]] = {}
        self.n_tokens = 0

    def take(self, chunk: Chunk) -> bool:
        """Show a chunk, or what of it can be shown; return whether anything of it is shown now."""
        lines = self._lines_of(chunk.file)
        if lines is None:
            return False
        first, last, symbol = self._whole(chunk)
        if any(p.is_whole and p.start_line <= first and last <= p.end_line for p in self._of(chunk.file)):
            return True
        if self._add(chunk.file, first, last, symbol, lines, is_whole=True):
            return True
        announced = self._announcement(chunk.file, first, last, lines)
        return self._add(chunk.file, first, announced, symbol, lines, is_whole=False)

    def parts(self) -> tuple[Part, ...]:
        """Return what was taken."""
        return tuple(
            part for parts in self._parts.values() for part in sorted(parts, key=lambda p: p.start_line)
        )

    def _whole(self, chunk: Chunk) -> tuple[int, int, str]:
        """Widen a chunk until no definition begins in it and ends outside, or the other way round."""
        first, last, name = chunk.start_line, chunk.end_line, chunk.symbol
        symbols = self._symbols.get(chunk.file.id)
        if symbols is None:
            symbols = self._symbols[chunk.file.id] = self._store.symbols_of(chunk.file.id)
        changed = True
        while changed:
            changed = False
            for symbol in symbols:
                start, end = symbol.start_line, symbol.end_line
                crosses = start < first <= end < last or first < start <= last < end
                # A chunk inside a definition that holds nothing smaller is a piece of it.
                is_piece = start <= first and last <= end and (start, end) != (first, last)
                if crosses or (is_piece and not _has_inner(symbols, symbol, first, last)):
                    first, last, name = min(first, start), max(last, end), symbol.qualified
                    changed = True
        return first, last, name

    def _announcement(self, file: File, first: int, last: int, lines: Sequence[str]) -> int:
        """Return the last line of what announces a definition: its signature, no nested definition."""
        inner = [s.start_line for s in self._symbols.get(file.id, []) if first < s.start_line <= last]
        return min([*(line - 1 for line in inner), _signature_end(lines, first, last)])

    def _add(
        self, file: File, first: int, last: int, symbol: str, lines: Sequence[str], *, is_whole: bool
    ) -> bool:
        text = "\n".join(lines[first - 1 : last])
        covered = [p for p in self._of(file) if first <= p.start_line and p.end_line <= last]
        freed = sum(count_tokens(p.text.encode()) + _HEADER_TOKENS for p in covered)
        n_tokens = count_tokens(text.encode()) + _HEADER_TOKENS
        overlaps = any(
            p not in covered and p.start_line <= last and first <= p.end_line for p in self._of(file)
        )
        if overlaps or self.n_tokens - freed + n_tokens > self._budget:
            return False
        kept = [p for p in self._of(file) if p not in covered]
        self._parts[file.id] = [*kept, Part(file, first, last, symbol, text, is_whole)]
        self.n_tokens += n_tokens - freed
        return True

    def _of(self, file: File) -> list[Part]:
        return self._parts.get(file.id, [])

    def _lines_of(self, file: File) -> list[str] | None:
        if file.id not in self._lines:
            text = self._text_of(file)
            self._lines[file.id] = None if text is None else text.decode("utf-8", "replace").split("\n")
        return self._lines[file.id]


def _has_inner(symbols: Sequence[Symbol], outer: Symbol, first: int, last: int) -> bool:
    """Return whether a range holds definitions within `outer`, and so is no mere piece of its body."""
    return any(
        s is not outer
        and outer.start_line <= s.start_line
        and s.end_line <= outer.end_line
        and (s.start_line, s.end_line) != (outer.start_line, outer.end_line)
        and s.start_line <= last
        and first <= s.end_line
        for s in symbols
    )


_MAX_SIGNATURE_LINES = 12


def _signature_end(lines: Sequence[str], first: int, last: int) -> int:
    """Return the line where the brackets of a definition's first line are closed again."""
    depth = 0
    for number in range(first, min(last, first + _MAX_SIGNATURE_LINES) + 1):
        line = lines[number - 1]
        depth += sum(line.count(c) for c in "([") - sum(line.count(c) for c in ")]")
        if depth <= 0 and line.strip() and not line.lstrip().startswith("@"):
            return number
    return first
