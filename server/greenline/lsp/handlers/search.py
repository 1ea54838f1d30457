"""`agent/search`, which is reserved."""

from __future__ import annotations

from typing import TYPE_CHECKING

from greenline.core.error import GreenlineError
from greenline.lsp import protocol

if TYPE_CHECKING:
    from greenline.lsp.server import GreenlineServer


METHOD = protocol.SEARCH


async def handle(ls: GreenlineServer, params: protocol.SearchParams) -> protocol.StateResult:
    """Say what to do instead."""
    raise GreenlineError(
        "agent/search is not available in this version.",
        remedy="Use the editor's own search over the workspace.",
        code="notAvailable",
    )
