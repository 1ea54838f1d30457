"""`agent/runs`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from greenline.core.error import InvalidInput
from greenline.lsp import protocol
from greenline.lsp.present import run_info

if TYPE_CHECKING:
    from greenline.lsp.server import GreenlineServer


METHOD = protocol.RUNS


async def handle(ls: GreenlineServer, params: protocol.RunsParams) -> protocol.RunsResult:
    """Return a page of runs, newest first."""
    if not 1 <= params.limit <= 1000:
        raise InvalidInput(f"limit is {params.limit}.", remedy="Ask for 1 to 1000 runs.")
    session = ls.session
    return protocol.RunsResult(
        tuple(run_info(session, run) for run in session.journal.runs(params.limit, params.before))
    )
