"""Reads the arguments that a model wrote for a tool call; what cannot be read is said, never guessed."""

from __future__ import annotations

import json
from typing import Any

OUTPUT_LIMIT = (
    "Your answer hit the output limit before this call was complete, so it was not run. "
    "Ask again in smaller steps: create a file with its first part, and add the rest with further edits."
)
"""What is told about a call in an answer that was cut off."""
_SHOWN = 80


def read_arguments(name: str, text: str) -> tuple[dict[str, Any], str]:
    """Return the arguments and an empty text, or nothing and what is wrong and how to ask again.

    Raw tabs and line breaks inside strings are taken as they are meant; nothing else is repaired, since a
    call that was cut off must not be run with half of its text.
    """
    try:
        value = json.loads(text.strip() or "{}", strict=False)
    except ValueError as error:
        cut = text[-_SHOWN:] if len(text) > _SHOWN else text
        return {}, (
            f"The arguments of {name} are not valid JSON ({error}), so it was not run. "
            f"They end with: {cut!r}. "
            'Call it again with one complete JSON object; write line breaks as \\n and quotes as \\".'
        )
    if not isinstance(value, dict):
        return {}, (
            f"The arguments of {name} must be a JSON object, not {json.dumps(value)[:_SHOWN]}, so it was not "
            'run. Call it again with an object such as {"path": "a.py"}.'
        )
    return value, ""
