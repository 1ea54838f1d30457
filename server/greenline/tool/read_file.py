"""`read_file`: a file's lines with their numbers, as they are staged now."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from greenline.edit.text import split_lines
from greenline.tool.definition import Tool, ToolContext, bounded, spec


def _run(arguments: Mapping[str, Any], context: ToolContext) -> str:
    lines = split_lines(context.read(arguments["path"]).text)
    first = max(1, arguments.get("start_line", 1))
    last = min(len(lines), arguments.get("end_line", len(lines)))
    if not lines:
        return "The file is empty."
    if first > last:
        return f"The file has {len(lines)} lines; there are none from {first} to {last}."
    shown = "".join(f"{n:5} {lines[n - 1]}" for n in range(first, last + 1))
    return bounded(shown)


TOOL = Tool(
    spec(
        "read_file",
        "Read a text file, whole or a range of lines. Each line comes with its number (no part of it).",
        "path",
        path=("string", "Path relative to the root."),
        start_line=("integer", "First line, from 1."),
        end_line=("integer", "Last line, included."),
    ),
    "read",
    _run,
)
