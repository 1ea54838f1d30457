"""What the index found as LSP values."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lsprotocol import types

from greenline.core.index_port import IndexHit, SymbolHit
from greenline.edit.text import split_lines
from greenline.lsp import protocol
from greenline.lsp.convert import Encoding, to_uri

if TYPE_CHECKING:
    from greenline.lsp.session import Session


def search_hit(hit: IndexHit) -> protocol.SearchHit:
    """Return a hit with its lines as a range."""
    return protocol.SearchHit(
        uri=to_uri(hit.path),
        range=types.Range(types.Position(hit.start_line - 1, 0), types.Position(hit.end_line, 0)),
        symbol=hit.symbol,
        kind=hit.kind,
        score=hit.score,
        sources=hit.sources,
    )


def symbol_information(session: Session, hit: SymbolHit, encoding: Encoding) -> types.SymbolInformation:
    """Return a definition at its name; in an open document as it is there."""
    before = hit.before
    if session.is_open(hit.path) and (now := session.current(hit.path)) is not None:
        lines = split_lines(now.text)
        line = lines[hit.line] if hit.line < len(lines) else ""
        before = line[: max(0, line.find(hit.name))]
    start = encoding.units(before)
    end = start + encoding.units(hit.name)
    where = types.Range(types.Position(hit.line, start), types.Position(hit.line, end))
    return types.SymbolInformation(
        location=types.Location(to_uri(hit.path), where),
        name=hit.name,
        kind=_SYMBOL_KINDS.get(hit.kind, types.SymbolKind.Variable),
        container_name=hit.container or None,
    )


_SYMBOL_KINDS = {
    "module": types.SymbolKind.Module,
    "class": types.SymbolKind.Class,
    "interface": types.SymbolKind.Interface,
    "enum": types.SymbolKind.Enum,
    "function": types.SymbolKind.Function,
    "method": types.SymbolKind.Method,
    "type": types.SymbolKind.Struct,
    "variable": types.SymbolKind.Variable,
    "field": types.SymbolKind.Field,
    "heading": types.SymbolKind.String,
    "key": types.SymbolKind.Key,
    "selector": types.SymbolKind.String,
}
