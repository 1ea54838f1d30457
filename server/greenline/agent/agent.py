"""The agent: plans and executes runs, each on the caller's thread, many at once.

Invariants: the journal holds every state before anybody is told of it; the user's files are never written;
and a run that stops working is in a state of rest before the call that worked on it returns.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import attrs

from greenline.agent.control import Answer, RunControl
from greenline.agent.dialogue import TurnBudget
from greenline.agent.follow_up import following_up
from greenline.agent.limits import Meter
from greenline.agent.live import CANCEL_WAIT_S, LiveRuns
from greenline.agent.loop import run_model, run_repair
from greenline.agent.planning import check_servable, make_plan, revise_plan
from greenline.agent.proof import checks_of, prove_again
from greenline.agent.record import Recorder, masked_task
from greenline.agent.reflector import Attempt
from greenline.agent.scope import Scope, no_model
from greenline.agent.services import Services
from greenline.agent.standing import RESUMABLE, STARTABLE, wrong_state
from greenline.core.agent_port import Planned, Question
from greenline.core.cancel import Cancellation
from greenline.core.edit import EditSet
from greenline.core.error import Cancelled, GreenlineError, NotFound, WrongState
from greenline.core.event import RESUMED
from greenline.core.evidence import Evidence, Outcome, Verdict
from greenline.core.ids import new_id
from greenline.core.task import ACTIVE, EntryStatus, Plan, Proposal, RunState, StopReason, Task
from greenline.workspace.encoding import decode
from greenline.workspace.snapshot import Snapshot

_log = logging.getLogger(__name__)

_PAUSE_WAIT_S = 1.0


@attrs.define
class _Unclear:
    """A task whose planning waits for answers while no thread works on it."""

    task: Task
    snapshot: Snapshot
    questions: tuple[Question, ...]
    answers: dict[str, Answer] = attrs.field(factory=dict)


class Agent:
    """Every method blocks and may be called from any thread."""

    def __init__(self, services: Services) -> None:
        self._services = services
        self._journal = services.journal
        self._lock = threading.Lock()
        self._live = LiveRuns()
        self._unclear: dict[str, _Unclear] = {}
        self._spent_usd = 0.0

    @property
    def services(self) -> Services:
        """The parts that the agent works with."""
        return self._services

    @property
    def spent_usd(self) -> float:
        """What the models have cost since the agent was made."""
        with self._lock:
            return self._spent_usd

    # --- work ------------------------------------------------------------------------------------------

    def plan(self, task: Task, snapshot: Snapshot, cancellation: Cancellation) -> Planned:
        """Create a run and plan it; raises `ModelFailed`, `Cancelled`, or at once `NoModel`."""
        check_servable(self._services, task)
        run_id, task = self._create(task)
        return self._plan_run(self._live.enter(run_id, cancellation), task, snapshot)

    def revise(self, run_id: str, change: str | Plan, snapshot: Snapshot, cancellation: Cancellation) -> Plan:
        """Return the next version of a run's plan: by an instruction, or as the user wrote it."""
        run = self._journal.run(run_id)
        if run.plan is None or run.state not in STARTABLE:
            raise wrong_state(
                f"The plan of {run_id} cannot be changed while the run is {run.state.value}.", run.state
            )
        if isinstance(change, str) and self._services.model is None:
            raise no_model(change)
        if self._live.control(run_id) is not None:
            raise WrongState(
                f"The run {run_id} is being worked on by its plan.", remedy="Cancel it, then change the plan."
            )
        if isinstance(change, Plan):
            plan = attrs.evolve(
                change, version=run.plan.version + 1, score=None, remarks=(), engine=run.plan.engine
            )
            plan = Recorder(self._journal, run_id, self._services.mask).clean(plan)
            self._journal.save_plan(run_id, plan)
            return plan
        control = self._live.enter(run_id, cancellation)
        with self._working(control, run.task, snapshot, rest=run.state) as scope:
            scope.recorder.state(RunState.PLANNING)
            plan = revise_plan(scope, run.plan, change)
            scope.recorder.plan(plan)
            scope.recorder.state(RunState.AWAITING_APPROVAL)
            return plan

    def execute(self, run: str | Task, snapshot: Snapshot, cancellation: Cancellation) -> str:
        """Execute a planned run, or plan and execute a task; return the run id once the run is at rest.

        Raises what stopped it, after it is in the journal: `ModelFailed`, `Cancelled`, `InvalidInput`.
        """
        if isinstance(run, Task):
            check_servable(self._services, run)
            run_id, task = self._create(run)
            with self._working(self._live.enter(run_id, cancellation), task, snapshot) as scope:
                plan = self._plan_with_answers(scope)
                self._carry_out(scope, plan)
            return run_id
        known = self._journal.run(run)
        if known.plan is None or known.state not in STARTABLE:
            state = None if known.plan is None else known.state
            raise wrong_state(f"The run {run} is {known.state.value} and cannot be executed.", state)
        self._execute_run(self._live.enter(run, cancellation), known.task, known.plan, snapshot)
        return run

    def verify(
        self, proposal: Proposal, edit_set: EditSet, snapshot: Snapshot, cancellation: Cancellation
    ) -> Evidence:
        """Measure anew a change whose result is the snapshot; the run keeps its state."""
        plan = self._journal.run(proposal.run_id).plan or Plan(1, ())
        recorder = Recorder(self._journal, proposal.run_id, self._services.mask)
        evidence = prove_again(
            self._services, snapshot, edit_set, proposal.hunks, plan, recorder, cancellation
        )
        recorder.evidence(evidence, 0)
        # As in a run: the tables of executed lines are large, and the journal keeps evidence for ever.
        return recorder.clean(evidence.without_coverage())

    # --- steering --------------------------------------------------------------------------------------

    def answer(self, run_id: str, question_id: str, answer: Answer) -> None:
        """Answer what a run waits for; raises `NotFound`.

        The last answer that an unclear task waits for starts its planning again, on a thread of the agent.
        """
        control = self._live.control(run_id)
        with self._lock:
            unclear = self._unclear.get(run_id)
        if control is not None:
            control.answer(question_id, answer)
            return
        if unclear is None or question_id not in {question.id for question in unclear.questions}:
            self._journal.run(run_id)
            raise _not_asked(run_id, question_id)
        with self._lock:
            unclear.answers[question_id] = answer
            is_last = len(unclear.answers) == len(unclear.questions)
            if is_last and self._unclear.pop(run_id, None) is None:
                raise _not_asked(run_id, question_id)
        recorder = Recorder(self._journal, run_id, self._services.mask)
        question = next(q for q in unclear.questions if q.id == question_id)
        recorder.answer(question, answer.decision, answer.note)
        if is_last:
            task = _with_answers(
                unclear.task,
                unclear.questions,
                tuple(unclear.answers[question.id] for question in unclear.questions),
            )
            self._plan_again(self._live.enter(run_id, Cancellation()), task, unclear.snapshot)

    def pause(self, run_id: str) -> RunState:
        """Pause a run at its next safe point, before an edit or a test run; return its state by now."""
        self._control(run_id, "paused").pause(_PAUSE_WAIT_S)
        return self._journal.run(run_id).state

    def resume(self, run_id: str, snapshot: Snapshot) -> RunState:
        """Lift a pause, or take up a cancelled, failed or interrupted run from its plan on a thread."""
        control = self._live.control(run_id)
        if control is not None:
            control.resume(_PAUSE_WAIT_S)
            return self._journal.run(run_id).state
        run = self._journal.run(run_id)
        if run.state not in RESUMABLE:
            raise wrong_state(
                f"The run {run_id} is {run.state.value}; there is nothing to resume.", run.state
            )
        control = self._live.enter(run_id, Cancellation())
        plan = run.plan
        if plan is None:
            self._plan_again(control, run.task, snapshot)
            return RunState.PLANNING
        self._live.spawn(run_id, lambda: self._execute_run(control, run.task, plan, snapshot))
        return RunState.EXECUTING

    def cancel(self, run_id: str) -> RunState:
        """Cancel a run; returns once nothing of it is running."""
        control = self._live.control(run_id)
        with self._lock:
            self._unclear.pop(run_id, None)
        if control is not None:
            control.cancellation.cancel()
            control.wait_finished(CANCEL_WAIT_S)
        state = self._journal.run(run_id).state
        if control is None and state in ACTIVE | {RunState.AWAITING_APPROVAL, RunState.INTERRUPTED}:
            self._journal.set_state(run_id, RunState.CANCELLED)
            return RunState.CANCELLED
        return state

    def close(self) -> None:
        """Stop everything; runs under way become `interrupted`. Idempotent."""
        self._live.close()
        self.services.sandbox.close()

    # --- inside ----------------------------------------------------------------------------------------

    def _create(self, task: Task) -> tuple[str, Task]:
        """Create a run; return its id, and the task with what it follows up, in the user's own words.

        The journal's copy has no secrets.
        """
        kept = following_up(self._journal, masked_task(task, self._services.mask))
        return self._journal.create_run(kept).id, attrs.evolve(task, refused=kept.refused)

    def _plan_run(self, control: RunControl, task: Task, snapshot: Snapshot, *, ask: bool = False) -> Planned:
        run_id = control.run_id
        with self._working(control, task, snapshot) as scope:
            made = make_plan(scope)
            if isinstance(made, Plan):
                scope.recorder.plan(made)
                scope.recorder.state(RunState.AWAITING_APPROVAL)
                return Planned(run_id, plan=made)
            with self._lock:
                self._unclear[run_id] = _Unclear(task, snapshot, made)
            scope.recorder.state(RunState.NEEDS_INPUT, made[0].text)
            for question in made:
                scope.recorder.question(question, waits=ask)
            return Planned(run_id, questions=made)

    def _plan_again(self, control: RunControl, task: Task, snapshot: Snapshot) -> None:
        self._journal.set_state(control.run_id, RunState.PLANNING, RESUMED)
        self._live.spawn(control.run_id, lambda: self._plan_run(control, task, snapshot, ask=True))

    def _execute_run(self, control: RunControl, task: Task, plan: Plan, snapshot: Snapshot) -> None:
        with self._working(control, task, snapshot) as scope:
            scope.recorder.state(RunState.EXECUTING)
            self._carry_out(scope, plan)

    def _plan_with_answers(self, scope: Scope) -> Plan:
        """Plan, and wait for the user as often as the model asks."""
        while True:
            made = make_plan(scope)
            if isinstance(made, Plan):
                scope.recorder.plan(made)
                scope.recorder.state(RunState.EXECUTING)
                return made
            answers = scope.ask(made, RunState.PLANNING)
            scope = attrs.evolve(scope, task=_with_answers(scope.task, made, answers))

    def _carry_out(self, scope: Scope, plan: Plan) -> None:
        """Work on a plan until there is a proposal, or nothing to propose."""
        model = self._services.model
        if plan.engine == "repair":
            attempt, stop, words = run_repair(scope, plan)
        elif model is not None:
            attempt, stop, words = run_model(scope, plan, model)
        else:
            raise no_model(scope.task.request)
        if attempt is None:
            note = words if stop in {StopReason.DONE, StopReason.NO_FIX_FOUND} else f"{stop.value}: {words}"
            scope.recorder.state(RunState.FAILED, note or stop.value)
            return
        scope.recorder.plan(_with_statuses(plan, attempt))
        proposal = Proposal(
            id=new_id("prop"),
            run_id=scope.run_id,
            hunks=attempt.hunks,
            # The journal keeps proposals for ever and reads them often.
            evidence=scope.recorder.clean(attempt.evidence.without_coverage()),
            summary=self._services.mask(attempt.summary),
            stop_reason=stop,
            alternatives=attempt.alternatives,
        )
        for change in attempt.edit_set.changes:
            # Hunks find their place by the text that they were made against, whatever the disk holds by now.
            if change.before is not None:
                self._journal.keep_text(decode(change.before).text)
        self._journal.save_proposal(proposal)
        scope.recorder.state(RunState.PROPOSED, attempt.evidence.detail)

    @contextmanager
    def _working(
        self, control: RunControl, task: Task, snapshot: Snapshot, rest: RunState = RunState.FAILED
    ) -> Iterator[Scope]:
        """Work on a run, then let go of it; whatever goes wrong is in the journal before it is raised.

        `rest` is the state that the run falls back to when the work fails.
        """
        services = self._services
        run_id = control.run_id
        recorder = Recorder(self._journal, run_id, services.mask)
        meter = Meter(services.limits.budget_usd)
        turns = TurnBudget(services.limits.max_turns)
        try:
            yield Scope(services, task, snapshot, control, recorder, meter, turns)
        except Cancelled:
            recorder.state(RunState.INTERRUPTED if self._live.is_closing else RunState.CANCELLED)
            raise
        except GreenlineError as error:
            recorder.error(error)
            recorder.state(rest, str(error))
            raise
        except Exception as error:
            # The boundary of a run: a fault of ours must not leave it in an active state for ever.
            _log.exception("run %s failed", run_id)
            failure = GreenlineError(
                f"The run failed inside Greenline ({type(error).__name__}: {error}).", code="internal"
            )
            recorder.error(failure)
            recorder.state(rest, str(failure))
            raise failure from error
        finally:
            with self._lock:
                self._spent_usd += meter.spent_usd
            self._live.leave(control)

    def _control(self, run_id: str, wish: str) -> RunControl:
        control = self._live.control(run_id)
        if control is None:
            state = self._journal.run(run_id).state
            raise wrong_state(f"The run {run_id} is {state.value} and cannot be {wish}.", state)
        return control


