"""`run_command`: one command over the staged copy, in the sandbox alone; what it writes is thrown away.

Its output goes to the model, so that the copy holds only what the model may read.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from greenline.core.error import InvalidInput
from greenline.core.port import SandboxRequest, Tree
from greenline.tool.definition import Tool, ToolContext, bounded, spec
from greenline.tool.place import root_names
from greenline.verify.tree import apply


def _run(arguments: Mapping[str, Any], context: ToolContext) -> str:
    root = _root(arguments.get("root", ""), context)
    request = SandboxRequest(
        root=root,
        tree=apply(root, _shown(root, context), context.changes_in(root)),
        command=("sh", "-c", arguments["command"]),
        limits=context.limits,
        label=context.label,
    )
    result = context.sandbox.run(request, context.cancellation)
    ended = "timed out" if result.timed_out else f"exit code {result.exit_code}"
    return bounded(f"{ended}\n{result.output.decode('utf-8', 'replace')}")


def _shown(root: str, context: ToolContext) -> Tree:
    """Return the base tree without the ignored files, which the tests get and a model does not."""
    tree = context.tree(root)
    return {name: file for name, file in tree.items() if context.gate.may_prompt(f"{root}/{name}")}


def _root(name: str, context: ToolContext) -> str:
    """Return the root of that name; raises `InvalidInput` where there are several and none is named."""
    names = root_names(context.roots)
    if not name and len(names) == 1:
        return context.root
    for root, known in names.items():
        if known == name.strip("/"):
            return root
    raise InvalidInput(
        f"run_command must name the folder to run in with root; {name or 'nothing'} is none.",
        remedy=f"The folders of the workspace are: {', '.join(names.values())}.",
    )


TOOL = Tool(
    spec(
        "run_command",
        "Run a shell command in a container without network, over a copy of the staged files. Its changes "
        "are lost. The user is asked first.",
        "command",
        command=("string", "The command line for `sh -c`."),
        root=("string", "Name of the root to run in; only needed where the workspace has several."),
    ),
    "execute",
    _run,
)
