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
from acp import Agent, RequestError, spawn_agent_process, text_block
from acp.schema import (
    AllowedOutcome,
    ClientCapabilities,
    FileSystemCapabilities,
    PermissionOption,
    ReadTextFileResponse,
    RequestPermissionResponse,
    ToolCallUpdate,
)

FILES = ClientCapabilities(fs=FileSystemCapabilities(read_text_file=True, write_text_file=True))


class Editor:
    """Holds buffers, keeps what it is told, and chooses by the first words of a question's title."""

    def __init__(self) -> None:
        self.buffers: dict[str, str] = {}
        """Path → unsaved text; what is written stays a buffer, so that the disk shows who wrote it."""
        self.updates: list[dict[str, Any]] = []
        self.asked: list[tuple[str, list[str]]] = []
        """Title and the ids of the options, of each question."""
        self.choose: Callable[[str, list[str]], str] = lambda title, options: options[0]
        self.changed = asyncio.Event()

    def on_connect(self, conn: Any) -> None:
        """Nothing to take."""

    async def session_update(self, session_id: str, update: Any, **_: Any) -> None:
        self.updates.append(update.model_dump(mode="json", by_alias=True, exclude_none=True))
        self.changed.set()

    async def request_permission(
        self, session_id: str, tool_call: ToolCallUpdate, options: list[PermissionOption], **_: Any
    ) -> RequestPermissionResponse:
        title, names = str(tool_call.title), [option.option_id for option in options]
        self.asked.append((title, names))
        chosen = self.choose(title, names)
        return RequestPermissionResponse(outcome=AllowedOutcome(outcome="selected", option_id=chosen))

    async def read_text_file(self, session_id: str, path: str, **_: Any) -> ReadTextFileResponse:
        if path in self.buffers:
            return ReadTextFileResponse(content=self.buffers[path])
        if not Path(path).exists():  # noqa: ASYNC240
            raise RequestError.resource_not_found(path)
        return ReadTextFileResponse(content=Path(path).read_text("utf-8"))  # noqa: ASYNC240

    async def write_text_file(self, session_id: str, path: str, content: str, **_: Any) -> None:
        self.buffers[path] = content

    def of(self, kind: str) -> list[dict[str, Any]]:
        """Return the updates of one kind."""
        return [update for update in self.updates if update["sessionUpdate"] == kind]

    def words(self) -> str:
        """Return all that the agent said."""
        return "".join(update["content"]["text"] for update in self.of("agent_message_chunk"))

    async def until(self, is_so: Callable[[], bool]) -> None:
        """Wait until what came makes something so."""
        async with asyncio.timeout(60):
            while not is_so():
                self.changed.clear()
                await self.changed.wait()


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
