"""`textDocument/didOpen`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lsprotocol import types

from greenline.lsp.work import take_document

if TYPE_CHECKING:
    from greenline.lsp.server import GreenlineServer


METHOD = types.TEXT_DOCUMENT_DID_OPEN


def handle(ls: GreenlineServer, params: types.DidOpenTextDocumentParams) -> None:
    """Take the document's text."""
    take_document(ls, params.text_document.uri)
