"""`textDocument/codeLens`: accept and reject above each pending hunk."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lsprotocol import types

from greenline.lsp.convert import to_path
from greenline.lsp.offer import review_commands
from greenline.lsp.present import shown_lines, shown_range

if TYPE_CHECKING:
    from greenline.lsp.server import GreenlineServer


METHOD = types.TEXT_DOCUMENT_CODE_LENS
OPTIONS = types.CodeLensOptions(resolve_provider=False)


def handle(ls: GreenlineServer, params: types.CodeLensParams) -> list[types.CodeLens]:
    """Return the decisions about each pending hunk as lenses."""
    session, path = ls.session, to_path(params.text_document.uri)
    items = session.pending(path)
    if not items:
        return []
    lines = shown_lines(session, path, ls.encoding)
    return [
        types.CodeLens(shown_range(lines, item.shown), command)
        for item in items
        for command in review_commands(item)
    ]
