"""`ask_user`: a question that only the user can answer."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from greenline.tool.definition import Tool, ToolContext, spec

_YES_OR_NO = ("yes", "no")


def _run(arguments: Mapping[str, Any], context: ToolContext) -> str:
    options = tuple(str(option) for option in arguments.get("options", ())) or _YES_OR_NO
    return f"The user answers: {context.asking.question(arguments['question'], options)}"


TOOL = Tool(
    spec(
        "ask_user",
        "Ask the user about something that cannot be found out otherwise.",
        "question",
        question=("string", "One short question."),
        options=("array", "Answers to choose from; yes and no if left out."),
    ),
    "other",
    _run,
)
