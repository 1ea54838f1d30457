"""`workspace/symbol`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lsprotocol import types

from greenline.lsp.found import symbol_information

if TYPE_CHECKING:
    from greenline.lsp.server import GreenlineServer


METHOD = types.WORKSPACE_SYMBOL
_LIMIT = 200


async def handle(ls: GreenlineServer, params: types.WorkspaceSymbolParams) -> list[types.SymbolInformation]:
    """Return definitions whose name holds the query."""
    found = await ls.session.index.symbols(params.query, _LIMIT)
    return [symbol_information(ls.session, hit, ls.encoding) for hit in found]
