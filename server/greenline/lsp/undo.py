"""`agent/undo`: takes checkpoints back in the buffers as they are, and never over what came later."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

import attrs

from greenline.core.edit import FileChange, Hunk
from greenline.core.error import GreenlineError, InvalidInput, WrongState
from greenline.core.event import Event
from greenline.core.task import Proposal
from greenline.edit.hunk import split
from greenline.edit.restore import Content, UndoConflict
from greenline.edit.taken_back import Stage, places
from greenline.edit.undo import Undone, UndoPlan, in_force, plan_undo
from greenline.journal.checkpoint import Checkpoint, CheckpointFile, Mark
from greenline.lsp.decision import Editor
from greenline.lsp.landing import Buffers, Change, Landed, Landing
from greenline.lsp.review import CurrentText, FileEdit, Replacement, file_edits

if TYPE_CHECKING:
    from greenline.journal.checkpoint_store import CheckpointStore

_LABEL = "Greenline: undo"
Tell = Callable[[str, str, Mapping[str, Hunk | None]], None]
"""Hears of a path, its text after an undo, and the hunks on it by their ids; None where nothing tells."""
_Told = tuple[str, str, Mapping[str, Hunk | None]]
_Now = CurrentText | GreenlineError | None


@attrs.frozen
class UndoneInEditor:
    """Outcome of an undo in an editor."""

    undone: Undone
    landed: Landed | None = None
    """None where there was nothing to apply."""
    events: tuple[Event, ...] = ()
    """New events of the runs."""
    marks: tuple[Mark, ...] = ()
    """Hunks whose review state went back."""
    texts: tuple[str, ...] = ()
    """Texts before the changes that were taken back; hunks that wait again were made against one of these."""


def of_proposal(store: CheckpointStore, proposal: Proposal) -> list[Checkpoint]:
    """Return what was accepted of a proposal and is in force, newest first; raises `WrongState`."""
    found = [
        checkpoint
        for checkpoint in store.applied_by(proposal.run_id)
        if any(mark.proposal_id == proposal.id for mark in checkpoint.marks)
    ]
    if not found:
        raise WrongState(
            f"Nothing of the proposal {proposal.id!r} is applied.",
            remedy="Only accepted hunks can be undone.",
        )
    return found


def chosen(store: CheckpointStore, proposal: Proposal | None, checkpoint_id: str | None) -> list[Checkpoint]:
    """Return the checkpoints that a request names, newest first; one that names nothing means the newest."""
    if proposal is not None and checkpoint_id is not None:
        raise InvalidInput(
            "The request names a proposalId and a checkpointId.", remedy="Name one of them, or neither."
        )
    if proposal is not None:
        return of_proposal(store, proposal)
    return [in_force(store.get(checkpoint_id)) if checkpoint_id else store.newest_in_force()]


async def undo_in_editor(
    store: CheckpointStore,
    checkpoints: Sequence[Checkpoint],
    buffers: Buffers,
    landing: Landing,
    editor: Editor,
    tell: Tell,
) -> UndoneInEditor:
    """Take checkpoints back through one versioned edit; nothing is applied where that edit fails.

    `tell` is told where hunks will stand before the editor is asked, and may be told again.
    """

    plan = await plan_in_editor(store, checkpoints, buffers)
    if plan.is_made:
        _tell_places(await asyncio.to_thread(_places, store, plan), tell)
        events = await asyncio.to_thread(store.note_undone, checkpoints, plan.marks)
        texts = await asyncio.to_thread(_texts_before, store, checkpoints)
        return UndoneInEditor(Undone(by_hand=plan.undoes), None, events, plan.marks, texts)
    if not plan.restored:
        return UndoneInEditor(Undone(conflicts=plan.conflicts))
    plans = [plan]

    async def change() -> Change:
        plans.append(await plan_in_editor(store, checkpoints, buffers))
        _tell_places(await asyncio.to_thread(_places, store, plans[-1]), tell)
        return _change(plans[-1])

    # Nothing is waited for once it has landed, where a cancellation would leave the hunks as accepted.
    texts = await asyncio.to_thread(_texts_before, store, checkpoints)
    landed = await landing.land(change, editor)
    plan = plans[-1]
    if landed.failures:
        failed = tuple(UndoConflict(path, reason) for path, reason in sorted(landed.failures.items()))
        return UndoneInEditor(Undone(conflicts=failed), landed, landed.events, landed.change.marks)
    modes = tuple(UndoConflict(path, reason) for path, reason in sorted(landed.modes.items()))
    undone = Undone(tuple(sorted(plan.restored)), plan.conflicts + modes, landed.checkpoint)
    return UndoneInEditor(undone, landed, landed.events, landed.change.marks, texts)


async def plan_in_editor(
    store: CheckpointStore, checkpoints: Sequence[Checkpoint], buffers: Buffers
) -> UndoPlan:
    """Plan on the texts of this moment; comparing large files is left to a thread."""

    paths = {file.path for checkpoint in checkpoints for file in checkpoint.files}
    now = {path: _now(buffers.current, path) for path in paths}

    def content(path: str) -> Content | None:
        held = now[path]
        if isinstance(held, GreenlineError):
            raise held
        return None if held is None else Content.of_text(held.text)

    plan = await asyncio.to_thread(plan_undo, store, checkpoints, content)
    return attrs.evolve(
        plan,
        versions={p: held.version for p, held in now.items() if isinstance(held, CurrentText)},
    )


def _places(store: CheckpointStore, plan: UndoPlan) -> list[_Told]:
    """Return the path, the text after the undo and the places in it of each file whose hunks wait again."""
    found = []
    for path, current in plan.current.items():
        content = plan.restored[path].content if path in plan.restored else current
        try:
            now, restored = text_of(current), text_of(content)
            if now is not None and restored is not None:
                found.append((path, restored, _places_in(store, plan, path, now, restored)))
        except GreenlineError:
            # Files that are no text are taken back whole.
            continue
    return found


def _places_in(
    store: CheckpointStore, plan: UndoPlan, path: str, now: str, restored: str
) -> Mapping[str, Hunk | None]:
    gone = {(mark.path, mark.proposal_id, mark.hunk_id) for mark in plan.marks}
    stages: list[Stage] = []
    hunks: dict[str, Hunk] = {}
    for checkpoint in plan.checkpoints:
        marks = tuple(m for m in checkpoint.marks if (path, m.proposal_id, m.hunk_id) in gone)
        for proposal_id in {mark.proposal_id for mark in marks}:
            known = store.journal.proposal(proposal_id).hunks
            hunks |= {hunk.id: hunk for hunk in known if hunk.op == "edit"}
        for file in (file for file in checkpoint.files if file.path == path and marks):
            stages.append(Stage(_text(store, file, file.before), _text(store, file, file.after), marks))
    hunks = {mark.hunk_id: hunks[mark.hunk_id] for s in stages for mark in s.marks if mark.hunk_id in hunks}
    texts = {hunk.base_hash: store.journal.text(hunk.base_hash) for hunk in hunks.values()}
    bases = {name: text for name, text in texts.items() if text is not None}
    told = places(now, restored, stages, hunks, bases)
    return {name: told[name] for name in hunks}


def _tell_places(found: Sequence[_Told], tell: Tell) -> None:
    for path, text, hunks in found:
        if hunks:
            tell(path, text, hunks)


def _text(store: CheckpointStore, file: CheckpointFile, name: str | None) -> str:
    """Return a stored content's text; none where it cannot be read, as the next one then tells nothing."""
    try:
        return "" if name is None else Content(store.blobs.get(name), file.encoding).file().text
    except GreenlineError:
        return ""


