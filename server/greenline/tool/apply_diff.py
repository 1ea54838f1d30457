"""`apply_diff`: a unified diff over several files, whole or not at all; staged, never on the user's disk."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from greenline.core.error import EditRejected
from greenline.edit.apply import Staging, edit_set_from_text
from greenline.tool.definition import Tool, ToolContext, spec


def _run(arguments: Mapping[str, Any], context: ToolContext) -> str:
    edit_set = edit_set_from_text(arguments["diff"], Staging(context.staging.current, context.root))
    if not edit_set.changes:
        raise EditRejected("The diff changes nothing.", remedy="Give a unified diff.", code="malformed")
    for change in edit_set.changes:
        context.gate.check_read(change.path)
    for change in edit_set.changes:
        context.staging.put(change.path, change.after, change.mode, change.moved_from)
    names = ", ".join(context.snapshot.locate(change.path).relative for change in edit_set.changes)
    return f"Changed in the staged copy: {names}."


TOOL = Tool(
    spec(
        "apply_diff",
        "Apply a unified diff, with a few lines of context, to one or more files.",
        "diff",
        diff=("string", "The diff, from `---` on."),
    ),
    "edit",
    _run,
)
