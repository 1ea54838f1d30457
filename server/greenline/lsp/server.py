"""The language server: owns the session, registers one handler a method, and runs the read loop."""

from __future__ import annotations

import asyncio
import gc
import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from lsprotocol import types
from pygls.exceptions import JsonRpcException
from pygls.lsp.server import LanguageServer

import greenline
from greenline.core.event import Event
from greenline.lsp import collector, stdio
from greenline.lsp.channel import Inbox, start_reader
from greenline.lsp.convert import Encoding, to_uri
from greenline.lsp.handlers import register
from greenline.lsp.hardened import HardenedProtocol
from greenline.lsp.index_progress import IndexProgress
from greenline.lsp.parts import Connect, Opening, Parts
from greenline.lsp.present import under_way
from greenline.lsp.progress import Report
from greenline.lsp.progress_text import progress_text
from greenline.lsp.protocol import StatusResult
from greenline.lsp.publisher import Publisher
from greenline.lsp.supervisor import Supervisor
from greenline.lsp.wire import make_converter

if TYPE_CHECKING:
    from greenline.lsp.session import Session

_STOP_S = 5.0
"""How long work under way may take to end at shutdown."""


class GreenlineServer(LanguageServer):
    """One editor's server."""

    protocol: HardenedProtocol

    def __init__(self, connect: Connect) -> None:
        converter = make_converter()
        super().__init__(
            "greenline",
            greenline.__version__,
            text_document_sync_kind=types.TextDocumentSyncKind.Incremental,
            protocol_cls=HardenedProtocol,
            converter_factory=lambda: converter,
        )
        self.converter = converter
        self.supervisor = Supervisor()
        self.publisher = Publisher(self)
        self.encoding = Encoding()
        self.client_asks = False
        """Whether the client shows questions itself (`initializationOptions.agentUi`)."""
        self.works_behind = False
        """Whether commands are answered at once, for an editor that cannot wait for them."""
        self.opening = Opening(())
        self._connect = connect
        self._session: Session | None = None
        self._index_progress = IndexProgress(self)
        self.is_stopping = False
        self._reports: dict[str, Report] = {}
        register(self)

    @property
    def session(self) -> Session:
        """The session; made at first use, so that `initialize` is answered without opening anything."""
        if self._session is None:
            # It brings along all of editing and reviewing, which nobody needs before.
            from greenline.lsp.session import Session

            parts = self._connect(self.opening)
            for warning in (*parts.warnings, *filter(None, [self.opening.warning])):
                self.say(types.MessageType.Warning, warning)
            self._session = Session(
                self.opening.roots,
                parts.journal,
                parts.agent,
                self.publisher,
                parts.state_dir,
                parts.checkpoints,
                parts.index,
            )
            if parts.index is not None:
                parts.index.on_status = self._index_progress.show
        return self._session

    def report_server_error(self, error: Exception, source: Any) -> None:
        """Leave it to the log, which has it already: the default writes to a channel that may be gone."""

    def say(self, kind: types.MessageType, message: str) -> None:
        """Show a message to the user."""
        self.window_show_message(types.ShowMessageParams(type=kind, message=message))

    async def ask(self, text: str, titles: list[str]) -> str | None:
        """Ask the user to choose; None where they closed the question or the client cannot ask."""
        actions = [types.MessageActionItem(title) for title in titles]
        params = types.ShowMessageRequestParams(type=types.MessageType.Warning, message=text, actions=actions)
        try:
            chosen = await self.window_show_message_request_async(params)
        except JsonRpcException:
            return None
        return chosen.title if chosen else None

    async def status(self) -> StatusResult:
        """Return what the server can do now."""
        session = self.session
        # It may take a while, and the rest is to be as it is after that.
        agent = await session.agent.status()
        active = session.active_runs()
        return StatusResult(
            agent=agent,
            roots=tuple(to_uri(root) for root in session.roots),
            active_runs=tuple(run.id for run in active),
            pending_hunks=session.n_pending(),
            version=self.version,
            index=session.index_status(),
            under_way=tuple(map(under_way, active)),
        )

    # --- progress -------------------------------------------------------------------------------------

    @contextmanager
    def following(self, run_id: str, report: Report) -> Iterator[None]:
        """Show a run's events as progress; the empty id stands for a run that is about to be created."""
        self._reports[run_id] = report
        try:
            yield
        finally:
            self._reports.pop(run_id, None)

    def show_progress(self, event: Event) -> None:
        """Show an event to whoever follows its run, or waits for a run to begin."""
        text = progress_text(event)
        if text:
            for key in (event.run_id, ""):
                if (report := self._reports.get(key)) is not None:
                    report(text)

    # --- life -----------------------------------------------------------------------------------------

    async def stop_work(self) -> None:
        """Cancel what runs, wait until each has ended its progress, and end the agent."""
        self.is_stopping = True
        waiting = self.protocol.cancel_all()
        if waiting:
            await asyncio.wait(waiting, timeout=_STOP_S)
        await self.supervisor.stop()
        if self._session is not None:
            await self._session.stop()

    async def run(self, channel: stdio.Channel) -> int:
        """Serve until `exit` or the end of the input; return the process's exit code."""
        inbox = Inbox()
        self.protocol.inbox = inbox
        self.protocol.set_writer(_Writer(channel.write_fd))
        start_reader(channel.read_fd, asyncio.get_running_loop(), inbox)
        try:
            while (message := await inbox.get()) is not None:
                self.protocol.receive(message)
                if not gc.isenabled():
                    collector.release()
        finally:
            await self.protocol.ended(2 * _STOP_S)
            await self.stop_work()
        return self.protocol.exit_code


class _Writer:
    """Writes whole frames to a descriptor; a client that is gone is no error here."""

    def __init__(self, fd: int) -> None:
        self._fd = fd

    def write(self, data: bytes) -> None:
        view = memoryview(data)
        try:
            while view:
                view = view[os.write(self._fd, view) :]
        except BrokenPipeError:
            return

    def close(self) -> None:
        os.close(self._fd)


def serve(connect: Connect) -> int:
    """Serve one editor over standard input and output; return the exit code.

    Call before anything prints or starts a child process.
    """
    channel = stdio.claim()
    return asyncio.run(GreenlineServer(connect).run(channel))


def run_stdio(parts: Parts) -> int:
    """Serve with parts that exist already."""
    return serve(lambda _: parts)
