"""The agent as an ACP client sees it: sessions over folders, each a conversation of its own.

Invariant: what a session's runs did is in the journal of its folders, and nowhere else.
"""

from __future__ import annotations

import asyncio
import functools
from collections.abc import Awaitable, Callable, Collection, Sequence
from pathlib import Path
from typing import Any, TypeVar

from acp import Client, RequestError
from acp.schema import (
    AuthenticateResponse,
    ClientCapabilities,
    Implementation,
    InitializeResponse,
    ListSessionsResponse,
    LoadSessionResponse,
    NewSessionResponse,
    PromptResponse,
    ResumeSessionResponse,
)

from greenline.acp import message
from greenline.acp.link import Abilities, Link
from greenline.acp.talk import Talk
from greenline.core.agent_port import Question
from greenline.core.error import GreenlineError, InvalidInput, NotFound
from greenline.core.event import Event
from greenline.core.ids import new_id
from greenline.core.port import Journal
from greenline.core.task import Proposal
from greenline.lsp.session import Listener, Session

_T = TypeVar("_T")
_INVALID = {"invalidInput", "notFound", "outsideWorkspace", "wrongState"}
Open = Callable[[tuple[str, ...], Listener], Session]
"""Opens the front's state over some folders, on the event loop; raises `GreenlineError`."""
Roots = tuple[str, ...]


class Desk:
    """One workspace's front, and the sessions that talk about it. Implements `Listener`."""

    def __init__(self, roots: Roots, open_session: Open) -> None:
        self.talks: dict[str, Talk] = {}
        self.session = open_session(roots, self)
        self._owners: dict[str, str] = {}
        """Run → session."""

    def on_event(self, event: Event) -> None:
        """Hand an event to the session that its run belongs to."""
        if (talk := self._talk(event.run_id)) is not None:
            talk.on_event(event)

    def on_question(self, run_id: str, question: Question) -> None:
        """Hand a question to the session that its run belongs to."""
        if (talk := self._talk(run_id)) is not None:
            talk.on_question(run_id, question)

    def on_proposal(self, proposal: Proposal, paths: Collection[str]) -> None:
        """Do nothing: a proposal is shown when its run is at rest."""

    def on_hidden(self, paths: Collection[str]) -> None:
        """Nothing to take away: hunks are shown once."""

    def on_interrupted(self, run_ids: tuple[str, ...]) -> None:
        """Do nothing: whoever waits for the runs is told by an error."""

    def _talk(self, run_id: str) -> Talk | None:
        if run_id not in self._owners:
            self._owners[run_id] = self.session.journal.run(run_id).task.session
        return self.talks.get(self._owners[run_id])


