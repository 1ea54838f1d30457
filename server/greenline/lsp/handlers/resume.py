"""`agent/resume`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from greenline.lsp import protocol

if TYPE_CHECKING:
    from greenline.lsp.server import GreenlineServer


METHOD = protocol.RESUME


async def handle(ls: GreenlineServer, params: protocol.RunParams) -> protocol.StateResult:
    """Continue a paused, cancelled or interrupted run."""
    session = ls.session
    session.run(params.run_id)
    return protocol.StateResult((await session.agent.resume(params.run_id, session.overlays())).value)
