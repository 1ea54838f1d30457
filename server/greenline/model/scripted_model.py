"""A model that plays a list of turns in this process: for tests, demonstrations and bug reports."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

from greenline.core.cancel import Cancellation
from greenline.core.error import ModelFailed
from greenline.core.port import Completion, Message, ToolRequest, ToolSpec, Usage
from greenline.model.arguments import OUTPUT_LIMIT, read_arguments

Play = Callable[[Sequence[Message], Sequence[ToolSpec], Cancellation], Completion]
"""A turn that looks at what was asked before it answers."""
Turn = Completion | ModelFailed | Play
"""An answer, an error to raise, or a function that makes either."""


class ScriptedModel:
    """Implements `Model`; answers from turns, in order. May be called from several threads."""

    def __init__(self, turns: Iterable[Turn], name: str = "scripted") -> None:
        """Take the turns; an endless iterable plays for ever."""
        self.name = name
        self.heard: list[Sequence[Message]] = []
        """The messages of every call so far."""
        self._turns = iter(turns)
        self._lock = threading.Lock()

    def sees_images(self, cancellation: Cancellation) -> bool:
        """Return that it does: a turn may look at what it was shown."""
        return True

    def complete(
        self,
        messages: Sequence[Message],
        tools: Sequence[ToolSpec],
        cancellation: Cancellation,
        on_text: Callable[[str], None] | None = None,
    ) -> Completion:
        """Play the next turn; raises the turn's error, `Cancelled`, or `ModelFailed` after the last turn."""
        cancellation.raise_if_cancelled()
        with self._lock:
            n_before = len(self.heard)
            self.heard.append(messages)
            turn = next(self._turns, None)
        if turn is None:
            raise ModelFailed(
                f"The script of the model {self.name} has {n_before} turns, and one more was asked for.",
                remedy="Add a turn to the script.",
            )
        if isinstance(turn, ModelFailed):
            raise turn
        completion = turn if isinstance(turn, Completion) else turn(messages, tools, cancellation)
        if on_text is not None and completion.message.content:
            on_text(completion.message.content)
        return completion


def load_script(path: Path) -> ScriptedModel:
    """Return a model that plays a file: a JSON list of turns in the form of `scripted_server`.

    `delay_s` is waited for, and ends with the run; `retry_after` is not waited for. Raises `ModelFailed`
    where the file cannot be used.
    """
    try:
        values = json.loads(path.read_text("utf-8"))
    except (OSError, ValueError) as error:
        raise _unusable(path, str(error)) from error
    if not isinstance(values, list) or not all(isinstance(value, dict) for value in values):
        raise _unusable(path, "it is no list of objects")
    try:
        return ScriptedModel([_turn(value, n) for n, value in enumerate(values, 1)], f"scripted:{path}")
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise _unusable(path, f"a turn is not in the form that is asked for: {error!r}") from error


def _turn(value: dict[str, Any], number: int) -> Turn:
    if int(value.get("status", 200)) != 200:
        return ModelFailed(f"The model scripted failed: {value.get('error', 'scripted')}")
    completion = _completion(value, number)
    expected = tuple(map(str, value.get("expect", ())))
    delay_s = float(value.get("delay_s", 0))
    if not expected and not delay_s:
        return completion

    def play(
        messages: Sequence[Message], tools: Sequence[ToolSpec], cancellation: Cancellation
    ) -> Completion:
        cancellation.wait(delay_s)
        cancellation.raise_if_cancelled()
        shown = [f"[image {image.media_type}]" for m in messages for image in m.images]
        asked = "\n".join(
            [*shown, *(m.content for m in messages), *(f"{t.name} {t.description}" for t in tools)]
        )
        for text in expected:
            if text not in asked:
                raise ModelFailed(f"Turn {number} of the script expects {text!r} in the request.")
        return completion

    return play


def _completion(value: dict[str, Any], number: int) -> Completion:
    is_cut = value.get("finish_reason") == "length"
    requests = []
    for index, call in enumerate(value.get("tool_calls") or ()):
        raw = call.get("arguments", {})
        text = raw if isinstance(raw, str) else json.dumps(raw)
        arguments, problem = ({}, OUTPUT_LIMIT) if is_cut else read_arguments(str(call["name"]), text)
        requests.append(ToolRequest(f"call_{number}_{index}", str(call["name"]), arguments, problem))
    usage = value.get("usage") or {}
    counted = Usage(int(usage.get("prompt_tokens", 0)), int(usage.get("completion_tokens", 0)))
    message = Message("assistant", str(value.get("content") or ""), tuple(requests))
    if is_cut:
        return Completion(message, "length", counted)
    if value.get("finish_reason") == "content_filter":
        return Completion(message, "refused", counted)
    return Completion(message, "toolCalls" if requests else "stop", counted)


def _unusable(path: Path, why: str) -> ModelFailed:
    return ModelFailed(
        f"The script {path} cannot be played: {why}.",
        remedy="GREENLINE_MODEL=scripted:PATH names a JSON list of turns; docs/models.md shows their form.",
    )
