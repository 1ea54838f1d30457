"""`agent/explain`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from greenline.core.error import InvalidInput
from greenline.lsp import protocol
from greenline.lsp.convert import to_path
from greenline.lsp.work import explain_lines

if TYPE_CHECKING:
    from greenline.lsp.server import GreenlineServer


METHOD = protocol.EXPLAIN


async def handle(ls: GreenlineServer, params: protocol.ExplainParams) -> protocol.ExplainResult:
    """Say what is known about a place in a document."""
    if params.range is not None:
        first, last = params.range.start.line, params.range.end.line
    elif params.position is not None:
        first = last = params.position.line
    else:
        raise InvalidInput("agent/explain needs position or range.", remedy="Give one of the two.")
    return await explain_lines(ls.session, to_path(params.text_document.uri), first, last)
