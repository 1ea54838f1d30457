"""`get_outline`: what a file defines, in any language; without a file, a map of the repository."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from greenline.index.retrieve.repo_map import repo_map
from greenline.tool.definition import Tool, ToolContext, bounded, spec
from greenline.tool.indexed import indexed_file, reader_of, staged_note, store_of

_MAP_TOKENS = 2500


def map_of(context: ToolContext, task: str, budget_tokens: int) -> str:
    """Return the files that matter most for a task, named as the model names them, and what they define."""

    def shown(root: str, path: str) -> str | None:
        full = os.path.join(root, path)  # noqa: PTH118 - as the index spells it
        if root not in context.roots or not context.gate.may_prompt(full):
            return None
        return context.shown(full)

    retriever = reader_of(context).retriever(context.cancellation)
    return repo_map(store_of(context), retriever, budget_tokens, task, shown).text


def _run(arguments: Mapping[str, Any], context: ToolContext) -> str:
    path = arguments.get("path", "")
    if not path:
        return bounded(map_of(context, arguments.get("task", ""), _MAP_TOKENS) or "The index holds no files.")
    file = indexed_file(context, path)
    lines = [
        f"{symbol.start_line:5}-{symbol.end_line:<5} {symbol.kind.value} {symbol.qualified}"
        for symbol in store_of(context).symbols_of(file.id)
    ]
    head = f"{path}: {file.language}, {file.n_lines} lines"
    return bounded("\n".join([head, *lines]) + staged_note(context))


TOOL = Tool(
    spec(
        "get_outline",
        "The definitions of a file with their lines, in any language; without a path, a map of the "
        "repository: the files that matter most, for a task or at all, and what they define.",
        path=("string", "Path relative to the root; leave it out for the map."),
        task=("string", "What the map is for, in words."),
    ),
    "read",
    _run,
)
