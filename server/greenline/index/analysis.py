"""One file's text → everything that the index holds of it; a pure function of path, text and grammar."""

from __future__ import annotations

import hashlib
import re
from bisect import bisect_left
from collections.abc import Sequence
from typing import TYPE_CHECKING, TypeVar

import attrs
import numpy as np

from greenline.index.chunker import Part, split
from greenline.index.grammar import TEXT, grammar
from greenline.index.syntax import Call, Definition, ImportedModule, Lines, Syntax, read_syntax
from greenline.index.term import split_terms

if TYPE_CHECKING:
    from tree_sitter import Parser, Tree

MAX_PARSED_BYTES = 512 * 1024
"""Longer texts are split by lines."""
_SLICE_BYTES = 16 * 1024
_MAX_READS = 2000
"""How often a parser may ask for the text; files of two large projects needed 20 at most."""
_MAX_READS_OF_SLICE = 100
_MAX_NESTING = 500
_BRACKETS = bytes(1 if code in b"([{" else 255 if code in b")]}" else 0 for code in range(256))
_MAX_SIGNATURE = 200
_SPACES = re.compile(r"\s+")

_Placed = TypeVar("_Placed", Call, ImportedModule)


@attrs.frozen
class ChunkDraft:
    """A chunk before it has an id; the columns are already split into words."""

    hash: int
    """64 bits, signed, over all that is indexed of it; the same text elsewhere in the file has the same."""
    symbol: str
    kind: str
    part: Part
    name_terms: str
    doc_terms: str
    body_terms: str
    calls: str
    imports: str
    embedded: str
    """What an embedder reads: a line `# path symbol`, enclosing signatures, and the text."""


@attrs.frozen
class Analysis:
    """What one version of a file holds."""

    language: str
    size: int
    """Bytes of UTF-8 text."""
    n_lines: int
    definitions: tuple[Definition, ...]
    imports: tuple[ImportedModule, ...]
    chunks: tuple[ChunkDraft, ...]


def parse(source: bytes, language: str, old: Tree | None = None) -> Tree | None:
    """Return the text's tree; None for a language without a grammar, and for what would take too long.

    `old` is the edited tree of an earlier version; where either has errors all is parsed again, since what a
    parser makes of errors depends on where it began.
    """
    if language == TEXT or len(source) > MAX_PARSED_BYTES or _nesting(source) > _MAX_NESTING:
        return None
    parser = grammar(language).parser()
    if old is not None and not old.root_node.has_error:
        tree = _parse_within_limit(parser, source, old)
        if tree is not None and not tree.root_node.has_error:
            return tree
    return _parse_within_limit(parser, source, None)


