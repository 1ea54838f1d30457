"""Tells the editor what changed: events, proposals, status, diagnostics, code lenses and questions."""

from __future__ import annotations

import contextlib
from collections.abc import Collection
from pathlib import Path
from typing import TYPE_CHECKING

from lsprotocol import types
from pygls.exceptions import JsonRpcException

from greenline.core.agent_port import Question
from greenline.core.error import NotFound, WrongState
from greenline.core.event import IMAGE_NOT_USED, Event, EventKind
from greenline.core.task import Proposal
from greenline.lsp import protocol
from greenline.lsp.convert import to_uri
from greenline.lsp.present import event_params, proposal_info, shown_lines, shown_range
from greenline.lsp.render import headline

if TYPE_CHECKING:
    from greenline.lsp.server import GreenlineServer
    from greenline.lsp.shelf import PlacedHunk

_PERMISSION = {
    "Allow once": "allowOnce",
    "Always allow": "allowAlways",
    "Reject once": "rejectOnce",
    "Always reject": "rejectAlways",
}


class Publisher:
    """The session's listener; sends, and never blocks."""

    def __init__(self, ls: GreenlineServer) -> None:
        self._ls = ls
        self._marked: set[str] = set()
        self._n_pending = 0
        """How many hunks waited when the editor was last to be told."""
        self._is_due = False
        """Whether the status is to be told and the task that does so has not begun to."""
        self._is_telling = False

    def on_event(self, event: Event) -> None:
        """Send an event, and the status after a change of state."""
        self._ls.protocol.notify(protocol.EVENT, event_params(event))
        self._ls.show_progress(event)
        if event.kind is EventKind.STATE:
            self.status_changed()
        if event.kind is EventKind.ERROR and event.data.get("code") == IMAGE_NOT_USED:
            # The run goes on, so that no request fails and tells of it.
            self._ls.say(types.MessageType.Warning, f"{event.data['message']} {event.data['remedy']}")

    def on_proposal(self, proposal: Proposal, paths: Collection[str]) -> None:
        """Send a proposal, and mark its hunks where a plain editor shows them."""
        info = proposal_info(self._ls.session, proposal)
        self._ls.protocol.notify(protocol.PROPOSAL_CHANGED, protocol.ProposalChangedParams(info))
        self._told_of_hunks()
        self.publish_diagnostics(paths)
        workspace = self._ls.client_capabilities.workspace
        if workspace and workspace.code_lens and workspace.code_lens.refresh_support:
            self._ls.supervisor.start(self._refresh(), "refresh code lenses")

    def on_hidden(self, paths: Collection[str]) -> None:
        """Take the marks off files whose hunks are shown no more."""
        self._told_of_hunks()
        self.publish_diagnostics(paths)

    def on_question(self, run_id: str, question: Question) -> None:
        """Ask the user, unless the client does so itself."""
        if not self._ls.client_asks:
            self._ls.supervisor.start(self._ask(run_id, question), f"question {question.id}")

    def on_interrupted(self, run_ids: tuple[str, ...]) -> None:
        """Say that the agent's process ended."""
        names = ", ".join(run_ids) or "no run"
        # A client with a way of its own to resume a run does not know these names.
        way = "resume a run to go on with it."
        if not self._ls.client_asks:
            way = "agent/resume or the command greenline.server.resume goes on with a run."
        self._ls.say(
            types.MessageType.Error,
            f"The agent's process ended unexpectedly ({names} interrupted). Nothing was lost: {way}",
        )
        self.status_changed()

    def status_changed(self) -> None:
        """Send the status soon: once for all that changes until then."""
        self._is_due = True
        if not self._is_telling:
            self._is_telling = True
            self._ls.supervisor.start(self._send_status(), "status")

    def publish_diagnostics(self, paths: Collection[str]) -> None:
        """Publish the pending hunks of files that have some, and clear those that had."""
        session = self._ls.session
        waiting = session.paths_with_pending()
        for path in sorted(set(paths) & (waiting | self._marked)):
            lines = shown_lines(session, path, self._ls.encoding)
            items = [
                types.Diagnostic(
                    range=shown_range(lines, item.shown),
                    message=_message(item, headline(item.proposal)),
                    severity=types.DiagnosticSeverity.Information,
                    source="greenline",
                    code="pendingHunk",
                    data={"proposalId": item.proposal.id, "hunkId": item.hunk.id},
                )
                for item in session.pending(path)
            ]
            uri = to_uri(session.open_path(path))
            self._ls.text_document_publish_diagnostics(types.PublishDiagnosticsParams(uri, items))
        self._marked = (self._marked - set(paths)) | (waiting & set(paths))

    def _told_of_hunks(self) -> None:
        """Send the status where another number of hunks waits: a review changes no run's state for each."""
        n_pending = self._ls.session.n_pending()
        if n_pending != self._n_pending:
            self._n_pending = n_pending
            self.status_changed()

    async def _send_status(self) -> None:
        """Send the status until nothing has changed since: what changes during one is told by the next."""
        try:
            while self._is_due:
                self._is_due = False
                self._ls.protocol.notify(protocol.STATUS_CHANGED, await self._ls.status())
        finally:
            self._is_telling = False

    async def _refresh(self) -> None:
        try:
            await self._ls.workspace_code_lens_refresh_async(None)
        except JsonRpcException:
            return

    async def _ask(self, run_id: str, question: Question) -> None:
        titles = list(_PERMISSION) if question.kind == "permission" else list(question.options)
        if not titles:
            self._ls.say(
                types.MessageType.Info,
                f"{question.text} Answer with the command greenline.server.respond "
                f"(run {run_id}, question {question.id}).",
            )
            return
        chosen = await self._ls.ask(question.text, titles)
        if chosen is None:
            chosen = "Reject once" if question.kind == "permission" else ""
        decision = _PERMISSION.get(chosen, chosen) if question.kind == "permission" else chosen
        if decision:
            # The run may have been cancelled while the question was on the screen.
            with contextlib.suppress(NotFound, WrongState):
                await self._ls.session.agent.answer(run_id, question.id, decision)


def _message(item: PlacedHunk, evidence: str) -> str:
    what = "Proposed change"
    if item.placed is None:
        what = "Proposed change (conflicted: its base text is gone)"
    elif needed := item.needed():
        what = f"Proposed change (needs {len(needed)} more)"
    return f"{what}: {item.hunk.why} [{evidence}]" if item.hunk.why else f"{what} [{evidence}]"


def plan_file(state_dir: Path, run_id: str, markdown: str) -> Path:
    """Write a plan where an editor without virtual documents can open it, read-only."""
    folder = state_dir / "plans"
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    path = folder / f"{run_id}.md"
    path.unlink(missing_ok=True)
    path.write_text(markdown, encoding="utf-8")
    path.chmod(0o400)
    return path
