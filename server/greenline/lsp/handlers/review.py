"""`agent/review`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from greenline.lsp import protocol
from greenline.lsp.decision import Decision
from greenline.lsp.editor import ClientEditor
from greenline.lsp.present import review_result

if TYPE_CHECKING:
    from greenline.lsp.server import GreenlineServer


METHOD = protocol.REVIEW


async def handle(ls: GreenlineServer, params: protocol.ReviewParams) -> protocol.ReviewResult:
    """Apply and reject hunks, all or nothing."""
    decisions = [Decision(d.hunk_id, d.decision == "accept", d.comment) for d in params.decisions]
    return review_result(await ls.session.review(params.proposal_id, decisions, ClientEditor(ls)))
