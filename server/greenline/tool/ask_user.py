"""`ask_user`: a question that only the user can answer."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from greenline.tool.definition import Tool, ToolContext, spec


def _run(arguments: Mapping[str, Any], context: ToolContext) -> str:
    return f"The user answers: {context.ask(arguments['question'])}"


TOOL = Tool(
    spec(
        "ask_user",
        "Ask the user yes or no about something that cannot be found out otherwise.",
        "question",
        question=("string", "One short question."),
    ),
    "other",
    _run,
)
