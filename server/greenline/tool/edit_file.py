"""`edit_file`: replace the one place where a text stands; staged, never on the user's disk."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from greenline.core.error import EditRejected
from greenline.edit.operation import Replace
from greenline.tool.definition import Tool, ToolContext, spec


def _run(arguments: Mapping[str, Any], context: ToolContext) -> str:
    path = arguments["path"]
    context.locate(path)
    if not arguments["search"]:
        raise EditRejected(
            "The text to search for is empty.", remedy="Create a file with create_file.", code="no-match"
        )
    edit = Replace(context.absolute(path), arguments["search"], arguments["replace"])
    context.staging.apply(edit)
    return f"{path} is changed in the staged copy."


TOOL = Tool(
    spec(
        "edit_file",
        "Replace a piece of a file. `search` must be the exact text of whole lines and stand there once; "
        "give enough lines around it to make it so.",
        "path search replace",
        path=("string", "Path relative to the root."),
        search=("string", "The text that is there now."),
        replace=("string", "The text to put in its place."),
    ),
    "edit",
    _run,
)
