"""`list_directory`: the files and folders below a folder that a model may see."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import PurePosixPath
from typing import Any

from greenline.core.error import NotFound
from greenline.tool.definition import Tool, ToolContext, bounded, spec


def _run(arguments: Mapping[str, Any], context: ToolContext) -> str:
    folder = arguments.get("path", ".")
    prefix = _prefix(folder, context)
    entries: set[str] = set()
    for name in context.files():
        if name.startswith(prefix):
            head, slash, _ = name[len(prefix) :].partition("/")
            entries.add(head + slash)
    if not entries:
        raise NotFound(f"There is no folder {folder}, or it is empty.", remedy="List its parent.")
    return bounded("\n".join(sorted(entries)))


def _prefix(folder: str, context: ToolContext) -> str:
    """Return what the names of the files below a folder begin with."""
    if PurePosixPath(folder) == PurePosixPath(".") and len(context.roots) > 1:
        return ""
    located = context.locate(folder)
    if located.relative == "." and len(context.roots) == 1:
        return ""
    return f"{context.shown(located.path)}/"


TOOL = Tool(
    spec(
        "list_directory",
        "List a folder: files, and folders with a slash at the end. Ignored files are not shown.",
        path=("string", "Folder; the root (or the list of roots) if left out."),
    ),
    "read",
    _run,
)
