"""`agent/revisePlan`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from greenline.core.error import InvalidInput
from greenline.lsp import protocol

if TYPE_CHECKING:
    from greenline.lsp.server import GreenlineServer


METHOD = protocol.REVISE_PLAN


async def handle(ls: GreenlineServer, params: protocol.RevisePlanParams) -> protocol.RevisePlanResult:
    """Return the next version of a plan."""
    if (params.instruction is None) == (params.plan is None):
        raise InvalidInput(
            "agent/revisePlan needs either instruction or plan.", remedy="Give exactly one of the two."
        )
    change = params.plan if params.plan is not None else params.instruction or ""
    return protocol.RevisePlanResult(await ls.session.revise_plan(params.run_id, change))
