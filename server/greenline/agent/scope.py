"""Everything that belongs to one run while it is worked on."""

from __future__ import annotations

import attrs

from greenline.agent.control import Answer, RunControl
from greenline.agent.dialogue import Dialogue, TurnBudget
from greenline.agent.limits import Meter
from greenline.agent.record import Recorder
from greenline.agent.services import Services
from greenline.core.agent_port import Question
from greenline.core.error import NoModel
from greenline.core.ids import new_id
from greenline.core.port import Model
from greenline.core.task import RunState, Task
from greenline.tool.definition import Asking
from greenline.workspace.snapshot import Snapshot

PERMISSIONS = ("allowOnce", "allowAlways", "rejectOnce", "rejectAlways")


@attrs.frozen
class Scope:
    """One run, its snapshot and the hands that steer and record it."""

    services: Services
    task: Task
    snapshot: Snapshot
    control: RunControl
    recorder: Recorder
    meter: Meter
    turns: TurnBudget

    @property
    def run_id(self) -> str:
        """The run's id."""
        return self.recorder.run_id

    def dialogue(self, model: Model) -> Dialogue:
        """Return a new conversation that counts towards the run's bounds."""
        return Dialogue(model, self.recorder, self.meter, self.turns, self.services.mask)

    def ask(self, questions: tuple[Question, ...], after: RunState) -> tuple[Answer, ...]:
        """Let the run wait for the user, and go on in the state `after`; raises `Cancelled`."""

        def announce() -> None:
            self.recorder.state(RunState.NEEDS_INPUT, questions[0].text)
            for question in questions:
                self.recorder.question(question, waits=True)

        answers = self.control.ask(questions, announce)
        for question, answer in zip(questions, answers, strict=True):
            self.recorder.answer(question, answer.decision, answer.note)
        self.recorder.state(after)
        return answers

    @property
    def asking(self) -> Asking:
        """How the tools ask the user."""
        return Asking(self._ask_permission, self._ask_question)

    def _ask_permission(self, text: str) -> str:
        """Ask whether a tool may be used; an answer that is no permission is a refusal."""
        question = Question(new_id("q"), text, PERMISSIONS, "permission")
        (answer,) = self.ask((question,), RunState.EXECUTING)
        return answer.decision if answer.decision in PERMISSIONS else "rejectOnce"

    def _ask_question(self, text: str, options: tuple[str, ...]) -> str:
        (answer,) = self.ask((Question(new_id("q"), text, options),), RunState.EXECUTING)
        return f"{answer.decision} {answer.note}".strip()


def no_model() -> NoModel:
    """Return the error of a request that only a model can serve."""
    return NoModel(
        "This request needs a language model, and none is configured.",
        remedy="Name one in GREENLINE_MODEL (for example ollama/qwen2.5-coder:7b) or as `model` in the user's"
        " configuration file; without a model Greenline can only make failing tests pass.",
    )
