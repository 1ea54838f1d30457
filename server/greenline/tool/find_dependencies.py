"""`find_dependencies`: which files a file imports, and which import it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from greenline.index.chunk import File
from greenline.index.graph import ImportGraph
from greenline.tool.definition import Tool, ToolContext, bounded, spec
from greenline.tool.indexed import full_path, indexed_file, may_show, staged_note, store_of


def _run(arguments: Mapping[str, Any], context: ToolContext) -> str:
    file = indexed_file(context, arguments["path"])
    graph = ImportGraph(store_of(context))
    lines = [
        f"{arguments['path']} imports:",
        *_shown(graph.imports(file), context),
        "It is imported by:",
        *_shown(graph.importers(file), context),
    ]
    return bounded("\n".join(lines) + staged_note(context))


def _shown(files: Sequence[File], context: ToolContext) -> list[str]:
    return [f"  {context.shown(full_path(file))}" for file in files if may_show(context, file)] or ["  none"]


TOOL = Tool(
    spec(
        "find_dependencies",
        "The files of the workspace that a file imports, and those that import it.",
        "path",
        path=("string", "Path relative to the root."),
    ),
    "search",
    _run,
)
