"""Between the wire and the domain: URIs and paths, and positions in three encodings.

The domain counts lines from 0 and columns in code points. Only `\\n`, `\\r\\n` and a lone `\\r` end a line.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterable, Sequence
from pathlib import Path
from urllib.parse import quote, unquote, urlsplit

import attrs
from lsprotocol import types

from greenline.core.error import InvalidInput
from greenline.edit.text import line_end, split_lines, without_end
from greenline.lsp.lines import lines_of, starts_of


def to_path(uri: str) -> str:
    """Return the absolute path of a `file:` URI; raises `InvalidInput` for any other."""
    parts = urlsplit(uri)
    path = unquote(parts.path)
    if parts.scheme != "file" or not path.startswith("/") or "\0" in path:
        raise InvalidInput(f"{uri!r} is not a file URI.", remedy="Name a document as file:///absolute/path.")
    return os.path.normpath(path)


def file_paths(uris: Iterable[str]) -> list[str]:
    """Return the paths of the `file:` URIs among these."""
    paths = []
    for uri in uris:
        with contextlib.suppress(InvalidInput):
            paths.append(to_path(uri))
    return paths


def to_uri(path: str) -> str:
    """Return the `file:` URI of an absolute path."""
    return "file://" + quote(path, safe="/~")


@attrs.frozen
class Encoding:
    """The unit in which the client counts columns."""

    name: str = types.PositionEncodingKind.Utf16.value

    def units(self, text: str) -> int:
        """Return the length of `text` in the client's units."""
        if text.isascii() or self.name == types.PositionEncodingKind.Utf32.value:
            return len(text)
        if self.name == types.PositionEncodingKind.Utf8.value:
            return len(text.encode("utf-8", "surrogatepass"))
        return len(text.encode("utf-16-le", "surrogatepass")) // 2

    def column(self, line: str, units: int) -> int:
        """Return the code point column of a client column; one inside a character is the one before it."""
        body = without_end(line)
        if body.isascii() or self.name == types.PositionEncodingKind.Utf32.value:
            return max(0, min(units, len(body)))
        seen = 0
        for column, character in enumerate(body):
            seen += self.units(character)
            if seen > units:
                return column
        return len(body)


@attrs.define(frozen=True, eq=False)
class Lines:
    """A text cut into lines, for turning positions into offsets and back."""

    encoding: Encoding
    text: str
    lines: Sequence[str]
    """With their line ends; a text that ends in a line end has an empty last line after it."""

    @classmethod
    def of(cls, text: str, encoding: Encoding) -> Lines:
        """Cut a text."""
        lines = lines_of(text)
        return cls(encoding, text, lines if lines and not line_end(lines[-1]) else [*lines, ""])

    @property
    def starts(self) -> Sequence[int]:
        """Offset of each line, and for a text that does not end in a line end, of its end."""
        return starts_of(self.text)

    def offset(self, position: types.Position) -> int:
        """Return the offset of a client position; one past the end is the end."""
        if position.line >= len(self.lines):
            return len(self.text)
        line = self.lines[position.line]
        return self.starts[position.line] + self.encoding.column(line, position.character)

    def position(self, offset: int) -> types.Position:
        """Return the client position of an offset."""
        row = self.row(offset)
        before = self.lines[row][: offset - self.starts[row]]
        return types.Position(row, self.encoding.units(before))

    def row(self, offset: int) -> int:
        """Return the line that holds an offset."""
        low, high = 0, len(self.lines)
        while high - low > 1:
            middle = (low + high) // 2
            if self.starts[middle] <= offset:
                low = middle
            else:
                high = middle
        return low

    def line_range(self, start: int, end: int) -> types.Range:
        """Return the range of lines `start` … `end` (exclusive), never past the last line that has text.

        An empty span is shown as the whole line before which it stands, or the last one.
        """
        last = max(0, len(self.lines) - 1)
        if last and not self.lines[last]:
            last -= 1
        first = max(0, min(start, last))
        final = max(first, min(end - 1, last))
        width = self.encoding.units(without_end(self.lines[final]))
        return types.Range(types.Position(first, 0), types.Position(final, width))


@attrs.frozen
class Replaced:
    """Lines `old` from line `start` on, in whose place a change put the lines `new`; all others stayed."""

    start: int
    old: Sequence[str]
    new: Sequence[str]


def edited(
    lines: Sequence[str], change: types.TextDocumentContentChangeEvent, encoding: Encoding
) -> tuple[Sequence[str], Replaced | None]:
    """Return a text's lines after one change, and which of them it replaced; None: the whole text.

    Lines that it does not touch are the same objects.
    """
    if not isinstance(change, types.TextDocumentContentChangePartial):
        return split_lines(change.text), None
    known = [*lines, ""] if not lines or line_end(lines[-1]) else list(lines)
    first, head, _ = _cut(known, change.range.start, encoding)
    last, _, tail = _cut(known, change.range.end, encoding)
    if last < first or (last == first and len(head) + len(tail) > len(known[first])):
        last, _, tail = _cut(known, change.range.start, encoding)
    put_in = head + change.text
    piece, last = put_in + tail, last + 1
    # A carriage return and a newline that came together are one line end now.
    if first and piece.startswith("\n") and known[first - 1].endswith("\r"):
        first -= 1
        piece = known[first] + piece
    if last < len(known) and piece.endswith("\r") and known[last].startswith("\n"):
        piece += known[last]
        last += 1
    old, new = [line for line in known[first:last] if line], split_lines(piece)
    known[first:last] = new
    if known and not known[-1]:
        known.pop()
    if old[-1:] == new[-1:] and (not put_in or line_end(put_in)):
        # Nothing was put in front of what is left of the last line, and that is all of it.
        old, new = old[:-1], new[:-1]
    if old and new and old[0] == new[0] and head == without_end(old[0]):
        first, old, new = first + 1, old[1:], new[1:]
    return known, Replaced(first, old, new)


def _cut(lines: Sequence[str], position: types.Position, encoding: Encoding) -> tuple[int, str, str]:
    """Return the row of a position, and what stands before and after it there; past the end is the end."""
    if position.line >= len(lines):
        return len(lines) - 1, lines[-1], ""
    line = lines[position.line]
    column = encoding.column(line, position.character)
    return position.line, line[:column], line[column:]


def root_paths(folders: Sequence[types.WorkspaceFolder] | None, root: str | None) -> tuple[str, ...]:
    """Return the roots of an `initialize`: the folders, or the one root of older clients."""
    uris = [folder.uri for folder in folders or ()] or ([root] if root else [])
    return tuple(dict.fromkeys(to_path(uri) for uri in uris))


def without_whole_disk(roots: Sequence[str]) -> tuple[tuple[str, ...], str]:
    """Return the roots but the top of the file system, and what to tell the user where it was among them."""
    kept = tuple(root for root in roots if Path(root) != Path(root).parent)
    if len(kept) == len(roots):
        return kept, ""
    return kept, "The whole file system is no workspace for Greenline. Open the project's folder."


def real(path: str) -> str:
    """Return a path with its links resolved, whether or not it exists."""
    return str(Path(path).resolve())


def encoding_name(kind: types.PositionEncodingKind | str | None) -> str:
    """Return the wire name of a negotiated encoding."""
    if kind is None:
        return types.PositionEncodingKind.Utf16.value
    return kind.value if isinstance(kind, types.PositionEncodingKind) else kind
