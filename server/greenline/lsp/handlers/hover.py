"""`textDocument/hover`: a pending hunk's diff, why and evidence."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lsprotocol import types

from greenline.lsp.convert import to_path
from greenline.lsp.render import hunk_markdown

if TYPE_CHECKING:
    from greenline.lsp.server import GreenlineServer


METHOD = types.TEXT_DOCUMENT_HOVER


def handle(ls: GreenlineServer, params: types.HoverParams) -> types.Hover | None:
    """Return what is proposed for the line."""
    path, line = to_path(params.text_document.uri), params.position.line
    items = ls.session.pending_at(path, line, line)
    if not items:
        return None
    text = "\n\n---\n\n".join(hunk_markdown(item) for item in items)
    return types.Hover(types.MarkupContent(types.MarkupKind.Markdown, text))
