"""The `workspace/executeCommand` forms: everything the agent does, for editors with nothing but plain LSP."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any

import attrs
from lsprotocol import types

from greenline.core.error import GreenlineError, InvalidInput
from greenline.core.task import ContextRange, Run, TaskContext
from greenline.lsp import protocol
from greenline.lsp.argument import argument_of
from greenline.lsp.convert import to_path
from greenline.lsp.editor import ClientEditor
from greenline.lsp.index_command import INDEX_COMMANDS
from greenline.lsp.offer import PREFIX
from greenline.lsp.present import proposal_info, undo_result
from greenline.lsp.render import spoken, verdict_words
from greenline.lsp.review_command import REVIEW_COMMANDS
from greenline.lsp.work import execute_run, explain_lines, plan_task, show_plan

if TYPE_CHECKING:
    from greenline.lsp.server import GreenlineServer


@attrs.frozen
class Place:
    """Where and what, for commands that ask the agent for something."""

    request: str = ""
    uri: str | None = None
    range: types.Range | None = None
    message: str = ""
    """A diagnostic's message."""
    test: str = ""
    """A test's name, as its file has it."""


@attrs.frozen
class RunRef:
    """Names a run."""

    run_id: str


@attrs.frozen
class Answer:
    """An answer to a question of a run."""

    run_id: str
    checkpoint_id: str
    decision: str
    note: str = ""


async def implement(ls: GreenlineServer, *arguments: Any) -> protocol.ExecuteResult:
    """Implement a request, or what the selected lines describe."""
    place = argument_of(ls, Place, arguments)
    return await _execute(ls, place.request or "Implement what the selected lines describe.", place)


async def fix(ls: GreenlineServer, *arguments: Any) -> protocol.ExecuteResult:
    """Fix a diagnostic or a failing test."""
    place = argument_of(ls, Place, arguments)
    if place.test:
        file = f" in {to_path(place.uri)}" if place.uri else ""
        request = f"Make the failing test {place.test}{file} pass."
    elif place.message:
        request = f"Fix this problem: {place.message}"
    else:
        request = place.request or "Make the failing tests pass."
    return await _execute(ls, request, place)


async def tests(ls: GreenlineServer, *arguments: Any) -> protocol.ExecuteResult:
    """Write tests for a place."""
    place = argument_of(ls, Place, arguments)
    return await _execute(ls, place.request or "Write tests for the selected code.", place)


async def explain(ls: GreenlineServer, *arguments: Any) -> protocol.ExplainResult:
    """Explain a place: what is proposed for it and what was measured."""
    place = argument_of(ls, Place, arguments)
    if place.uri is None:
        raise InvalidInput("greenline.server.explain needs uri.", remedy="Name the document and the range.")
    first, last = (place.range.start.line, place.range.end.line) if place.range else (0, 0)
    result = await explain_lines(ls.session, to_path(place.uri), first, last)
    if not ls.client_asks:
        ls.say(types.MessageType.Info, spoken(result.markdown))
    return result


async def plan(ls: GreenlineServer, *arguments: Any) -> protocol.PlanResult:
    """Plan a request and show the plan."""
    place = argument_of(ls, Place, arguments)
    planned = await plan_task(ls, ls.session.task(place.request, _context(place), ()), None)
    ls.supervisor.start(show_plan(ls, planned.run_id), f"show plan {planned.run_id}")
    return protocol.PlanResult(planned.run_id, planned.plan, planned.questions)


async def execute(ls: GreenlineServer, *arguments: Any) -> protocol.ExecuteResult:
    """Execute a planned run."""
    return _finished(ls, await execute_run(ls, argument_of(ls, RunRef, arguments).run_id, None))


async def undo(ls: GreenlineServer, *arguments: Any) -> protocol.UndoResult:
    """Take changes back, and say what stayed."""
    ref = argument_of(ls, protocol.UndoParams, arguments)
    undone = await ls.session.undo(ref.proposal_id, ref.checkpoint_id, ClientEditor(ls))
    for conflict in undone.conflicts[:1]:
        more = f" (and {len(undone.conflicts) - 1} more)" if len(undone.conflicts) > 1 else ""
        ls.say(types.MessageType.Warning, f"Not undone: {conflict.path}: {conflict.reason}{more}")
    if undone.by_hand and not undone.restored:
        ls.say(types.MessageType.Info, "The change was taken back already; it waits for a review again.")
    return undo_result(undone)


