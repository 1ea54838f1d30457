"""`textDocument/hover`: diff, why and evidence of a change, pending or accepted."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lsprotocol import types

from greenline.lsp.convert import to_path
from greenline.lsp.why import tell

if TYPE_CHECKING:
    from greenline.lsp.server import GreenlineServer


METHOD = types.TEXT_DOCUMENT_HOVER


async def handle(ls: GreenlineServer, params: types.HoverParams) -> types.Hover | None:
    """Return what is known about the line."""
    path, line = to_path(params.text_document.uri), params.position.line
    told = await tell(ls.session, path, line, line)
    return (
        None if told is None else types.Hover(types.MarkupContent(types.MarkupKind.Markdown, told.markdown))
    )
