"""From a task to a plan that somebody can approve: by the model and its critic, or by the repair engine."""

from __future__ import annotations

import attrs

from greenline.agent.critic import judge
from greenline.agent.dialogue import Dialogue, Stopped, data
from greenline.agent.intent import asks_for_repair
from greenline.agent.planner import Draft, continue_draft, describe, describe_plan, draft_plan
from greenline.agent.scope import Scope, no_model
from greenline.agent.services import Services, ToolSession
from greenline.core.agent_port import Question
from greenline.core.error import ModelFailed
from greenline.core.port import Model
from greenline.core.task import Plan, Task

_MAP_TOKENS = 1500
"""Of the planner's first message: as much as two files that it then need not search for."""


def check_servable(services: Services, task: Task) -> None:
    """Raise `NoModel` where nobody here can serve the task."""
    if services.model is None and (services.repairer is None or not asks_for_repair(task.request)):
        raise no_model(task.request)


def make_plan(scope: Scope) -> Plan | tuple[Question, ...]:
    """Return version 1 of the plan, or the questions that come first."""
    services = scope.services
    check_servable(services, scope.task)
    scope.say_unused(services.model)
    if services.model is not None:
        return _by_model(scope, services.model, describe(scope.task), version=1)
    assert services.repairer is not None
    plan = services.repairer.plan(
        scope.task, scope.snapshot, scope.run_id, scope.control.cancellation, scope.recorder.command
    )
    return attrs.evolve(plan, version=1, score=None, engine="repair")


def revise_plan(scope: Scope, plan: Plan, instruction: str) -> Plan:
    """Return the next version of a plan by the user's instruction; raises `NoModel`."""
    model = scope.services.model
    if model is None:
        raise no_model(instruction)
    first = (
        f"{describe(scope.task)}\n\nThe plan so far:\n{describe_plan(plan)}\n\n"
        f"The user wants this plan changed:\n{instruction}"
    )
    made = _by_model(scope, model, first, plan.version + 1)
    if isinstance(made, Plan):
        return made
    raise ModelFailed(
        f"The model asks instead of changing the plan: {made[0].text}",
        remedy="Say it in the instruction, or edit the plan yourself.",
    )


def _by_model(scope: Scope, model: Model, first: str, version: int) -> Plan | tuple[Question, ...]:
    services = scope.services
    session = services.tools(scope.snapshot, services.gate(scope.snapshot.roots), scope.asking, scope.run_id)
    dialogue = scope.dialogue(model)
    outline = session.outline(scope.task.request, _MAP_TOKENS, scope.control.cancellation)
    if outline:
        first = f"{first}\n\nWhat of the project may matter:\n{data('map of the project', outline)}"
    try:
        draft = draft_plan(
            dialogue, first, session, scope.control, scope.recorder, services.limits.max_same_calls
        )
        if draft.questions:
            return draft.questions
        return _judged(scope, dialogue, session, Plan(version, draft.entries, draft.risk))
    except Stopped as stopped:
        raise ModelFailed(
            f"Planning stopped ({stopped.reason.value}). {stopped.note}".strip(),
            remedy="Ask for less at once, or raise the limits.",
        ) from stopped


def _judged(scope: Scope, dialogue: Dialogue, session: ToolSession, plan: Plan) -> Plan:
    """Return the plan with the critic's score, written anew once where the score is low."""
    critic = scope.services.critic or scope.services.model
    assert critic is not None
    judgement = judge(scope.dialogue(critic), scope.task, plan, scope.control.cancellation)
    plan = attrs.evolve(plan, score=judgement.score, remarks=judgement.problems)
    if judgement.is_good_enough:
        return plan
    problems = "\n".join(f"- {problem}" for problem in judgement.problems)
    dialogue.tell(f"A critic gave the plan {judgement.score} of 10. Hand in a better one.\n{problems}")
    limit = scope.services.limits.max_same_calls
    draft: Draft = continue_draft(dialogue, session, scope.control, scope.recorder, limit)
    if not draft.entries:
        return plan
    better = Plan(plan.version, draft.entries, draft.risk)
    judgement = judge(scope.dialogue(critic), scope.task, better, scope.control.cancellation)
    return attrs.evolve(better, score=judgement.score, remarks=judgement.problems)
