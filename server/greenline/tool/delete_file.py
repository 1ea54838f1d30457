"""`delete_file`: staged, never on the user's disk."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from greenline.core.error import EditRejected
from greenline.edit.apply import writable_path
from greenline.edit.operation import Delete
from greenline.tool.definition import Tool, ToolContext, spec


def _run(arguments: Mapping[str, Any], context: ToolContext) -> str:
    located = context.locate(arguments["path"])
    path = context.shown(located.path)
    target = writable_path(located.path, located.root)
    if context.staging.current(target) is None:
        raise EditRejected(f"There is no file {path}.", remedy="List the folder.", code="missing")
    # It refuses a link: the model means the link, and what it leads to would go.
    context.staging.apply(Delete(located.path))
    return f"{path} is gone from the staged copy."


TOOL = Tool(
    spec("delete_file", "Delete a file.", "path", path=("string", "Path relative to the root.")),
    "delete",
    _run,
)
