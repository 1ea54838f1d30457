"""`workspace/textDocumentContent`: the read-only documents that the server shows."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lsprotocol import types

from greenline.lsp.work import virtual_document

if TYPE_CHECKING:
    from greenline.lsp.server import GreenlineServer


METHOD = types.WORKSPACE_TEXT_DOCUMENT_CONTENT


def handle(ls: GreenlineServer, params: types.TextDocumentContentParams) -> types.TextDocumentContentResult:
    """Return the document's text."""
    return types.TextDocumentContentResult(virtual_document(ls, params.uri))
