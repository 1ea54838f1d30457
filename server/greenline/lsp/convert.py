"""Between the wire and the domain: URIs and paths, and positions in three encodings.

The domain counts lines from 0 and columns in code points. Only `\\n`, `\\r\\n` and a lone `\\r` end a line.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from urllib.parse import quote, unquote, urlsplit

import attrs
from lsprotocol import types

from greenline.core.error import InvalidInput
from greenline.edit.text import split_lines, without_end


def to_path(uri: str) -> str:
    """Return the absolute path of a `file:` URI; raises `InvalidInput` for any other."""
    parts = urlsplit(uri)
    path = unquote(parts.path)
    if parts.scheme != "file" or not path.startswith("/") or "\0" in path:
        raise InvalidInput(f"{uri!r} is not a file URI.", remedy="Name a document as file:///absolute/path.")
    return os.path.normpath(path)


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


@attrs.frozen
class Lines:
    """A text cut into lines, for turning positions into offsets and back."""

    encoding: Encoding
    lines: tuple[str, ...]
    """With their line ends; a text that ends in a line end has an empty last line after it."""
    starts: tuple[int, ...]
    """Offset of each line."""

    @classmethod
    def of(cls, text: str, encoding: Encoding) -> Lines:
        """Cut a text."""
        lines: list[str] = split_lines(text)
        if not lines or without_end(lines[-1]) != lines[-1]:
            lines = [*lines, ""]
        starts = [0]
        for line in lines[:-1]:
            starts.append(starts[-1] + len(line))
        return cls(encoding, tuple(lines), tuple(starts))

    def offset(self, position: types.Position) -> int:
        """Return the offset of a client position; one past the end is the end."""
        if position.line >= len(self.lines):
            return self.starts[-1] + len(self.lines[-1])
        line = self.lines[position.line]
        return self.starts[position.line] + self.encoding.column(line, position.character)

    def position(self, offset: int) -> types.Position:
        """Return the client position of an offset."""
        row = self.row(offset)
        before = self.lines[row][: offset - self.starts[row]]
        return types.Position(row, self.encoding.units(before))

    def row(self, offset: int) -> int:
        """Return the line that holds an offset."""
        low, high = 0, len(self.starts)
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


def apply_changes(
    text: str, changes: Sequence[types.TextDocumentContentChangeEvent], encoding: Encoding
) -> str:
    """Return the text after the changes of one `didChange`, in order."""
    for change in changes:
        if isinstance(change, types.TextDocumentContentChangePartial):
            lines = Lines.of(text, encoding)
            start, end = lines.offset(change.range.start), lines.offset(change.range.end)
            text = text[:start] + change.text + text[max(start, end) :]
        else:
            text = change.text
    return text


def root_paths(folders: Sequence[types.WorkspaceFolder] | None, root: str | None) -> tuple[str, ...]:
    """Return the roots of an `initialize`: the folders, or the one root of older clients."""
    uris = [folder.uri for folder in folders or ()] or ([root] if root else [])
    return tuple(dict.fromkeys(to_path(uri) for uri in uris))


def real(path: str) -> str:
    """Return a path with its links resolved, whether or not it exists."""
    return str(Path(path).resolve())


def encoding_name(kind: types.PositionEncodingKind | str | None) -> str:
    """Return the wire name of a negotiated encoding."""
    if kind is None:
        return types.PositionEncodingKind.Utf16.value
    return kind.value if isinstance(kind, types.PositionEncodingKind) else kind
