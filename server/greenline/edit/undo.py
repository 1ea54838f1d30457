"""Taking checkpoints back: which ones a name means, and what each file should hold afterwards."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING

import attrs

from greenline.core.edit import FileChange
from greenline.core.error import GreenlineError, InvalidInput, NotFound, WrongState
from greenline.edit.change import reversed_marks
from greenline.edit.held import mode_bits, read_bytes
from greenline.edit.restore import Content, Restored, UndoConflict, restore
from greenline.edit.write import Occasion, apply_changes
from greenline.journal.checkpoint import Checkpoint, CheckpointFile, Mark
from greenline.workspace.root import locate

if TYPE_CHECKING:
    from greenline.journal.checkpoint_store import CheckpointStore

Current = Callable[[str], Content | None]
"""Absolute path → what the file holds now; raises `GreenlineError` where that cannot be told."""


@attrs.frozen
class UndoPlan:
    """What taking checkpoints back comes to."""

    checkpoints: tuple[Checkpoint, ...]
    """Newest first."""
    current: dict[str, Content | None]
    """What each file holds now; those that could not be read are left out."""
    restored: dict[str, Restored]
    """The files that change."""
    conflicts: tuple[UndoConflict, ...] = ()
    kept: tuple[Mark, ...] = ()
    """Marks of the hunks that stay in the files."""
    versions: dict[str, int | None] = attrs.field(factory=dict)
    """Versions of the buffers that `current` was read from."""

    @property
    def is_made(self) -> bool:
        """Whether everything is as it was before the changes already."""
        return not self.restored and not self.conflicts

    @property
    def reason(self) -> str:
        """One line for the journal."""
        return f"undo of {', '.join(item.id for item in self.checkpoints)}"

    @property
    def marks(self) -> tuple[Mark, ...]:
        """Hunks whose review state goes back."""
        return reversed_marks((m for item in self.checkpoints for m in item.marks), self.kept)

    @property
    def roots(self) -> tuple[str, ...]:
        """Folders of the workspace that the files lie in."""
        return tuple(dict.fromkeys(root for item in self.checkpoints for root in item.roots))

    @property
    def undoes(self) -> tuple[str, ...]:
        """The checkpoints that are taken back whole."""
        stuck = {conflict.path for conflict in self.conflicts}
        return tuple(c.id for c in self.checkpoints if not stuck.intersection(f.path for f in c.files))


@attrs.frozen
class Undone:
    """Outcome of an undo."""

    restored: tuple[str, ...] = ()
    """Paths that changed; a path may have conflicts too."""
    conflicts: tuple[UndoConflict, ...] = ()
    checkpoint: Checkpoint | None = None
    """Takes this undo back; None where no file changed."""
    by_hand: tuple[str, ...] = ()
    """Checkpoints that somebody had taken back already, and that count as undone from now on."""


def named_checkpoints(store: CheckpointStore, name: str | None) -> list[Checkpoint]:
    """Return what a run's or checkpoint's id (or enough of one) means, newest first; None means the newest.

    Raises `NotFound` for an unknown name, `InvalidInput` for one that fits several, and `WrongState` where it
    was undone already or never came about.
    """
    if name is None:
        return [store.newest_in_force()]
    known = {item.id for item in store.newest_first()}
    runs = {run_id for (run_id,) in store.journal.query("SELECT id FROM runs")}
    ids = known | runs
    fitting = [name] if name in ids else sorted(i for i in ids if name and i.startswith(name))
    if len(fitting) > 1:
        raise InvalidInput(f"{name!r} fits {len(fitting)} ids.", remedy="Give more of the id.")
    if not fitting:
        raise NotFound(
            f"There is no run or checkpoint {name!r}.",
            remedy="`greenline checkpoints` and `greenline runs` list them.",
        )
    if fitting[0] in known:
        return [in_force(store.get(fitting[0]))]
    found = store.applied_by(fitting[0])
    if not found:
        raise WrongState(
            f"The run {fitting[0]} has nothing to undo.",
            remedy="`greenline checkpoints` lists what was applied and undone.",
        )
    return found


def in_force(checkpoint: Checkpoint) -> Checkpoint:
    """Return a checkpoint that can be taken back; raises `WrongState` for any other."""
    if checkpoint.in_force:
        return checkpoint
    if checkpoint.undone_by == checkpoint.id:
        raise WrongState(
            f"The checkpoint {checkpoint.id} was taken back by hand already.",
            remedy="`greenline checkpoints` lists the others.",
        )
    if checkpoint.undone_by is not None:
        raise WrongState(
            f"The checkpoint {checkpoint.id} was undone already.",
            remedy=f"Undo {checkpoint.undone_by} to have the change again.",
        )
    raise WrongState(
        f"The checkpoint {checkpoint.id} is {checkpoint.state.value}: there is nothing to undo.",
        remedy="`greenline checkpoints` lists the others.",
    )


def plan_undo(store: CheckpointStore, checkpoints: Sequence[Checkpoint], current: Current) -> UndoPlan:
    """Return what taking checkpoints back (newest first) does to each file; nothing is written.

    A damaged content, a binary file that changed or a line that was edited since is a conflict of its file;
    the others are not affected. May run in any thread that `current` may.
    """
    steps: dict[str, list[tuple[Checkpoint, CheckpointFile]]] = {}
    for checkpoint in checkpoints:
        for file in checkpoint.files:
            steps.setdefault(file.path, []).append((checkpoint, file))
    held: dict[str, Content | None] = {}
    restored: dict[str, Restored] = {}
    conflicts: list[UndoConflict] = []
    kept: list[Mark] = []
    for path, items in steps.items():
        try:
            held[path] = current(path)
        except GreenlineError as error:
            conflicts.append(UndoConflict(path, str(error)))
            kept += [mark for checkpoint, _ in items for mark in checkpoint.marks if mark.path == path]
            continue
        done = restore(held[path], items, store.blobs.get, mode_bits(path))
        conflicts += done.conflicts
        kept += done.kept
        if done.content != held[path] or done.mode not in (None, mode_bits(path)):
            restored[path] = done
    return UndoPlan(tuple(checkpoints), held, restored, tuple(conflicts), tuple(kept))


def undo_on_disk(store: CheckpointStore, checkpoints: Sequence[Checkpoint]) -> Undone:
    """Take checkpoints back in the files on the disk; raises as `apply_changes` does.

    A checkpoint is taken first, so that the undo can be undone. What somebody took back already is marked as
    undone, or else it would be the newest change for ever; but what an editor made may be in a buffer that
    is not saved yet, and raises `WrongState`.
    """
    roots = tuple(dict.fromkeys(root for item in checkpoints for root in item.roots))
    plan = plan_undo(store, checkpoints, partial(_on_disk, roots))
    if plan.is_made:
        _refuse_unsaved(checkpoints)
        store.note_undone(checkpoints, plan.marks)
        return Undone(by_hand=plan.undoes)
    if not plan.restored:
        return Undone(conflicts=plan.conflicts)
    plan = _without_unsaved(plan, store)
    changes = [_as_change(path, plan.current[path], done) for path, done in sorted(plan.restored.items())]
    run_ids = {checkpoint.run_id for checkpoint in checkpoints}
    occasion = Occasion(
        plan.reason,
        run_ids.pop() if len(run_ids) == 1 else None,
        "undo",
        plan.marks,
        plan.undoes,
        # The oldest change may have made the folder that a newer one made another in.
        tuple(folder for checkpoint in reversed(checkpoints) for folder in checkpoint.folders),
    )
    taken = apply_changes(changes, plan.roots, store, occasion)
    return Undone(tuple(change.path for change in changes), plan.conflicts, taken)


def _refuse_unsaved(checkpoints: Sequence[Checkpoint]) -> None:
    """Refuse to take what an editor's buffers may hold for undone; raises `WrongState`."""
    made = [item.id for item in checkpoints if item.place == "editor"]
    if made:
        raise WrongState(
            f"What an editor made by {', '.join(made)} is not in the files: it was not saved, or taken back.",
            remedy="Save it in the editor first, or undo it there; `greenline undo ID` undoes another.",
        )


