"""`run_command`: one command over the staged copy, in the sandbox alone; what it writes is thrown away."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from greenline.core.port import SandboxRequest
from greenline.tool.definition import Tool, ToolContext, bounded, spec
from greenline.verify.tree import apply


def _run(arguments: Mapping[str, Any], context: ToolContext) -> str:
    tree = apply(context.root, context.tree(), context.staging.edit_set())
    request = SandboxRequest(
        root=context.root,
        tree=tree,
        command=("sh", "-c", arguments["command"]),
        limits=context.limits,
        label=context.label,
    )
    result = context.sandbox.run(request, context.cancellation)
    ended = "timed out" if result.timed_out else f"exit code {result.exit_code}"
    return bounded(f"{ended}\n{result.output.decode('utf-8', 'replace')}")


TOOL = Tool(
    spec(
        "run_command",
        "Run a shell command in a container without network, over a copy of the staged files. Its changes "
        "are lost. The user is asked first.",
        "command",
        command=("string", "The command line for `sh -c`."),
    ),
    "execute",
    _run,
)