def _now(current: Callable[[str], CurrentText | None], path: str) -> _Now:
    try:
        return current(path)
    except GreenlineError as error:
        return error


def _change(plan: UndoPlan) -> Change:
    runs = {checkpoint.run_id for checkpoint in plan.checkpoints}
    return Change(
        _LABEL,
        tuple(
            attrs.evolve(
                _edit(path, text_of(plan.current[path]), text_of(done.content), plan.versions.get(path)),
                mode=done.mode,
                form="" if done.content is None else done.content.file().form,
            )
            for path, done in sorted(plan.restored.items())
        ),
        "undo",
        plan.reason,
        plan.roots,
        runs.pop() if len(runs) == 1 else None,
        plan.marks,
        plan.undoes,
    )


def _edit(path: str, old: str | None, new: str | None, version: int | None) -> FileEdit:
    if old is None:
        return FileEdit(path, "create", "", new or "", None, (Replacement(0, 0, new or ""),))
    if new is None:
        return FileEdit(path, "delete", old, "", version)
    hunks = split(FileChange(path, b"", b""), old, new)
    if not hunks:
        return FileEdit(path, "edit", old, new, version)
    (edit,) = file_edits(hunks, {path: CurrentText(old, version)})
    return edit


def text_of(content: Content | None) -> str | None:
    """Return a content as text; raises `InvalidInput` for bytes that are none."""
    return None if content is None else content.file().text


def texts_of_undone(store: CheckpointStore, names: Sequence[str]) -> tuple[str, ...]:
    """Return the texts before changes that were taken back, which are named by their ids."""
    return _texts_before(store, [store.get(name) for name in names])


def _texts_before(store: CheckpointStore, checkpoints: Sequence[Checkpoint]) -> tuple[str, ...]:
    texts = []
    for file in (file for checkpoint in checkpoints for file in checkpoint.files):
        if file.before is not None:
            try:
                texts.append(Content(store.blobs.get(file.before), file.encoding).file().text)
            except GreenlineError:
                continue
    return tuple(texts)
