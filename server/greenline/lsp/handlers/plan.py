"""`agent/plan`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from greenline.lsp import protocol
from greenline.lsp.present import task_context
from greenline.lsp.work import plan_task

if TYPE_CHECKING:
    from greenline.lsp.server import GreenlineServer


METHOD = protocol.PLAN


async def handle(ls: GreenlineServer, params: protocol.PlanParams) -> protocol.PlanResult:
    """Plan a task, or return the questions that come first."""
    task = ls.session.task(params.request, task_context(ls.session, params.context), params.constraints)
    planned = await plan_task(ls, task, params.work_done_token)
    return protocol.PlanResult(planned.run_id, planned.plan, planned.questions)