def _parse_within_limit(parser: Parser, source: bytes, old: Tree | None) -> Tree | None:
    """Parse, or give up where the parser goes back and forth in the text; the same text always ends alike.

    A comment that is opened ten thousand times and never closed takes minutes: each opening is read to the
    end of the text. The parser knows no limit of its own, but it asks for the text.
    """
    n_left = _MAX_READS + _MAX_READS_OF_SLICE * (len(source) // _SLICE_BYTES)

    def read(offset: int, _point: object) -> bytes:
        nonlocal n_left
        n_left -= 1
        # An early end of the text makes the parser finish; what it returns then is thrown away.
        return source[offset : offset + _SLICE_BYTES] if n_left >= 0 else b""

    tree = parser.parse(read) if old is None else parser.parse(read, old)
    return tree if n_left >= 0 else None


def _nesting(source: bytes) -> int:
    """Return how deep brackets nest, as far as shows without a grammar; queries crawl on deep trees."""
    steps = np.frombuffer(source.translate(_BRACKETS), dtype=np.int8)
    return int(np.cumsum(steps, dtype=np.int32).max(initial=0))


def analyse(path: str, source: bytes, language: str, tree: Tree | None) -> Analysis:
    """Return what the index holds of a text (UTF-8, without a byte order mark) and its tree."""
    lines = Lines(source)
    syntax = Syntax() if tree is None else read_syntax(grammar(language), tree, lines)
    parts = split(lines, None if tree is None else tree.root_node)
    drafts = _Drafts(path, source, syntax)
    return Analysis(
        language=language,
        size=len(source),
        n_lines=len(lines) if source else 0,
        definitions=syntax.definitions,
        imports=syntax.imports,
        chunks=tuple(drafts.draft(part) for part in parts),
    )


class _Drafts:
    """Takes what lies in each part from the file's sorted lists; parts come in order."""

    def __init__(self, path: str, source: bytes, syntax: Syntax) -> None:
        self._path = path
        self._source = source
        self._syntax = syntax
        self._starts = [definition.start_byte for definition in syntax.definitions]
        self._call_lines = [call.line for call in syntax.calls]
        self._import_lines = [imported.line for imported in syntax.imports]
        self._doc_starts = [start for start, _ in syntax.docs]
        self._open: list[Definition] = []
        self._next = 0

    def draft(self, part: Part) -> ChunkDraft:
        """Return the chunk of the next part."""
        enclosing = self._enclosing(part)
        inside = self._definitions_in(part)
        text = self._cut(part.start_byte, part.end_byte)
        signatures = [self._signature(definition) for definition in enclosing]
        symbol, kind = _named(enclosing, inside)
        names = [definition.name for definition in (*enclosing, *inside)]
        calls = _between(self._syntax.calls, self._call_lines, part)
        imports = _between(self._syntax.imports, self._import_lines, part)
        doc, body = self._separate(part)
        header = f"# {self._path} {symbol}".rstrip()
        embedded = "\n".join([header, *signatures, text])
        called = " ".join(dict.fromkeys(call.name for call in calls))
        imported = " ".join(dict.fromkeys(w for i in imports for w in _import_words(i)))
        return ChunkDraft(
            hash=_hash(embedded, kind, " ".join(names), doc, called, imported),
            symbol=symbol,
            kind=kind,
            part=part,
            name_terms=split_terms(" ".join(names)),
            doc_terms=split_terms(doc),
            body_terms=split_terms(" ".join([*signatures, body])),
            calls=called,
            imports=imported,
            embedded=embedded,
        )

    def _enclosing(self, part: Part) -> list[Definition]:
        """Return the definitions that began before the part and hold its start, from the outside in."""
        definitions = self._syntax.definitions
        while self._next < len(definitions) and self._starts[self._next] < part.start_byte:
            self._open.append(definitions[self._next])
            self._next += 1
        self._open = [definition for definition in self._open if definition.end_byte > part.start_byte]
        return self._open

    def _definitions_in(self, part: Part) -> Sequence[Definition]:
        first = bisect_left(self._starts, part.start_byte)
        return self._syntax.definitions[first : bisect_left(self._starts, part.end_byte)]

    def _separate(self, part: Part) -> tuple[str, str]:
        """Return the part's comments and docstrings, and the rest."""
        docs: list[str] = []
        rest: list[str] = []
        at = part.start_byte
        first = max(0, bisect_left(self._doc_starts, part.start_byte) - 1)
        for start, end in self._syntax.docs[first:]:
            if start >= part.end_byte:
                break
            if end <= at:
                continue
            start, end = max(start, at), min(end, part.end_byte)
            rest.append(self._cut(at, start))
            docs.append(self._cut(start, end))
            at = end
        rest.append(self._cut(at, part.end_byte))
        return " ".join(docs), " ".join(rest)

    def _signature(self, definition: Definition) -> str:
        end = min(definition.signature_end, definition.start_byte + 4 * _MAX_SIGNATURE)
        return _SPACES.sub(" ", self._cut(definition.start_byte, end)).strip()[:_MAX_SIGNATURE]

    def _cut(self, start: int, end: int) -> str:
        return self._source[start:end].decode("utf-8", "replace")


def _named(enclosing: Sequence[Definition], inside: Sequence[Definition]) -> tuple[str, str]:
    """Return a chunk's symbol and kind: what it defines alone, or what all that it defines lies in."""
    if inside:
        first = inside[0]
        if all(definition.end_byte <= first.end_byte for definition in inside):
            return _qualified(first), first.kind.value
        largest = max(inside, key=lambda d: (d.end_byte - d.start_byte, -d.start_byte))
        return _qualified(largest), largest.kind.value
    if enclosing:
        return _qualified(enclosing[-1]), enclosing[-1].kind.value
    return "", TEXT


def _qualified(definition: Definition) -> str:
    return f"{definition.container}.{definition.name}" if definition.container else definition.name


def _between(items: Sequence[_Placed], lines: Sequence[int], part: Part) -> Sequence[_Placed]:
    return items[bisect_left(lines, part.start_line) : bisect_left(lines, part.end_line + 1)]


def _import_words(imported: ImportedModule) -> list[str]:
    return [*re.findall(r"[\w$]+", imported.module), *imported.names]


def _hash(*pieces: str) -> int:
    data = "\0".join(pieces).encode("utf-8", "replace")
    return int.from_bytes(hashlib.blake2b(data, digest_size=8).digest(), "big", signed=True)
