"""The run loop: edit, verify, reflect, until the change is proven or a bound is reached."""

from __future__ import annotations

import attrs

from greenline.agent.carry import carry_over
from greenline.agent.dialogue import Stopped
from greenline.agent.executor import pause_point, work
from greenline.agent.planner import describe, describe_plan
from greenline.agent.prompts import prompt
from greenline.agent.proof import cut, prove
from greenline.agent.reflector import Attempt, better, reflect
from greenline.agent.scope import Scope
from greenline.agent.services import RepairJob
from greenline.core.edit import EditSet
from greenline.core.error import ModelFailed
from greenline.core.evidence import Evidence
from greenline.core.port import Model
from greenline.core.task import Plan, RunState, StopReason

NOTHING_EDITED = (
    "You have edited nothing yet. Make the edits of the plan with the tools, and then answer without a call."
)


def run_model(scope: Scope, plan: Plan, model: Model) -> tuple[Attempt | None, StopReason, str]:
    """Return the best attempt, why the loop ended, and the model's last words."""
    services = scope.services
    session = services.tools(scope.snapshot, services.gate(scope.snapshot.roots), scope.asking, scope.run_id)
    dialogue = scope.dialogue(model)
    dialogue.begin(prompt("execute"), f"{describe(scope.task)}\n\nThe plan:\n{describe_plan(plan)}")
    best: Attempt | None = None
    previous: Attempt | None = None
    summary = ""
    for iteration in range(1, services.limits.max_iterations + 1):
        stop, note = StopReason.DONE, ""
        try:
            summary = work(dialogue, session, scope.control, scope.recorder, services.limits.max_same_calls)
        except Stopped as stopped:
            stop, note = stopped.reason, stopped.note
        except ModelFailed as error:
            if best is None:
                raise
            scope.recorder.error(error)
            return best, StopReason.ERROR, summary
        edit_set = session.edit_set()
        if edit_set.changes:
            attempt = verify(scope, plan, edit_set, summary, iteration)
            best = better(best, attempt)
            lesson = reflect(attempt, previous)
            previous = attempt
        else:
            lesson = NOTHING_EDITED if iteration == 1 else StopReason.NO_PROGRESS
        if stop is not StopReason.DONE:
            return best, stop, note or summary
        if isinstance(lesson, StopReason):
            return best, lesson, summary
        dialogue.tell(lesson)
    return best, StopReason.MAX_ITERATIONS, summary


def run_repair(scope: Scope, plan: Plan) -> tuple[Attempt | None, StopReason, str]:
    """Let the repair engine search; return its fix as an attempt."""
    services = scope.services
    assert services.repairer is not None
    pause_point(scope.control, scope.recorder)
    job = RepairJob(
        scope.task,
        plan,
        scope.snapshot,
        scope.run_id,
        scope.control.cancellation,
        scope.recorder.command,
        lambda: pause_point(scope.control, scope.recorder),
    )
    found = services.repairer.repair(job)
    if found.attempt is None:
        return None, StopReason.NO_FIX_FOUND, found.note
    attempt = found.attempt
    scope.recorder.edits(attempt.hunks, 1)
    scope.recorder.evidence(attempt.evidence, 1)
    carried = carry_over(scope.snapshot, attempt.edit_set)
    if not carried.lost and carried.edit_set != attempt.edit_set:
        # One that lost its place cannot land; what was measured of it stays true if its text comes back.
        anew = verify(scope, plan, carried.edit_set, attempt.summary, 2)
        attempt = attrs.evolve(anew, alternatives=attempt.alternatives)
    return attempt, StopReason.DONE, found.note


def verify(
    scope: Scope,
    plan: Plan,
    edit_set: EditSet,
    summary: str,
    iteration: int,
) -> Attempt:
    """Test a staged change on the files as they are now, and go back to `executing`."""
    recorder = scope.recorder
    pause_point(scope.control, recorder)
    carried = carry_over(scope.snapshot, edit_set)
    edit_set = carried.edit_set
    hunks = cut(scope.snapshot, edit_set, plan, summary)
    recorder.edits(hunks, iteration)
    recorder.state(RunState.VERIFYING)
    evidence: Evidence = (
        carried.stale()
        if carried.lost
        else prove(
            scope.services, scope.snapshot, edit_set, hunks, plan, recorder, scope.control.cancellation
        )
    )
    recorder.evidence(evidence, iteration)
    recorder.state(RunState.EXECUTING)
    return Attempt(edit_set, hunks, evidence, summary)
