"""The MCP server: lists the tools, and runs each call on a thread of its own.

Invariants: nothing but the protocol reaches the channel; a call that is cancelled, or whose client is gone,
leaves no container behind; and what goes wrong is told as the tool's result, with its remedy.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
import os
from collections.abc import Callable, Mapping
from io import TextIOWrapper
from typing import Any

import anyio
import mcp_types as types
from mcp.server import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server
from mcp.shared.exceptions import MCPError

import greenline
from greenline.core.cancel import Cancellation
from greenline.core.error import GreenlineError
from greenline.core.port import Progress
from greenline.lsp.stdio import Channel
from greenline.mcp_server.bench import TOOLS, Bench
from greenline.mcp_server.tool import OFFERS, Offer, check

_log = logging.getLogger(__name__)
_INSTRUCTIONS = (
    "Greenline measures changes: ask `verify` before you claim that a patch works, `search` to find the code"
    " that a task is about, `repair` for failing tests, and `explain` for a change that it proposed. No tool"
    " writes to the project; apply the diffs yourself."
)


def serve(bench: Bench, channel: Channel) -> int:
    """Serve one client until it closes the channel; return the exit code."""
    anyio.run(_serve, bench, channel)
    return 0


async def _serve(bench: Bench, channel: Channel) -> None:
    server = make_server(bench)
    source = TextIOWrapper(os.fdopen(channel.read_fd, "rb", closefd=False), "utf-8", errors="replace")
    sink = TextIOWrapper(os.fdopen(channel.write_fd, "wb", closefd=False), "utf-8")
    with contextlib.suppress(BrokenPipeError):
        async with stdio_server(anyio.wrap_file(source), anyio.wrap_file(sink)) as (incoming, outgoing):
            await server.run(incoming, outgoing, server.create_initialization_options())


def make_server(bench: Bench) -> Server[Any]:
    """Return the server of a project's tools."""

    async def list_tools(
        context: ServerRequestContext[Any], params: types.PaginatedRequestParams | None
    ) -> types.ListToolsResult:
        return types.ListToolsResult(tools=[_as_tool(offer) for offer in OFFERS.values()])

    async def call_tool(
        context: ServerRequestContext[Any], params: types.CallToolRequestParams
    ) -> types.CallToolResult:
        offer = OFFERS.get(params.name)
        if offer is None:
            known = ", ".join(OFFERS)
            raise MCPError(types.INVALID_PARAMS, f"There is no tool {params.name!r}. The tools are {known}.")
        return await _call(bench, offer, params.arguments or {}, context)

    return Server(
        "greenline",
        version=greenline.__version__,
        title="Greenline",
        instructions=_INSTRUCTIONS,
        on_list_tools=list_tools,
        on_call_tool=call_tool,
    )


def _as_tool(offer: Offer) -> types.Tool:
    return types.Tool(
        name=offer.spec.name,
        title=offer.title,
        description=offer.spec.description,
        input_schema=offer.spec.parameters,
        annotations=types.ToolAnnotations(
            read_only_hint=True,
            destructive_hint=False,
            idempotent_hint=offer.is_idempotent,
            open_world_hint=False,
        ),
    )


async def _call(
    bench: Bench, offer: Offer, arguments: Mapping[str, Any], context: ServerRequestContext[Any]
) -> types.CallToolResult:
    name = offer.spec.name
    try:
        check(offer, arguments)
        work = TOOLS[name]
        value = await _on_thread(lambda c, p: work(bench, arguments, c, p), context)
    except GreenlineError as error:
        return _failure(error)
    except Exception as error:  # noqa: BLE001
        # The tool boundary: the other agent is told, and the details are in the log.
        _log.exception("the tool %s failed", name)
        words = f"{name} failed inside Greenline ({type(error).__name__})."
        return _failure(GreenlineError(words, remedy="The log on standard error says more.", code="internal"))
    return types.CallToolResult(content=[_text(value)], structured_content=value)


def _failure(error: GreenlineError) -> types.CallToolResult:
    value = {"code": error.code, "message": error.message, "remedy": error.remedy}
    return types.CallToolResult(
        content=[types.TextContent(text=f"[{error.code}] {error}")], structured_content=value, is_error=True
    )


def _text(value: Any) -> types.TextContent:
    return types.TextContent(text=json.dumps(value, ensure_ascii=False))


async def _on_thread(
    work: Callable[[Cancellation, Progress], Any], context: ServerRequestContext[Any]
) -> Any:
    """Run blocking work on a thread, with its progress; cancelled, wait until nothing of it is left."""
    loop = asyncio.get_running_loop()
    cancellation = Cancellation()
    said: asyncio.Queue[str | None] = asyncio.Queue()

    def progress(sentence: str) -> None:
        loop.call_soon_threadsafe(said.put_nowait, sentence)

    telling = loop.create_task(_tell(said, context), name="tell the progress")
    working = loop.create_task(asyncio.to_thread(work, cancellation, progress), name="work")
    try:
        return await asyncio.shield(working)
    except asyncio.CancelledError:
        with anyio.CancelScope(shield=True):
            await asyncio.to_thread(cancellation.cancel)
            await asyncio.wait({working})
        if not working.cancelled() and (error := working.exception()) is not None:
            _log.info("a call was cancelled: %s", error)
        raise
    finally:
        said.put_nowait(None)
        with anyio.CancelScope(shield=True):
            await asyncio.wait({telling})


async def _tell(said: asyncio.Queue[str | None], context: ServerRequestContext[Any]) -> None:
    """Report sentences as progress until there are no more, or nobody listens."""
    n_told = 0
    while (sentence := await said.get()) is not None:
        n_told += 1
        with contextlib.suppress(anyio.ClosedResourceError, anyio.BrokenResourceError):
            await context.session.report_progress(n_told, message=sentence)
