"""Everything that belongs to one run while it is worked on."""

from __future__ import annotations

import attrs

from greenline.agent.control import Answer, RunControl
from greenline.agent.dialogue import Dialogue, TurnBudget
from greenline.agent.limits import Meter
from greenline.agent.record import Recorder
from greenline.agent.services import Services
from greenline.core.agent_port import Question
from greenline.core.error import GreenlineError, NoModel
from greenline.core.event import IMAGE_NOT_USED
from greenline.core.ids import new_id
from greenline.core.port import Image, Model
from greenline.core.task import RunState, Task
from greenline.tool.definition import Asking
from greenline.workspace.snapshot import Snapshot

_NAMED_CHARS = 80
"""Of a request in an error about it: enough to know it again."""

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
        images = self._images(model)
        return Dialogue(model, self.recorder, self.meter, self.turns, self.services.mask, images)

    def _images(self, model: Model) -> tuple[Image, ...]:
        """Return what the user attached, for a model that takes images."""
        attached = self.task.context.attachments
        if not attached or not model.sees_images(self.control.cancellation):
            return ()
        found = ((item, self.services.journal.content(item.content)) for item in attached)
        return tuple(Image(item.media_type, data) for item, data in found if data is not None)

    def say_unused(self, model: Model | None) -> None:
        """Tell the user where the images that they attached are looked at by nobody."""
        attached = self.task.context.attachments
        if not attached or (model is not None and model.sees_images(self.control.cancellation)):
            return
        who = "the repair engine takes none" if model is None else f"the model {model.name} takes none"
        names = ", ".join(item.name for item in attached)
        self.recorder.error(
            GreenlineError(
                f"The attached image was not used ({names}): {who}.",
                remedy="Name a model that takes images, or say in words what the image shows.",
                code=IMAGE_NOT_USED,
            )
        )

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


def no_model(request: str) -> NoModel:
    """Return the error of a request that only a model can serve."""
    words = " ".join(request.split())
    named = words if len(words) <= _NAMED_CHARS else f"{words[:_NAMED_CHARS]}…"
    return NoModel(
        f"The request “{named}” needs a language model, and none is configured.",
        remedy="Name one in GREENLINE_MODEL (for example ollama/qwen2.5-coder:7b) or as `model` in the user's"
        " configuration file; without a model Greenline can only make failing tests pass.",
    )
