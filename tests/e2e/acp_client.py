"""The SDK's own client in front of a real `greenline acp` process: an editor with unsaved buffers."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import attrs
from acp import Agent, spawn_agent_process, text_block
from acp.schema import (
    AllowedOutcome,
    ClientCapabilities,
    PermissionOption,
    RequestPermissionResponse,
    ToolCallUpdate,
)

from acp_told import FILES, ToldClient


class Editor(ToldClient):
    """Chooses by a question's title; what is written stays a buffer, so that the disk shows who wrote it."""

    def __init__(self) -> None:
        super().__init__()
        self.asked: list[tuple[str, list[str]]] = []
        """Title and the ids of the options, of each question."""
        self.choose: Callable[[str, list[str]], str] = lambda title, options: options[0]

    async def request_permission(
        self, session_id: str, tool_call: ToolCallUpdate, options: list[PermissionOption], **_: Any
    ) -> RequestPermissionResponse:
        title, names = str(tool_call.title), [option.option_id for option in options]
        self.asked.append((title, names))
        chosen = self.choose(title, names)
        return RequestPermissionResponse(outcome=AllowedOutcome(outcome="selected", option_id=chosen))

    async def write_text_file(self, session_id: str, path: str, content: str, **_: Any) -> None:
        self.buffers[path] = content


@attrs.frozen
class Connected:
    """A running agent."""

    editor: Editor
    agent: Agent
    pid: int

    async def new(self, root: Path) -> str:
        """Begin a session."""
        return str((await self.agent.new_session(cwd=str(root), mcp_servers=[])).session_id)

    async def say(self, session_id: str, text: str) -> str:
        """Send a prompt; return why the turn ended."""
        async with asyncio.timeout(240):
            response = await self.agent.prompt(session_id=session_id, prompt=[text_block(text)])
        return str(response.stop_reason)


@asynccontextmanager
async def connected(capabilities: ClientCapabilities = FILES, **more: str) -> AsyncIterator[Connected]:
    """Start the agent and say hello."""
    editor = Editor()
    command = (sys.executable, "-P", "-m", "greenline", "acp")
    async with spawn_agent_process(
        editor, *command, env={**os.environ, **more}, use_unstable_protocol=True
    ) as (agent, process):
        await agent.initialize(protocol_version=1, client_capabilities=capabilities)
        yield Connected(editor, agent, process.pid)
