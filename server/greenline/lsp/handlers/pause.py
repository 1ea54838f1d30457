"""`agent/pause`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from greenline.lsp import protocol

if TYPE_CHECKING:
    from greenline.lsp.server import GreenlineServer


METHOD = protocol.PAUSE


async def handle(ls: GreenlineServer, params: protocol.RunParams) -> protocol.StateResult:
    """Pause a run before its next step."""
    session = ls.session
    session.run(params.run_id)
    return protocol.StateResult((await session.agent.pause(params.run_id)).value)