def _without_unsaved(plan: UndoPlan, store: CheckpointStore) -> UndoPlan:
    """Return the plan with a conflict for each file that an editor changed and the disk has as before."""
    settled = {*plan.restored, *(conflict.path for conflict in plan.conflicts)}
    as_before = [
        (item, file)
        for item in plan.checkpoints
        if item.place == "editor"
        for file in item.files
        if file.before != file.after and file.path not in settled
    ]
    if not as_before:
        return plan
    undone = [item for item in store.newest_first() if item.kind == "undo"]
    unsaved = {
        file.path for item, file in as_before if not any(_restores(undo, item, file) for undo in undone)
    }
    marks = [mark for item in plan.checkpoints for mark in item.marks]
    reason = "It was not saved in the editor, or taken back: save it or undo it there."
    return attrs.evolve(
        plan,
        conflicts=(*plan.conflicts, *(UndoConflict(path, reason) for path in sorted(unsaved))),
        kept=(*plan.kept, *(mark for mark in marks if mark.path in unsaved)),
    )


def _restores(undo: Checkpoint, item: Checkpoint, file: CheckpointFile) -> bool:
    """Return whether an undo has brought a file back to where it was before a change."""
    files = ((other.path, other.after) for other in undo.files)
    return undo.created > item.created and (file.path, file.before) in files


def _on_disk(roots: tuple[str, ...], path: str) -> Content | None:
    locate(path, roots)
    data = read_bytes(path)
    return None if data is None else Content(data)


def _as_change(path: str, now: Content | None, done: Restored) -> FileChange:
    after = None if done.content is None else done.content.data
    kept = done.kept_of_file if now is None else ""
    return FileChange(path, None if now is None else now.data, after, mode=done.mode, kept=kept)
