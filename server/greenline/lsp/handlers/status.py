"""`agent/status`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from greenline.lsp import protocol

if TYPE_CHECKING:
    from greenline.lsp.server import GreenlineServer


METHOD = protocol.STATUS


async def handle(ls: GreenlineServer, params: protocol.StatusParams | None) -> protocol.StatusResult:
    """Return what the server can do now."""
    return await ls.status()
