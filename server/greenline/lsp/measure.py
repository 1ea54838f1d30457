"""What a re-verification measures: the text as it is, beside the same text without the proposal's changes."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import TYPE_CHECKING

import attrs

from greenline.core.edit import EditSet, FileChange, Hunk, HunkState
from greenline.core.error import WrongState
from greenline.core.task import Proposal
from greenline.edit.undo import in_force
from greenline.lsp.landing import Buffers, file_versions
from greenline.lsp.review import FileEdit, file_edits
from greenline.lsp.undo import of_proposal, plan_in_editor, text_of

if TYPE_CHECKING:
    from greenline.journal.checkpoint_store import CheckpointStore


@attrs.frozen
class MeasuredChange:
    """A change to verify, and the hunks that it stands for."""

    edit_set: EditSet
    """Its `after` is the text as it is where something was accepted."""
    hunk_ids: tuple[str, ...]


async def measured_change(
    proposal: Proposal,
    store: CheckpointStore,
    buffers: Buffers,
    placed: Callable[[Hunk], Hunk | None],
) -> MeasuredChange:
    """Return what is accepted of a proposal as a change to the text without it, or else what waits.

    Raises `WrongState` where nothing of the proposal is in the text or waits for it.
    """
    accepted = tuple(hunk.id for hunk in proposal.hunks if hunk.state is HunkState.ACCEPTED)
    if accepted:
        plan = await plan_in_editor(store, [in_force(c) for c in of_proposal(store, proposal)], buffers)
        edits = [
            attrs.evolve(
                _edit(path, text_of(done.content), text_of(plan.current[path])),
                form="" if done.content is None else done.content.file().form,
            )
            for path, done in sorted(plan.restored.items())
        ]
        names = accepted
    else:
        waiting = [there for hunk in proposal.pending() if (there := placed(hunk)) is not None]
        paths = {hunk.path for hunk in waiting}
        now = {path: text for path in paths if (text := buffers.current(path)) is not None}
        edits = list(file_edits(waiting, now))
        names = tuple(hunk.id for hunk in waiting)
    if not edits:
        raise WrongState(
            f"Nothing of the proposal {proposal.id!r} is in the text or fits it.",
            remedy="Ask for the change again.",
        )
    changes = await asyncio.to_thread(lambda: tuple(_change(edit) for edit in edits))
    return MeasuredChange(EditSet(changes), names)


def _edit(path: str, before: str | None, after: str | None) -> FileEdit:
    op = "edit"
    if before is None:
        op = "create"
    elif after is None:
        op = "delete"
    return FileEdit(path, op, before or "", after or "", None)  # type: ignore[arg-type]


def _change(edit: FileEdit) -> FileChange:
    versions = file_versions(edit)
    return FileChange(edit.path, versions.before, versions.after, mode=versions.after_mode)
