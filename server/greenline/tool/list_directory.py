"""`list_directory`: the files and folders below a folder that a model may see."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from greenline.core.error import NotFound
from greenline.tool.definition import Tool, ToolContext, bounded, spec


def _run(arguments: Mapping[str, Any], context: ToolContext) -> str:
    folder = arguments.get("path", ".")
    relative = context.locate(folder).relative
    prefix = "" if relative == "." else f"{relative}/"
    entries: set[str] = set()
    for name in context.files():
        if name.startswith(prefix):
            head, slash, _ = name[len(prefix) :].partition("/")
            entries.add(head + slash)
    if not entries:
        raise NotFound(f"There is no folder {folder}, or it is empty.", remedy="List its parent.")
    return bounded("\n".join(sorted(entries)))


TOOL = Tool(
    spec(
        "list_directory",
        "List a folder: files, and folders with a slash at the end. Ignored files are not shown.",
        path=("string", "Folder relative to the root; the root itself if left out."),
    ),
    "read",
    _run,
)
