"""`semantic_search`: the parts of the code that fit a question in words, a name, a place or a stack trace."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from greenline.index.retrieve.pack import pack
from greenline.index.retrieve.retriever import Filter
from greenline.tool.definition import Tool, ToolContext, bounded, spec
from greenline.tool.indexed import full_path, may_show, reader_of, staged_note, text_reader

_LIMIT = 12
_BUDGET_TOKENS = 4000


def _run(arguments: Mapping[str, Any], context: ToolContext) -> str:
    reader = reader_of(context)
    retriever = reader.retriever(context.cancellation)
    found = retriever.search(arguments["query"], Filter(_LIMIT, path=arguments.get("glob", "")))
    hits = [hit for hit in found.hits if may_show(context, hit.chunk.file)]
    packed = pack(reader.store(context.cancellation), hits, _BUDGET_TOKENS, text_reader(context))
    if not packed.parts:
        return "Nothing fits."
    parts = [
        f"{context.shown(full_path(part.file))}:{part.start_line}-{part.end_line} {part.symbol}".rstrip()
        + ("" if part.is_whole else " (its beginning)")
        + f"\n{part.text}"
        for part in packed.parts
    ]
    if found.completeness < 1:
        parts.append(f"(Only {found.completeness:.0%} of the files were indexed yet.)")
    return bounded("\n\n".join(parts) + staged_note(context))


TOOL = Tool(
    spec(
        "semantic_search",
        "Find code by what it does: a question in words, a task, a name, a file:line or a stack trace. "
        "Returns the best parts with their text, best file first.",
        "query",
        query=("string", "What to find."),
        glob=("string", "Only files like this pattern, as in .gitignore: src/**/*.py"),
    ),
    "search",
    _run,
)