async def respond(ls: GreenlineServer, *arguments: Any) -> protocol.RespondResult:
    """Answer a question."""
    answer = argument_of(ls, Answer, arguments)
    run = ls.session.run(answer.run_id)
    await ls.session.agent.answer(run.id, answer.checkpoint_id, answer.decision, answer.note)
    return protocol.RespondResult(ls.session.run(run.id).state.value)


async def pause(ls: GreenlineServer, *arguments: Any) -> protocol.StateResult:
    """Pause a run."""
    run = ls.session.run(argument_of(ls, RunRef, arguments).run_id)
    return protocol.StateResult((await ls.session.agent.pause(run.id)).value)


async def resume(ls: GreenlineServer, *arguments: Any) -> protocol.StateResult:
    """Resume a run."""
    run = ls.session.run(argument_of(ls, RunRef, arguments).run_id)
    return protocol.StateResult((await ls.session.agent.resume(run.id, ls.session.overlays())).value)


async def cancel(ls: GreenlineServer, *arguments: Any) -> protocol.StateResult:
    """Cancel a run."""
    run = ls.session.run(argument_of(ls, RunRef, arguments).run_id)
    return protocol.StateResult((await ls.session.agent.cancel(run.id)).value)


async def status(ls: GreenlineServer, *arguments: Any) -> protocol.StatusResult:
    """Return what the server can do now."""
    return await ls.status()


def _behind(handle: Callable[..., Awaitable[object]]) -> Callable[..., Awaitable[object]]:
    """Answer at once where the editor cannot wait for a command, and work on behind it."""

    async def work(ls: GreenlineServer, *arguments: Any) -> object:
        if not ls.works_behind:
            return await handle(ls, *arguments)
        ls.supervisor.start(_told(ls, handle(ls, *arguments)), f"command {handle.__name__}")
        return None

    return work


async def _told(ls: GreenlineServer, work: Awaitable[object]) -> None:
    """Await work whose failure nobody waits for."""
    try:
        await work
    except GreenlineError as error:
        ls.say(types.MessageType.Error, str(error))


_LONG = ("implement", "fix", "tests", "plan", "execute", "verify")
_EDITING = ("acceptHunk", "acceptFile", "acceptAll", "undo")
"""Their outcome is read from the text, which an editor that stands still does not report."""
_HANDLERS: dict[str, Callable[..., Awaitable[object]]] = {
    "implement": implement,
    "fix": fix,
    "tests": tests,
    "explain": explain,
    "plan": plan,
    "execute": execute,
    **REVIEW_COMMANDS,
    "undo": undo,
    "respond": respond,
    "pause": pause,
    "resume": resume,
    "cancel": cancel,
    "status": status,
    **INDEX_COMMANDS,
}
COMMANDS: dict[str, Callable[..., Awaitable[object]]] = {
    PREFIX + name: _behind(handle) if name in _LONG + _EDITING else handle
    for name, handle in _HANDLERS.items()
}
"""Command → handler; each takes one object."""


def _context(place: Place) -> TaskContext:
    if place.uri is None:
        return TaskContext()
    path = to_path(place.uri)
    where = ContextRange(path, place.range.start.line, place.range.end.line) if place.range else None
    messages = (place.message,) if place.message else ()
    return TaskContext(where, messages, () if where else (path,))


async def _execute(ls: GreenlineServer, request: str, place: Place) -> protocol.ExecuteResult:
    task = ls.session.task(request, _context(place), ())
    return _finished(ls, await execute_run(ls, task, None))


def _finished(ls: GreenlineServer, run: Run) -> protocol.ExecuteResult:
    """Tell the user how a run came to rest, and return it."""
    if run.proposal is None:
        ls.say(types.MessageType.Warning, f"No change is proposed: {run.note or run.state.value}.")
        return protocol.ExecuteResult(run.id, run.state.value, None, run.note)
    count = len(run.proposal.pending())
    ls.say(types.MessageType.Info, f"{count} change(s) proposed: {verdict_words(run.proposal)}.")
    return protocol.ExecuteResult(run.id, run.state.value, proposal_info(ls.session, run.proposal), run.note)
