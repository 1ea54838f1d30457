"""What handlers and commands have in common: progress around runs, documents, explanations, plans to read."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lsprotocol import types
from pygls.exceptions import JsonRpcException

from greenline.core.agent_port import Planned
from greenline.core.document import OpenDocument
from greenline.core.error import InvalidInput, NotFound
from greenline.core.task import Proposal, Run, Task
from greenline.lsp import protocol
from greenline.lsp.convert import to_path, to_uri
from greenline.lsp.hardened import CONTENT_SCHEME
from greenline.lsp.progress import work_progress
from greenline.lsp.publisher import plan_file
from greenline.lsp.render import plain, plan_markdown
from greenline.lsp.text_document import ExactDocument
from greenline.lsp.why import tell

if TYPE_CHECKING:
    from greenline.lsp.server import GreenlineServer
    from greenline.lsp.session import Session


async def plan_task(ls: GreenlineServer, task: Task, token: int | str | None) -> Planned:
    """Plan a task under progress."""
    async with work_progress(ls, token, "Greenline: planning") as report:
        with ls.following("", report):
            return await ls.session.plan(task)


async def execute_run(ls: GreenlineServer, run: str | Task, token: int | str | None) -> Run:
    """Execute a planned run or a task under progress."""
    key = run if isinstance(run, str) else ""
    async with work_progress(ls, token, "Greenline: working") as report:
        with ls.following(key, report):
            return await ls.session.execute(run)


async def verify_again(ls: GreenlineServer, proposal_id: str, token: int | str | None) -> Proposal:
    """Measure a proposal anew under progress."""
    async with work_progress(ls, token, "Greenline: verifying again") as report:
        with ls.following(ls.session.proposal(proposal_id).run_id, report):
            try:
                return await ls.session.verify(proposal_id)
            finally:
                # No run changes its state, and the sandbox may be another than it was.
                ls.publisher.status_changed()


def take_document(ls: GreenlineServer, uri: str) -> None:
    """Hand an open document's text to the session, and say where its pending hunks are now."""
    document = ls.workspace.get_text_document(uri)
    replaced = document.take_replaced() if isinstance(document, ExactDocument) else None
    try:
        path = to_path(uri)
    except InvalidInput:
        return
    language = document.language_id or ""
    ls.session.put_document(OpenDocument(path, document.version, document.source, language))
    ls.session.document_changed(path, replaced)


async def explain_lines(session: Session, path: str, first: int, last: int) -> protocol.ExplainResult:
    """Return what is known about lines of a document of the workspace."""
    session.require_text(path)
    told = await tell(session, path, first, last)
    if told is None:
        return protocol.ExplainResult(f"Nothing is known about line {first + 1} of {plain(path)}.")
    return protocol.ExplainResult(told.markdown, told.hunk_id, told.run_id)


def virtual_document(ls: GreenlineServer, uri: str) -> str:
    """Return the text of one of the server's own documents, `greenline:/plan/RUN.md`."""
    prefix, suffix = f"{CONTENT_SCHEME}:/plan/", ".md"
    if not uri.startswith(prefix) or not uri.endswith(suffix):
        raise NotFound(f"There is no document {uri!r}.", remedy=f"Plans are named {prefix}RUN{suffix}.")
    run = ls.session.run(uri[len(prefix) : -len(suffix)])
    if run.plan is None:
        raise NotFound(f"The run {run.id!r} has no plan yet.", remedy="Ask for one with agent/plan.")
    return plan_markdown(run, run.plan)


async def show_plan(ls: GreenlineServer, run_id: str) -> None:
    """Show a plan as a read-only document."""
    run = ls.session.run(run_id)
    if run.plan is None:
        return
    workspace, window = ls.client_capabilities.workspace, ls.client_capabilities.window
    if workspace and workspace.text_document_content:
        uri = f"{CONTENT_SCHEME}:/plan/{run.id}.md"
    else:
        uri = to_uri(str(plan_file(ls.session.state_dir, run.id, plan_markdown(run, run.plan))))
    if not (window and window.show_document and window.show_document.support):
        ls.say(types.MessageType.Info, f"The plan of {run.id} is in {uri}")
        return
    try:
        await ls.window_show_document_async(types.ShowDocumentParams(uri=uri, take_focus=True))
    except JsonRpcException:
        ls.say(types.MessageType.Info, f"The plan of {run.id} is in {uri}")
