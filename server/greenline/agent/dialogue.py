"""One conversation with a model: metered, recorded, and stopped at its bounds."""

from __future__ import annotations

import attrs

from greenline.agent.limits import Meter
from greenline.agent.record import Mask, Recorder, each_text
from greenline.core.cancel import Cancellation
from greenline.core.port import Completion, Image, Message, Model, ToolRequest, ToolSpec
from greenline.core.task import StopReason


class Stopped(Exception):
    """The conversation ended at one of its bounds."""

    def __init__(self, reason: StopReason, note: str = "") -> None:
        super().__init__(note or reason.value)
        self.reason = reason
        self.note = note
        """What happened, in one sentence for the user; empty where the reason says it all."""


@attrs.define
class TurnBudget:
    """How many answers a run may still ask for."""

    left: int


class Dialogue:
    """Messages so far, and the model that answers them."""

    def __init__(
        self,
        model: Model,
        recorder: Recorder,
        meter: Meter,
        turns: TurnBudget,
        mask: Mask,
        images: tuple[Image, ...] = (),
    ) -> None:
        """Begin each conversation with the images that belong to the task."""
        self._images = images
        self._model = model
        self._recorder = recorder
        self._meter = meter
        self._turns = turns
        self._mask = mask
        self._messages: list[Message] = []

    def begin(self, system: str, user: str) -> None:
        """Start anew with a system prompt and the first message."""
        self._messages = [Message("system", system), Message("user", self._mask(user), images=self._images)]

    def tell(self, text: str) -> None:
        """Add a message of the user's side."""
        self._messages.append(Message("user", self._mask(text)))

    def reply(self, request: ToolRequest, text: str) -> None:
        """Add the result of a tool call; secrets are masked before the model sees it."""
        self._messages.append(Message("tool", self._mask(text), tool_call_id=request.id))

    def next(self, tools: tuple[ToolSpec, ...], cancellation: Cancellation) -> Completion:
        """Return the model's answer; raises `Stopped` at a bound or a refusal, `ModelFailed`, `Cancelled`."""
        cancellation.raise_if_cancelled()
        if self._meter.is_exhausted:
            raise Stopped(StopReason.BUDGET)
        if self._turns.left <= 0:
            raise Stopped(StopReason.MAX_TURNS)
        self._turns.left -= 1
        completion = self._model.complete(tuple(self._messages), tools, cancellation)
        self._meter.add(completion.usage)
        self._recorder.usage(self._model.name, completion.usage, self._meter.spent_usd)
        self._recorder.thought(completion.message.content)
        if completion.finish_reason == "refused":
            raise Stopped(StopReason.REFUSED)
        self._messages.append(self._without_secrets(completion.message))
        return completion

    def _without_secrets(self, message: Message) -> Message:
        """Return the model's own words as they are said back to it; its calls are run as they are."""
        requests = tuple(
            attrs.evolve(request, arguments=each_text(request.arguments, self._mask))
            for request in message.tool_requests
        )
        return attrs.evolve(message, content=self._mask(message.content), tool_requests=requests)


def data(source: str, text: str) -> str:
    """Return untrusted text between marks that it cannot close itself."""
    shown = text.replace("</data>", "<\\/data>")
    head = source.replace('"', "'").replace("\n", " ").replace("</data>", "")
    return f'<data source="{head}">\n{shown.rstrip()}\n</data>'
