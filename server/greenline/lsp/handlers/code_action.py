"""`textDocument/codeAction`: ask the agent, and decide about pending hunks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lsprotocol import types

from greenline.lsp.convert import to_path
from greenline.lsp.offer import OFFERED_KINDS, code_actions

if TYPE_CHECKING:
    from greenline.lsp.server import GreenlineServer


METHOD = types.TEXT_DOCUMENT_CODE_ACTION
OPTIONS = types.CodeActionOptions(code_action_kinds=OFFERED_KINDS, resolve_provider=False)


def handle(ls: GreenlineServer, params: types.CodeActionParams) -> list[types.CodeAction | types.Command]:
    """Return what can be done here; plain commands for clients without action literals."""
    actions = code_actions(ls.session, to_path(params.text_document.uri), params)
    document = ls.client_capabilities.text_document
    if document and document.code_action and document.code_action.code_action_literal_support:
        return [*actions]
    return [action.command for action in actions if action.command]
