"""The tools of one run: specs for the model, and one door that every call goes through."""

from __future__ import annotations

import importlib
import json
import logging

import attrs

from greenline.core.cancel import Cancellation
from greenline.core.edit import EditSet
from greenline.core.error import Cancelled, GreenlineError, InvalidInput
from greenline.core.port import ToolRequest, ToolSpec
from greenline.tool import (
    apply_diff,
    ask_user,
    create_file,
    delete_file,
    edit_file,
    get_file_summary,
    list_directory,
    read_file,
    run_command,
    run_tests,
    search_files,
)
from greenline.tool.definition import Tool, ToolContext, check_arguments
from greenline.tool.permission import Permission

_log = logging.getLogger(__name__)
_TOOLS: dict[str, Tool] = {
    module.TOOL.spec.name: module.TOOL
    for module in (
        read_file,
        list_directory,
        search_files,
        get_file_summary,
        edit_file,
        create_file,
        delete_file,
        apply_diff,
        run_tests,
        run_command,
        ask_user,
    )
}
_INDEXED = ("semantic_search", "get_outline", "find_references", "find_dependencies")
"""Offered where there is an index; they load numpy and grammars."""
_READING = ("read", "search")
_MAX_SHOWN = 4_000
"""Characters of an argument in a question: a command line that anybody writes is shown whole."""


@attrs.frozen
class Answer:
    """What one call came to."""

    text: str
    failed: bool = False


@attrs.frozen
class ToolBox:
    """Runs calls over one staged copy; one call at a time."""

    context: ToolContext
    permission: Permission

    def specs(self, *, reading_only: bool) -> tuple[ToolSpec, ...]:
        """Return the tools as the model sees them."""
        return tuple(t.spec for t in self._tools().values() if not reading_only or t.kind in _READING)

    def kind(self, name: str) -> str:
        """Return a tool's kind; `other` for an unknown name."""
        tools = self._tools()
        return tools[name].kind if name in tools else "other"

    def call(self, request: ToolRequest, cancellation: Cancellation) -> Answer:
        """Run a call; what is wrong with it is said to the model, and only `Cancelled` is raised."""
        cancellation.raise_if_cancelled()
        try:
            return Answer(self._run(request, cancellation))
        except Cancelled:
            raise
        except GreenlineError as error:
            return Answer(f"[{error.code}] {error}", failed=True)
        except Exception as error:  # noqa: BLE001
            # The tool boundary: a fault of ours must not end the run, and the model can go another way.
            _log.exception("tool %s failed", request.name)
            return Answer(f"[internal] {request.name} failed: {type(error).__name__}", failed=True)

    def edit_set(self) -> EditSet:
        """Return what is staged now."""
        return self.context.staging.edit_set()

    def outline(self, task: str, budget_tokens: int, cancellation: Cancellation) -> str:
        """Return a map of the project for a task; empty where there is no index yet, or it cannot be read."""
        index = self.context.index
        if index is None or not index.is_there:
            return ""
        from greenline.tool.get_outline import map_of

        try:
            return map_of(attrs.evolve(self.context, cancellation=cancellation), task, budget_tokens)
        except Cancelled:
            raise
        except Exception:  # noqa: BLE001
            # As at the tool boundary: a run goes on without a map.
            _log.exception("the map of the project cannot be drawn")
            return ""

    def _tools(self) -> dict[str, Tool]:
        if self.context.index is None:
            return _TOOLS
        return {**_TOOLS, **{name: _indexed_tool(name) for name in _INDEXED}}

    def _run(self, request: ToolRequest, cancellation: Cancellation) -> str:
        tools = self._tools()
        tool = tools.get(request.name)
        if tool is None:
            raise InvalidInput(
                f"There is no tool {request.name}.", remedy=f"The tools are: {', '.join(tools)}."
            )
        check_arguments(tool.spec, request.arguments)
        words = f"Run {request.name}: {', '.join(_shown(value) for value in request.arguments.values())}"
        call = json.dumps(request.arguments, sort_keys=True)
        if not self.permission.allows(tool.spec.name, tool.kind, call, words):
            raise GreenlineError(
                f"The user does not allow {request.name} here.", remedy="Go on without it.", code="rejected"
            )
        return tool.run(request.arguments, attrs.evolve(self.context, cancellation=cancellation))


def _shown(value: object) -> str:
    """Return an argument as the user is asked about it: whole, or with what is left out counted."""
    text = str(value)
    n_left = len(text) - _MAX_SHOWN
    return text if n_left <= 0 else f"{text[:_MAX_SHOWN]} … ({n_left} more characters are not shown)"


def _indexed_tool(name: str) -> Tool:
    tool: Tool = importlib.import_module(f"greenline.tool.{name}").TOOL
    return tool
