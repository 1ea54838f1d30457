"""`textDocument/codeLens`: accept and reject above each pending hunk."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lsprotocol import types

from greenline.lsp.convert import to_path
from greenline.lsp.offer import review_commands
from greenline.lsp.present import shown_range

if TYPE_CHECKING:
    from greenline.lsp.server import GreenlineServer


METHOD = types.TEXT_DOCUMENT_CODE_LENS
OPTIONS = types.CodeLensOptions(resolve_provider=False)


def handle(ls: GreenlineServer, params: types.CodeLensParams) -> list[types.CodeLens]:
    """Return four lenses for each pending hunk."""
    session, path = ls.session, to_path(params.text_document.uri)
    return [
        types.CodeLens(shown_range(session, path, item.placed or item.hunk, ls.encoding), command)
        for item in session.pending(path)
        for command in review_commands(item)
    ]
