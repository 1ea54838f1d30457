"""`apply_diff`: a unified diff over several files, whole or not at all; staged, never on the user's disk.

Invariant: no file is read before the gate has let it through, so that not even a refusal tells what it holds.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import attrs

from greenline.core.error import EditRejected, GreenlineError
from greenline.edit.apply import Staging
from greenline.edit.format import read
from greenline.edit.operation import FilePatch, Move, Operation
from greenline.edit.renaming import untangled
from greenline.tool.definition import Tool, ToolContext, spec
from greenline.tool.place import root_names

_PREFIXES = ("a/", "b/")


def _run(arguments: Mapping[str, Any], context: ToolContext) -> str:
    def gated(path: str) -> bytes | None:
        context.gate.check_read(path)
        return context.staging.current(path)

    def exists(name: str) -> bool:
        try:
            return gated(context.locate(name).target) is not None
        except GreenlineError:
            return False

    staging = Staging(gated, *context.roots)
    operations = read(arguments["diff"], None, exists)
    if len(context.roots) > 1:
        operations = tuple(_absolute(operation, context, exists) for operation in operations)
    for operation in untangled(operations, staging):
        staging.apply(operation)
    changes = staging.edit_set().changes
    if not changes:
        raise EditRejected("The diff changes nothing.", remedy="Give a unified diff.", code="malformed")
    for change in changes:
        context.staging.put(change.path, change.after, change.mode, change.moved_from)
    return f"Changed in the staged copy: {', '.join(context.shown(change.path) for change in changes)}."


def _absolute(operation: Operation, context: ToolContext, exists: Callable[[str], bool]) -> Operation:
    """Return an operation whose paths say which root they lie in."""

    def full(name: str) -> str:
        if name.startswith(_PREFIXES) and not exists(name):
            # Without the prefix that diffs add, where only that gives a file, or the name of a root.
            bare = name[2:]
            if exists(bare) or not _names_a_root(name, context):
                return context.absolute(bare)
        return context.absolute(name)

    if isinstance(operation, FilePatch):
        old, new = (None if name is None else full(name) for name in (operation.old, operation.new))
        return attrs.evolve(operation, old=old, new=new)
    if isinstance(operation, Move):
        return Move(full(operation.path), full(operation.to))
    return attrs.evolve(operation, path=full(operation.path))


def _names_a_root(name: str, context: ToolContext) -> bool:
    return name.split("/", 1)[0] in root_names(context.roots).values()


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
