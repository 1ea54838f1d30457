"""One file a method: convert, one domain call, convert back; no logic."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any

from greenline.lsp import command
from greenline.lsp.handlers import (
    cancel,
    code_action,
    code_lens,
    did_change,
    did_change_watched_files,
    did_change_workspace_folders,
    did_close,
    did_open,
    did_save,
    execute,
    explain,
    hover,
    initialize,
    initialized,
    pause,
    plan,
    respond,
    resume,
    review,
    revise_plan,
    run,
    runs,
    search,
    shutdown,
    status,
    text_document_content,
    undo,
    verify,
    workspace_symbol,
)

if TYPE_CHECKING:
    from greenline.lsp.server import GreenlineServer

_PLAIN = (
    cancel,
    did_change,
    did_change_watched_files,
    did_change_workspace_folders,
    did_close,
    did_open,
    did_save,
    execute,
    explain,
    hover,
    initialize,
    initialized,
    pause,
    plan,
    respond,
    resume,
    review,
    revise_plan,
    run,
    runs,
    search,
    shutdown,
    status,
    text_document_content,
    undo,
    verify,
    workspace_symbol,
)


def register(ls: GreenlineServer) -> None:
    """Register every handler and command."""
    for module in _PLAIN:
        ls.feature(module.METHOD)(module.handle)
    for module_with_options in (code_action, code_lens):
        ls.feature(module_with_options.METHOD, module_with_options.OPTIONS)(module_with_options.handle)
    for name, handle in command.COMMANDS.items():
        ls.command(name)(_as_command(handle))


def _as_command(handle: Callable[..., Awaitable[object]]) -> Callable[..., Awaitable[object]]:
    """Hide a handler's annotations, which pygls evaluates where they cannot be resolved."""

    async def run_command(ls: Any, *arguments: Any) -> object:
        return await handle(ls, *arguments)

    return run_command
