"""Cassettes: exchanges with a real model, one JSON object a line, recorded with secrets masked, and replayed.

The first line says how requests find their answers: `{"cassette": 1, "match": "hash"}` (by what is asked, in
any order), or `"order"` (one after another, whatever is asked). Each further line is an exchange.
"""

from __future__ import annotations

import hashlib
import json
import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Literal, get_args

import attrs

from greenline.core.cancel import Cancellation
from greenline.core.error import ModelFailed
from greenline.core.port import Completion, Message, Model, ToolSpec
from greenline.core.wire import from_json, to_json

Mask = Callable[[str], str]
Match = Literal["hash", "order"]
_VERSION = 1
_SHOWN = 60


@attrs.frozen
class Exchange:
    """One request and its answer."""

    hash: str
    """Of the messages and the names of the tools."""
    messages: tuple[Message, ...]
    tools: tuple[str, ...]
    completion: Completion


def request_hash(messages: Sequence[Message], tools: Sequence[str]) -> str:
    """Return what tells one request from another."""
    asked = [to_json(message) for message in messages]
    for message in asked:
        # Cassettes that were recorded before there were images stay good.
        if not message["images"]:
            del message["images"]
    text = json.dumps([asked, list(tools)], sort_keys=True)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:32]


class RecordingModel:
    """Asks a real model, and writes every answer to a cassette. May be called from several threads."""

    def __init__(self, model: Model, path: Path, mask: Mask) -> None:
        """Begin a new cassette at `path` with the first answer; an older one there is replaced."""
        self.name = model.name
        self._model = model
        self._path = path
        self._mask = mask
        self._lock = threading.Lock()
        self._has_begun = False

    def sees_images(self, cancellation: Cancellation) -> bool:
        """Return whether the real model does."""
        return self._model.sees_images(cancellation)

    def complete(
        self,
        messages: Sequence[Message],
        tools: Sequence[ToolSpec],
        cancellation: Cancellation,
        on_text: Callable[[str], None] | None = None,
    ) -> Completion:
        """Answer as the real model does; an error is raised and not recorded."""
        completion = self._model.complete(messages, tools, cancellation, on_text)
        names = tuple(tool.name for tool in tools)
        asked: tuple[Message, ...] = self._clean(tuple(messages), tuple[Message, ...])
        answer: Completion = self._clean(completion, Completion)
        self._write(Exchange(request_hash(asked, names), asked, names, answer))
        return completion

    def _clean(self, value: Any, cls: Any) -> Any:
        return from_json(_masked(to_json(value), self._mask), cls)

    def _write(self, exchange: Exchange) -> None:
        with self._lock:
            lines = [] if self._has_begun else [{"cassette": _VERSION, "match": "hash"}]
            lines.append(to_json(exchange))
            try:
                self._path.parent.mkdir(parents=True, exist_ok=True)
                with self._path.open("a" if self._has_begun else "w", encoding="ascii") as file:
                    file.writelines(json.dumps(line) + "\n" for line in lines)
            except OSError as error:
                raise ModelFailed(
                    f"The cassette {self._path} cannot be written ({error.strerror}).",
                    remedy="Name another file in GREENLINE_RECORD_MODEL.",
                ) from error
            self._has_begun = True


class CassetteModel:
    """Implements `Model`: replays a cassette, without network. May be called from several threads."""

    def __init__(self, path: Path) -> None:
        """Read a cassette; raises `ModelFailed` with the line that cannot be used."""
        self.name = f"cassette:{path}"
        self._path = path
        self._match, self._left = _load(path)
        self._n_played = 0
        self._lock = threading.Lock()

    def sees_images(self, cancellation: Cancellation) -> bool:
        """Return that it does not: what was recorded was said in words."""
        return False

    def complete(
        self,
        messages: Sequence[Message],
        tools: Sequence[ToolSpec],
        cancellation: Cancellation,
        on_text: Callable[[str], None] | None = None,
    ) -> Completion:
        """Answer as recorded; raises `ModelFailed` that names the first difference, or `Cancelled`."""
        cancellation.raise_if_cancelled()
        names = tuple(tool.name for tool in tools)
        with self._lock:
            completion = self._take(tuple(messages), names).completion
        if on_text is not None and completion.message.content:
            on_text(completion.message.content)
        return completion

    def _take(self, messages: tuple[Message, ...], tools: tuple[str, ...]) -> Exchange:
        wanted = request_hash(messages, tools)
        for place, exchange in enumerate(self._left):
            if self._match == "order" or exchange.hash == wanted:
                self._n_played += 1
                return self._left.pop(place)
        if self._left:
            why = _difference(self._left[0], messages, tools)
        else:
            why = f"all its {self._n_played} answers are played"
        raise ModelFailed(
            f"The cassette {self._path} has no answer for this request: {why}.",
            remedy="Record it anew with GREENLINE_RECORD_MODEL.",
        )


def _load(path: Path) -> tuple[Match, list[Exchange]]:
    number = 1
    try:
        lines = path.read_text("ascii").splitlines()
        head = json.loads(lines[0]) if lines else None
        if (
            not isinstance(head, dict)
            or head.get("cassette") != _VERSION
            or head.get("match") not in _MATCHES
        ):
            raise ValueError('it must begin with {"cassette": 1, "match": "hash"}')
        exchanges = []
        for line in lines[1:]:
            number += 1
            if line.strip():
                exchanges.append(from_json(json.loads(line), Exchange))
        return head["match"], exchanges
    except OSError as error:
        raise _unusable(path, str(error.strerror)) from error
    except Exception as error:
        # Whatever the converter finds wrong, the user wants the line.
        raise _unusable(path, f"line {number}: {error}") from error


_MATCHES = get_args(Match)


def _unusable(path: Path, why: str) -> ModelFailed:
    return ModelFailed(
        f"The cassette {path} cannot be played: {why}.",
        remedy="GREENLINE_MODEL=cassette:PATH names a file that GREENLINE_RECORD_MODEL wrote.",
    )


def _difference(recorded: Exchange, messages: tuple[Message, ...], tools: tuple[str, ...]) -> str:
    """Say where a request leaves the next recorded one."""
    if recorded.tools != tools:
        return f"recorded are the tools {', '.join(recorded.tools)}, asked are {', '.join(tools) or 'none'}"
    for number, (old, new) in enumerate(zip(recorded.messages, messages, strict=False), 1):
        if old != new:
            at = next(
                (i for i, (a, b) in enumerate(zip(old.content, new.content, strict=False)) if a != b), 0
            )
            shown = (old.content[at : at + _SHOWN], new.content[at : at + _SHOWN])
            return f"message {number} ({new.role}) was recorded with {shown[0]!r} and now has {shown[1]!r}"
    return f"recorded are {len(recorded.messages)} messages, asked are {len(messages)}"


def _masked(value: Any, mask: Mask) -> Any:
    if isinstance(value, str):
        return mask(value)
    if isinstance(value, dict):
        return {key: _masked(item, mask) for key, item in value.items()}
    if isinstance(value, list):
        return [_masked(item, mask) for item in value]
    return value
