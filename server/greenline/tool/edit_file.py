"""`edit_file`: replace the one place where a text stands; staged, never on the user's disk."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import attrs

from greenline.edit.apply import writable_path
from greenline.edit.replace import replace_once
from greenline.tool.definition import Tool, ToolContext, spec
from greenline.workspace.encoding import encode


def _run(arguments: Mapping[str, Any], context: ToolContext) -> str:
    path = arguments["path"]
    file = context.read(path)
    target = writable_path(context.absolute(path), context.locate(path).root)
    text = replace_once(file.text, arguments["search"], arguments["replace"])
    context.staging.put(target, encode(attrs.evolve(file, text=text)))
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
