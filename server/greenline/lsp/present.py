"""Domain values as `agent/*` values: paths become URIs, lines become ranges on the current text."""

from __future__ import annotations

from typing import TYPE_CHECKING

import attrs
from lsprotocol import types

from greenline.core.edit import Hunk, HunkState
from greenline.core.error import GreenlineError, InvalidInput, OutsideWorkspace
from greenline.core.event import Event
from greenline.core.task import ActiveRun, ContextRange, Proposal, Run, Task, TaskContext
from greenline.lsp import protocol
from greenline.lsp.attachment import keep_attachments
from greenline.lsp.convert import Encoding, Lines, to_path, to_uri
from greenline.lsp.decision import Review
from greenline.workspace.root import concerned

if TYPE_CHECKING:
    from greenline.edit.undo import Undone
    from greenline.lsp.session import Session


def proposal_info(session: Session, proposal: Proposal) -> protocol.ProposalInfo:
    """Return a proposal for the wire; a pending hunk whose base text is gone reads `conflicted`."""
    return protocol.ProposalInfo(
        id=proposal.id,
        run_id=proposal.run_id,
        verdict=proposal.evidence.verdict.value,
        reason=proposal.evidence.reason,
        summary=proposal.summary,
        stop_reason=proposal.stop_reason.value,
        hunks=tuple(_hunk_info(session, hunk) for hunk in proposal.hunks),
        evidence=proposal.evidence.without_coverage(),
        alternatives=proposal.alternatives,
    )


def _hunk_info(session: Session, hunk: Hunk) -> protocol.HunkInfo:
    placed = session.placed(hunk)
    shown = placed or session.shown(hunk)
    return protocol.HunkInfo(
        id=hunk.id,
        uri=to_uri(hunk.path),
        op=hunk.op,
        range=types.Range(types.Position(shown.start_line, 0), types.Position(shown.end_line, 0)),
        before=hunk.before,
        after=hunk.after,
        state=(hunk.state if placed else HunkState.CONFLICTED).value,
        base_hash=hunk.base_hash,
        base_version=hunk.base_version,
        why=hunk.why,
        plan_entry=hunk.plan_entry,
        comment=hunk.comment,
        needs=hunk.needs,
        mode=hunk.mode,
    )


def run_info(session: Session, run: Run) -> protocol.RunInfo:
    """Return a run for the wire."""
    return protocol.RunInfo(
        id=run.id,
        request=run.task.request,
        state=run.state.value,
        created=run.created,
        last_seq=run.last_seq,
        plan=run.plan,
        proposal=None if run.proposal is None else proposal_info(session, run.proposal),
        note=run.note,
        roots=root_uris(run.task),
    )


def under_way(run: ActiveRun) -> protocol.UnderWay:
    """Return a run that is under way for the wire."""
    return protocol.UnderWay(run.id, run.task.request, run.state.value, root_uris(run.task))


def root_uris(task: Task) -> tuple[str, ...]:
    """Return the folders that a task is about."""
    try:
        roots = concerned(task.context.paths, task.roots)
    except OutsideWorkspace:
        # A link that led into a folder then may lead elsewhere now.
        roots = task.roots
    return tuple(map(to_uri, roots))


def event_params(event: Event) -> protocol.EventParams:
    """Return an event for the wire."""
    return protocol.EventParams(event.run_id, event.seq, event.time, event.kind.value, event.data)


def review_result(review: Review) -> protocol.ReviewResult:
    """Return a review's outcome for the wire."""
    conflicts = tuple(protocol.Conflict(r.hunk.id, to_uri(r.hunk.path), r.reason) for r in review.refused)
    needs = tuple(
        protocol.NeedInfo(need.hunk.id, to_uri(need.hunk.path), tuple(h.id for h in need.needs))
        for need in review.needs
    )
    return protocol.ReviewResult(review.applied, review.rejected, conflicts, review.checkpoint_id, needs)


def undo_result(undone: Undone) -> protocol.UndoResult:
    """Return an undo's outcome for the wire."""
    return protocol.UndoResult(
        restored=tuple(to_uri(path) for path in undone.restored),
        conflicts=tuple(
            protocol.UndoConflictInfo(to_uri(c.path), c.reason, c.line) for c in undone.conflicts
        ),
        checkpoint_id=None if undone.checkpoint is None else undone.checkpoint.id,
        by_hand=undone.by_hand,
    )


def task_context(session: Session, params: protocol.TaskContextParams | None) -> TaskContext:
    """Return a context for the domain; raises `InvalidInput` for a range without a document, or no image."""
    if params is None:
        return TaskContext()
    context = _pointed_at(params)
    return attrs.evolve(context, attachments=keep_attachments(session.journal, params.attachments))


def _pointed_at(params: protocol.TaskContextParams) -> TaskContext:
    files = tuple(to_path(uri) for uri in params.files)
    if params.text_document is None:
        if params.range is not None:
            raise InvalidInput("The context has a range and no textDocument.", remedy="Name the document.")
        return TaskContext(diagnostics=params.diagnostics, files=files)
    path = to_path(params.text_document.uri)
    if params.range is None:
        return TaskContext(diagnostics=params.diagnostics, files=(path, *files))
    return TaskContext(_lines_of(path, params.range), params.diagnostics, files)


def _lines_of(path: str, selection: types.Range) -> ContextRange:
    end = selection.end.line
    if end > selection.start.line and selection.end.character == 0:
        end -= 1
    return ContextRange(path, selection.start.line, end)


def shown_lines(session: Session, path: str, encoding: Encoding) -> Lines:
    """Return the lines of a document, on which its hunks are shown."""
    try:
        now = session.current(path)
    except GreenlineError:
        now = None
    return Lines.of(now.text if now else "", encoding)


def shown_range(lines: Lines, hunk: Hunk) -> types.Range:
    """Return the range under which a hunk is shown; whole lines, never past the text."""
    return lines.line_range(hunk.start_line, hunk.end_line)