def _with_answers(task: Task, questions: tuple[Question, ...], answers: tuple[Answer, ...]) -> Task:
    """Return the task with what the user answered as constraints."""
    pairs = zip(questions, answers, strict=True)
    said = (f"Asked “{q.text}”, the user answered: {f'{a.decision} {a.note}'.strip()}" for q, a in pairs)
    return attrs.evolve(task, constraints=(*task.constraints, *said))


def _with_statuses(plan: Plan, attempt: Attempt) -> Plan:
    """Return the plan with what became of each entry: failed where one of its tests does not pass."""
    report = attempt.evidence.patched

    def status(checks: tuple[str, ...]) -> EntryStatus:
        known = set(checks_of(plan)) & set(checks)
        if attempt.evidence.verdict is Verdict.VERIFIED:
            # A check may name a file or a class, which no report lists.
            return EntryStatus.COMPLETED
        if report is None or all(report.outcome_of(check) is Outcome.PASSED for check in known):
            return EntryStatus.COMPLETED
        return EntryStatus.FAILED

    return attrs.evolve(
        plan, entries=tuple(attrs.evolve(entry, status=status(entry.checks)) for entry in plan.entries)
    )


def _not_asked(run_id: str, question_id: str) -> NotFound:
    return NotFound(
        f"The run {run_id} waits for no answer to {question_id}.",
        remedy="The events of agent/run say what it asks.",
    )
