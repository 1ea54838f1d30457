"""`find_references`: where a name is defined, called, imported and mentioned."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from greenline.index.graph import references
from greenline.tool.definition import Tool, ToolContext, bounded, spec
from greenline.tool.indexed import full_path, may_show, staged_note, store_of, text_reader

_LIMIT = 100


def _run(arguments: Mapping[str, Any], context: ToolContext) -> str:
    name = arguments["symbol"].rpartition(".")[2].strip()
    found = [
        reference
        for reference in references(store_of(context), name, text_reader(context))
        if may_show(context, reference.file)
    ]
    if not found:
        return f"Nothing uses the name {name}."
    lines = [
        f"{context.shown(full_path(r.file))}:{r.line}: {r.kind}"
        + (f" in {r.chunk.symbol}" if r.chunk.symbol else "")
        for r in found[:_LIMIT]
    ]
    more = f"\n… {len(found) - _LIMIT} more" if len(found) > _LIMIT else ""
    return bounded("\n".join(lines) + more + staged_note(context))


TOOL = Tool(
    spec(
        "find_references",
        "Where a name is defined, called, imported or mentioned, by name: things of the same name are not "
        "told apart. Definitions come first.",
        "symbol",
        symbol=("string", "A function, class, method or variable; of a dotted name the last part counts."),
    ),
    "search",
    _run,
)
