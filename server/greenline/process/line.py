"""The lines between the front and the worker: one JSON object a line, UTF-8, in both directions.

Front → worker: `{"id", "method", "params"}` asks, `{"cancel": id}` cancels what `id` asked.
`{"method", "params"}` wants no answer.
Worker → front: `{"id", "result"}` or `{"id", "error"}` answers once; what has no `id` tells of something.
"""

from __future__ import annotations

import json
from typing import Any

import attrs

from greenline.core.error import GreenlineError

MAX_LINE_BYTES = 256 * 1024 * 1024


@attrs.frozen
class Failure:
    """A domain error as it crosses the pipe."""

    type: str
    code: str
    message: str
    remedy: str = ""


def failure_of(error: GreenlineError) -> Failure:
    """Return an error as a value."""
    return Failure(type(error).__name__, error.code, error.message, error.remedy)


def error_of(failure: Failure) -> GreenlineError:
    """Return the error that a value stands for, of its own class where that is known here."""
    kinds: list[type[GreenlineError]] = [GreenlineError]
    for kind in kinds:
        if kind.__name__ == failure.type:
            return kind(failure.message, remedy=failure.remedy, code=failure.code)
        kinds.extend(kind.__subclasses__())
    return GreenlineError(failure.message, remedy=failure.remedy, code=failure.code)


def line_of(message: dict[str, Any]) -> bytes:
    """Return a message as one line; lone surrogates of an editor's text survive as escapes."""
    return json.dumps(message, separators=(",", ":")).encode("ascii") + b"\n"
