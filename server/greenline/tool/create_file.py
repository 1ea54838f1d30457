"""`create_file`: a new text file; staged, never on the user's disk."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from greenline.core.error import EditRejected
from greenline.edit.apply import writable_path
from greenline.tool.definition import Tool, ToolContext, spec
from greenline.workspace.encoding import TextFile, encode


def _run(arguments: Mapping[str, Any], context: ToolContext) -> str:
    located = context.locate(arguments["path"])
    path = context.shown(located.path)
    target = writable_path(located.path, located.root)
    if context.staging.current(target) is not None:
        raise EditRejected(f"{path} exists.", remedy="Change it with edit_file.", code="exists")
    context.staging.put(target, encode(TextFile(arguments["content"])))
    return f"{path} is new in the staged copy."


TOOL = Tool(
    spec(
        "create_file",
        "Create a text file with all its content. Fails where there is such a file.",
        "path content",
        path=("string", "Path relative to the root."),
        content=("string", "The whole content."),
    ),
    "edit",
    _run,
)
