"""`agent/verify`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from greenline.lsp import protocol
from greenline.lsp.present import proposal_info
from greenline.lsp.work import verify_again

if TYPE_CHECKING:
    from greenline.lsp.server import GreenlineServer


METHOD = protocol.VERIFY


async def handle(ls: GreenlineServer, params: protocol.VerifyParams) -> protocol.VerifyResult:
    """Measure anew what is accepted of a proposal, in the text as it is."""
    proposal = await verify_again(ls, params.proposal_id, params.work_done_token)
    return protocol.VerifyResult(proposal_info(ls.session, proposal))