class GreenlineAgent:
    """Implements `acp.Agent`; for one client and one event loop."""

    def __init__(self, open_session: Open, open_journal: Callable[[str], Journal]) -> None:
        self._open = open_session
        # A journal is an open file: one a folder, however often the client asks for its sessions.
        self._open_journal = functools.cache(open_journal)
        self._client: Client | None = None
        self._abilities = Abilities()
        self._desks: dict[Roots, Desk] = {}
        self._beginning = asyncio.Lock()
        """Held while a front or a session is made, which two requests may ask for at once."""

    def on_connect(self, conn: Client) -> None:
        """Take the line to the client."""
        self._client = conn

    async def initialize(
        self,
        protocol_version: int,
        client_capabilities: ClientCapabilities | None = None,
        client_info: Implementation | None = None,
        **_: Any,
    ) -> InitializeResponse:
        """Say what the agent is; version 1 is the only one that it speaks."""
        self._abilities = Abilities.of(client_capabilities)
        return message.greeting()

    async def authenticate(self, method_id: str, **_: Any) -> AuthenticateResponse:
        """There is nothing to authenticate."""
        return AuthenticateResponse()

    async def new_session(
        self,
        cwd: str,
        additional_directories: list[str] | None = None,
        mcp_servers: list[Any] | None = None,
        **_: Any,
    ) -> NewSessionResponse:
        """Begin a conversation over a folder."""
        session_id = new_id("session")
        await _told(self._begin(session_id, _roots(cwd, additional_directories)))
        return NewSessionResponse(session_id=session_id)

    async def load_session(
        self,
        cwd: str,
        session_id: str,
        mcp_servers: list[Any] | None = None,
        additional_directories: list[str] | None = None,
        **_: Any,
    ) -> LoadSessionResponse:
        """Take a conversation up again, and tell all of it."""
        talk = await _told(self._again(session_id, _roots(cwd, additional_directories)))
        await _told(talk.replay())
        return LoadSessionResponse()

    async def resume_session(
        self,
        session_id: str,
        cwd: str,
        additional_directories: list[str] | None = None,
        mcp_servers: list[Any] | None = None,
        **_: Any,
    ) -> ResumeSessionResponse:
        """Take a conversation up again, and tell nothing of it."""
        await _told(self._again(session_id, _roots(cwd, additional_directories)))
        return ResumeSessionResponse()

    async def list_sessions(
        self, cwd: str | None = None, cursor: str | None = None, **_: Any
    ) -> ListSessionsResponse:
        """List the conversations over a folder, or over those that are open."""
        try:
            folders = [roots[0] for roots in self._desks] if cwd is None else [_folder(cwd)]
            journals = [self._open_journal(folder) for folder in dict.fromkeys(folders)]
        except GreenlineError as error:
            raise _as_request_error(error) from error
        found = [(name, journal.runs_of(name)) for journal in journals for name in journal.sessions()]
        return ListSessionsResponse(sessions=message.session_infos(found))

    async def prompt(self, session_id: str, prompt: Sequence[Any], **_: Any) -> PromptResponse:
        """Work on what the user says."""
        return PromptResponse(stop_reason=await _told(self._talk(session_id).turn(prompt)))

    async def cancel(self, session_id: str, **_: Any) -> None:
        """Stop what a session works on."""
        await self._talk(session_id).cancel()

    async def close_session(self, session_id: str, **_: Any) -> None:
        """Let go of a session; it can be loaded again."""
        talk = self._talk(session_id)
        for desk in self._desks.values():
            desk.talks.pop(session_id, None)
        await talk.close()

    async def ext_method(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        """There are no methods beside the protocol's."""
        raise RequestError.method_not_found(f"_{method}")

    async def ext_notification(self, method: str, params: dict[str, Any]) -> None:
        """Ignore what is beside the protocol."""

    async def stop(self) -> None:
        """End every session and the processes behind them."""
        for desk in self._desks.values():
            for talk in desk.talks.values():
                await talk.close()
            await desk.session.stop()

    # --- inside ----------------------------------------------------------------------------------------

    async def _begin(self, session_id: str, roots: Roots) -> Talk:
        async with self._beginning:
            if (known := self._known(session_id)) is not None:
                return known
            if roots not in self._desks:
                desk = Desk(roots, self._open)
                await desk.session.start()
                self._desks[roots] = desk
            desk = self._desks[roots]
            assert self._client is not None
            link = Link(self._client, session_id, self._abilities)
            talk = desk.talks[session_id] = Talk(session_id, desk.session, link)
            # It goes out after the answer to the request, which nothing that waits comes before.
            talk.offer_commands()
            return talk

    async def _again(self, session_id: str, roots: Roots) -> Talk:
        is_known = self._known(session_id) is not None
        if not is_known and not self._open_journal(roots[0]).runs_of(session_id):
            raise NotFound(
                f"There is no session {session_id!r} in {roots[0]}.",
                remedy="Begin a new one with session/new.",
            )
        return await self._begin(session_id, roots)

    def _known(self, session_id: str) -> Talk | None:
        return next((d.talks[session_id] for d in self._desks.values() if session_id in d.talks), None)

    def _talk(self, session_id: str) -> Talk:
        if (talk := self._known(session_id)) is not None:
            return talk
        raise _as_request_error(
            NotFound(f"There is no session {session_id!r}.", remedy="Load it with session/load.")
        )


async def _told(work: Awaitable[_T]) -> _T:
    """Await work whose domain errors the client is told."""
    try:
        return await work
    except GreenlineError as error:
        raise _as_request_error(error) from error


def _as_request_error(error: GreenlineError) -> RequestError:
    number = -32602 if error.code in _INVALID else -32603
    return RequestError(number, str(error), {"code": error.code, "remedy": error.remedy})


def _roots(cwd: str, others: Sequence[str] | None) -> Roots:
    try:
        return tuple(dict.fromkeys(_folder(name) for name in (cwd, *(others or ()))))
    except GreenlineError as error:
        raise _as_request_error(error) from error


def _folder(name: str) -> str:
    path = Path(name)
    if not path.is_absolute() or not path.is_dir():
        raise InvalidInput(f"{name} is no folder with an absolute path.", remedy="Name the project's folder.")
    path = path.resolve()
    if path == path.parent:
        raise InvalidInput(f"{name} is the whole file system.", remedy="Name the project's folder.")
    return str(path)
