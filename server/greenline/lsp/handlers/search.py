"""`agent/search`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from greenline.lsp import protocol
from greenline.lsp.found import search_hit

if TYPE_CHECKING:
    from greenline.lsp.server import GreenlineServer


METHOD = protocol.SEARCH


async def handle(ls: GreenlineServer, params: protocol.SearchParams) -> protocol.SearchResult:
    """Search the index; says where that was not complete."""
    answer = await ls.session.index.search(params.query, params.limit, params.kinds, params.path)
    return protocol.SearchResult(
        tuple(search_hit(hit) for hit in answer.hits), answer.completeness, answer.note
    )
