"""`textDocument/didSave`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lsprotocol import types

from greenline.core.error import InvalidInput
from greenline.lsp.convert import to_path

if TYPE_CHECKING:
    from greenline.lsp.server import GreenlineServer


METHOD = types.TEXT_DOCUMENT_DID_SAVE


def handle(ls: GreenlineServer, params: types.DidSaveTextDocumentParams) -> None:
    """Let the index look at the file, and remember where accepted hunks are in it."""
    try:
        path = to_path(params.text_document.uri)
    except InvalidInput:
        return
    ls.session.disk_changed([path])
    ls.session.accepted.saved(path)
