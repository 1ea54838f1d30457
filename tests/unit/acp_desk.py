"""An ACP client in this process, and an agent that plays a script in front of the real front and journal."""

from __future__ import annotations

import asyncio
import contextlib
import socket
from collections.abc import AsyncIterator, Callable, Collection
from pathlib import Path
from typing import Any

import attrs
from acp import Agent, RequestError, connect_to_agent, run_agent, text_block
from acp.schema import (
    AllowedOutcome,
    ClientCapabilities,
    DeniedOutcome,
    PermissionOption,
    ReadTextFileResponse,
    RequestPermissionResponse,
    ToolCallUpdate,
)

from acp_told import FILES, ToldClient
from greenline.acp.agent import GreenlineAgent
from greenline.agent.scripted_agent import Script, ScriptedAgent, Step
from greenline.core.agent_port import Question
from greenline.core.event import Event
from greenline.core.task import PlanEntry, Proposal, Run
from greenline.journal.blob import BlobStore
from greenline.journal.checkpoint_store import CheckpointStore
from greenline.journal.store import SqliteJournal
from greenline.lsp.session import Listener, Session

NO_FILES = ClientCapabilities()


class Client(ToldClient):
    """Saves what it is told to write, as editors do."""

    limit_s = 20.0

    def __init__(self) -> None:
        super().__init__()
        self.asked: list[tuple[ToolCallUpdate, list[PermissionOption]]] = []
        self.choices: list[str | None] = []
        """Option ids in order; None takes the question back. The first option once there are no more."""
        self.read: list[str] = []
        self.written: list[str] = []
        self.refused: set[str] = set()
        """Paths that the client does not write."""
        self.while_asked: Callable[[], None] = lambda: None

    async def request_permission(
        self, session_id: str, tool_call: ToolCallUpdate, options: list[PermissionOption], **_: Any
    ) -> RequestPermissionResponse:
        self.asked.append((tool_call, options))
        self.changed.set()
        self.while_asked()
        choice = self.choices.pop(0) if self.choices else options[0].option_id
        if choice is None:
            return RequestPermissionResponse(outcome=DeniedOutcome(outcome="cancelled"))
        assert choice in {option.option_id for option in options}
        return RequestPermissionResponse(outcome=AllowedOutcome(outcome="selected", option_id=choice))

    async def read_text_file(self, session_id: str, path: str, **_: Any) -> ReadTextFileResponse:
        self.read.append(path)
        return await super().read_text_file(session_id, path)

    async def write_text_file(self, session_id: str, path: str, content: str, **_: Any) -> None:
        if path in self.refused:
            raise RequestError.invalid_request({"reason": "read-only"})
        self.written.append(path)
        self.buffers.pop(path, None)
        Path(path).write_text(content, "utf-8", newline="")  # noqa: ASYNC240


@attrs.frozen
class Desk:
    """A client, its agent, and what lies below."""

    client: Client
    agent: Agent
    journal: SqliteJournal
    root: Path
    session_id: str = ""

    async def say(self, text: str) -> str:
        """Send a prompt; return why the turn ended."""
        response = await self.agent.prompt(session_id=self.session_id, prompt=[text_block(text)])
        return str(response.stop_reason)

    def run(self) -> Run:
        """Return the session's last run."""
        return self.journal.runs_of(self.session_id)[-1]


def script(*steps: Step, files: tuple[str, ...] = ("a.py",)) -> dict[str, Script]:
    """Return an agent's script for the request `change`, whose plan names files."""
    return {"change": Script(plan=(PlanEntry(1, "Change it", files),), steps=steps)}


class Silent:
    """Implements `Listener` for nobody."""

    def on_event(self, event: Event) -> None:
        """Tell nobody."""

    def on_proposal(self, proposal: Proposal, paths: Collection[str]) -> None:
        """Tell nobody."""

    def on_question(self, run_id: str, question: Question) -> None:
        """Tell nobody."""

    def on_hidden(self, paths: Collection[str]) -> None:
        return None

    def on_interrupted(self, run_ids: tuple[str, ...]) -> None:
        """Tell nobody."""


def open_session(
    folder: Path,
    journal: SqliteJournal,
    *steps: Step,
    listener: Listener | None = None,
    files: tuple[str, ...] = ("a.py",),
) -> Session:
    """Return the front's state over the folder's workspace, with an agent that plays steps."""
    state = folder / "state"
    store = CheckpointStore(journal, BlobStore(state / "blobs"))
    agent = ScriptedAgent(journal, script(*steps, files=files))
    return Session((str(folder / "ws"),), journal, agent, listener or Silent(), state, store)


@contextlib.asynccontextmanager
async def desk(
    folder: Path,
    *steps: Step,
    capabilities: ClientCapabilities = FILES,
    session_id: str = "",
    files: tuple[str, ...] = ("a.py",),
) -> AsyncIterator[Desk]:
    """Connect a client to an agent that plays steps, in a session that is new or taken up again."""
    root = folder / "ws"
    root.mkdir(exist_ok=True)
    journal = SqliteJournal(folder / "state" / "journal.db")
    ours, theirs = socket.socketpair()
    reader, writer = await asyncio.open_connection(sock=ours)
    other_reader, other_writer = await asyncio.open_connection(sock=theirs)
    agent = GreenlineAgent(
        lambda _, listener: open_session(folder, journal, *steps, listener=listener, files=files),
        lambda _: journal,
    )
    loop = asyncio.get_running_loop()
    serving = loop.create_task(run_agent(agent, other_writer, other_reader, use_unstable_protocol=True))
    client = Client()
    connection = connect_to_agent(client, writer, reader, use_unstable_protocol=True)
    try:
        await connection.initialize(protocol_version=1, client_capabilities=capabilities)
        if session_id:
            await connection.resume_session(session_id=session_id, cwd=str(root))
        else:
            session_id = (await connection.new_session(cwd=str(root), mcp_servers=[])).session_id
        yield Desk(client, connection, journal, root, session_id)
    finally:
        await connection.close()
        writer.close()
        await serving
        await agent.stop()
        other_writer.close()
        journal.close()
