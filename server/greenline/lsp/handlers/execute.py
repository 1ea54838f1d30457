"""`agent/execute`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from greenline.core.error import InvalidInput
from greenline.core.task import Task
from greenline.lsp import protocol
from greenline.lsp.present import proposal_info, task_context
from greenline.lsp.work import execute_run

if TYPE_CHECKING:
    from greenline.lsp.server import GreenlineServer


METHOD = protocol.EXECUTE


async def handle(ls: GreenlineServer, params: protocol.ExecuteParams) -> protocol.ExecuteResult:
    """Execute a planned run, or plan and execute a request."""
    if (params.run_id is None) == (params.request is None):
        raise InvalidInput(
            "agent/execute needs either runId or request.", remedy="Give exactly one of the two."
        )
    session = ls.session
    run: str | Task = params.run_id or session.task(
        params.request or "", task_context(session, params.context), params.constraints
    )
    done = await execute_run(ls, run, params.work_done_token)
    proposal = None if done.proposal is None else proposal_info(session, done.proposal)
    return protocol.ExecuteResult(done.id, done.state.value, proposal, done.note)
