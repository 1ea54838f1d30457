"""The values that the index holds; all are frozen, and none of them carries a file's text."""

from __future__ import annotations

from enum import Enum

import attrs


class SymbolKind(Enum):
    """What a symbol is, in the words that all languages share."""

    MODULE = "module"
    CLASS = "class"
    INTERFACE = "interface"
    ENUM = "enum"
    FUNCTION = "function"
    METHOD = "method"
    TYPE = "type"
    VARIABLE = "variable"
    FIELD = "field"
    HEADING = "heading"
    """A section of a document."""
    KEY = "key"
    """A key of a configuration file."""
    SELECTOR = "selector"
    """A rule of a style sheet."""


class SkipReason(Enum):
    """Why a file of the workspace is not in the index."""

    BINARY = "binary"
    MINIFIED = "minified"
    GENERATED = "generated"
    TOO_LARGE = "tooLarge"
    IGNORED = "ignored"
    SECRET = "secret"
    ALIAS = "alias"
    """A link to a file that is indexed under its own name."""
    LINK = "link"
    """A link that leads to no indexed file: broken, to a folder, or outside."""
    UNREADABLE = "unreadable"


@attrs.frozen
class File:
    """One version of a file; the live one is what the workspace holds now."""

    id: int
    root: str
    """Absolute path of the workspace's folder."""
    path: str
    """Relative to `root`, with `/`."""
    language: str
    """A grammar's name, `python`, or `text` for what is split by lines."""
    content_hash: bytes
    """BLAKE2b-128 of the bytes, or of the buffer's text as UTF-8."""
    size: int
    """Bytes of UTF-8 text."""
    n_lines: int
    from_buffer: bool = False
    """Whether the text came from an open buffer and not from the disk."""


@attrs.frozen
class Chunk:
    """A part of a live file that follows the syntax, at most 400 tokens long."""

    id: int
    """The key of its rows in the text and vector indexes; the same text in the same file keeps its id."""
    file: File
    ordinal: int
    """Its place among the file's chunks, from 0; chunks are in the order of the text and never overlap."""
    start_line: int
    """1-based."""
    end_line: int
    """1-based, inclusive."""
    start_byte: int
    """Into the file's text as UTF-8, without a byte order mark."""
    end_byte: int
    """Exclusive."""
    symbol: str
    """Dotted name of what it defines or lies in, `Upload.send`; empty at the top of a file."""
    kind: str
    """A `SymbolKind`'s value, or `text`."""
    n_tokens: int
    """Estimated; see `greenline.index.token`."""


@attrs.frozen
class Symbol:
    """A definition in a live file."""

    file: File
    name: str
    container: str
    """Dotted names that enclose it; empty at the top."""
    kind: SymbolKind
    line: int
    """1-based line of the name."""
    start_line: int
    end_line: int
    """1-based, inclusive."""

    @property
    def qualified(self) -> str:
        """The name with what encloses it."""
        return f"{self.container}.{self.name}" if self.container else self.name


@attrs.frozen
class Import:
    """What a live file takes from another module."""

    file: File
    module: str
    """As written, without quotes: `..core.error`, `./store`, `std::fs`, `stdio.h`."""
    names: tuple[str, ...]
    """What is taken from it by name, in order; empty for the module itself."""
    line: int


@attrs.frozen
class Reference:
    """One place where a name is used."""

    file: File
    name: str
    line: int
    """1-based."""
    column: int
    """0-based, in characters."""
    kind: str
    """`definition`, `call`, `import` or `mention`."""
    chunk: Chunk


@attrs.frozen
class Scored:
    """A chunk of a live file, by how well it fits a query; higher is better."""

    chunk_id: int
    score: float


@attrs.frozen
class Skipped:
    """A file that is not indexed, and why."""

    root: str
    path: str
    reason: SkipReason
    detail: str = ""
    """For an alias the file that it leads to; else one fact, such as the length of the longest line."""


@attrs.frozen
class Stats:
    """What the index holds and what it costs."""

    n_files: int
    n_chunks: int
    n_symbols: int
    n_imports: int
    n_vectors: int
    n_skipped: int
    n_pending: int
    """Files known to be missing or outdated in the index."""
    source_bytes: int
    """Text of the live files."""
    index_bytes: int
    """The index file, without its log."""
    waste: float
    """Share of the index that no live file uses: kept versions and free pages, 0 to 1."""
    languages: tuple[tuple[str, int], ...]
    """Files per language, most first."""

    @property
    def completeness(self) -> float:
        """Share of the files that are indexed as they are now, 0 to 1."""
        return self.n_files / (self.n_files + self.n_pending) if self.n_files + self.n_pending else 1.0
