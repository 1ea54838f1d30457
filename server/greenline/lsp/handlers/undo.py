"""`agent/undo`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from greenline.lsp import protocol
from greenline.lsp.editor import ClientEditor
from greenline.lsp.present import undo_result

if TYPE_CHECKING:
    from greenline.lsp.server import GreenlineServer


METHOD = protocol.UNDO


async def handle(ls: GreenlineServer, params: protocol.UndoParams) -> protocol.UndoResult:
    """Take changes back, never over what the user did since."""
    undone = await ls.session.undo(params.proposal_id, params.checkpoint_id, ClientEditor(ls))
    return undo_result(undone)
