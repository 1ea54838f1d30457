"""`agent/respond`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from greenline.lsp import protocol

if TYPE_CHECKING:
    from greenline.lsp.server import GreenlineServer


METHOD = protocol.RESPOND


async def handle(ls: GreenlineServer, params: protocol.RespondParams) -> protocol.RespondResult:
    """Hand an answer to the run that waits for it."""
    session = ls.session
    session.run(params.run_id)
    await session.agent.answer(params.run_id, params.checkpoint_id, params.decision, params.note)
    return protocol.RespondResult(session.run(params.run_id).state.value)
