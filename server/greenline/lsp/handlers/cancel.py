"""`agent/cancel`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from greenline.lsp import protocol

if TYPE_CHECKING:
    from greenline.lsp.server import GreenlineServer


METHOD = protocol.CANCEL


async def handle(ls: GreenlineServer, params: protocol.RunParams) -> protocol.StateResult:
    """Cancel a run; answered once nothing of it is running."""
    session = ls.session
    session.run(params.run_id)
    return protocol.StateResult((await session.agent.cancel(params.run_id)).value)
