"""`agent/undo`, which is reserved."""

from __future__ import annotations

from typing import TYPE_CHECKING

from greenline.core.error import GreenlineError
from greenline.lsp import protocol

if TYPE_CHECKING:
    from greenline.lsp.server import GreenlineServer


METHOD = protocol.UNDO


async def handle(ls: GreenlineServer, params: protocol.UndoParams) -> protocol.StateResult:
    """Say what to do instead."""
    raise GreenlineError(
        "agent/undo is not available in this version.",
        remedy="Use the editor's own undo: an accepted proposal is one step of it.",
        code="notAvailable",
    )
