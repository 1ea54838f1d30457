"""The channel of the ACP agent: one JSON message a line on standard input and output.

Invariant: nothing but messages reaches the channel, and a line that is none gets an answer and ends nothing.
"""

from __future__ import annotations

import asyncio
import json
import logging
import os
import threading
from typing import Any, cast

from acp import Agent, run_agent

from greenline.acp.agent import GreenlineAgent
from greenline.lsp.stdio import Channel

_log = logging.getLogger(__name__)
_CHUNK = 1 << 16


class LineTransport:
    """Implements the SDK's transport over two descriptors; reading has a thread of its own."""

    def __init__(self, channel: Channel) -> None:
        self._fd = channel.write_fd
        self._lines: asyncio.Queue[bytes | None] = asyncio.Queue()
        loop = asyncio.get_running_loop()

        def read() -> None:
            held = b""
            while data := os.read(channel.read_fd, _CHUNK):
                *lines, held = (held + data).split(b"\n")
                for line in lines:
                    _call(loop, self._lines, line)
            _call(loop, self._lines, None)

        threading.Thread(target=read, name="acp-reader", daemon=True).start()

    async def send(self, message: dict[str, Any]) -> None:
        """Write one message; a client that is gone is a `ConnectionError`."""
        view = memoryview(json.dumps(message, separators=(",", ":")).encode() + b"\n")
        while view:
            view = view[os.write(self._fd, view) :]

    async def receive(self) -> dict[str, Any] | None:
        """Return the next message, or None at the end of the input."""
        while (line := await self._lines.get()) is not None:
            if not line.strip():
                continue
            try:
                message = json.loads(line)
            except (ValueError, RecursionError):
                await self._refuse(-32700, "Parse error: a line is no JSON.")
                continue
            if isinstance(message, dict):
                return message
            await self._refuse(-32600, "Invalid request: a line is no JSON-RPC message.")
        return None

    async def close(self) -> None:
        """Do nothing: the descriptors live as long as the process."""

    async def _refuse(self, code: int, words: str) -> None:
        _log.warning("%s", words)
        await self.send({"jsonrpc": "2.0", "id": None, "error": {"code": code, "message": words}})


def _call(loop: asyncio.AbstractEventLoop, lines: asyncio.Queue[bytes | None], line: bytes | None) -> None:
    try:
        loop.call_soon_threadsafe(lines.put_nowait, line)
    except RuntimeError:
        _log.debug("the loop had ended before the input did")


def serve(agent: GreenlineAgent, channel: Channel) -> int:
    """Serve one client until it closes the channel; return the exit code."""
    asyncio.run(_serve(agent, channel))
    return 0


async def _serve(agent: GreenlineAgent, channel: Channel) -> None:
    try:
        # The SDK files `session/resume` and `session/close` under what is not stable yet.
        # What the agent does not offer, such as modes, has no method, so that the SDK answers it as unknown.
        served = cast("Agent", agent)
        await run_agent(served, LineTransport(channel), use_unstable_protocol=True)
    finally:
        await agent.stop()
