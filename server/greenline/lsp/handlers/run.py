"""`agent/run`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from greenline.lsp import protocol
from greenline.lsp.present import event_params, run_info

if TYPE_CHECKING:
    from greenline.lsp.server import GreenlineServer


METHOD = protocol.RUN


async def handle(ls: GreenlineServer, params: protocol.RunHistoryParams) -> protocol.RunResult:
    """Return a run and its journal after a sequence number."""
    session = ls.session
    run = session.run(params.run_id)
    events = tuple(event_params(event) for event in session.journal.events(run.id, params.after))
    return protocol.RunResult(run_info(session, run), events)
