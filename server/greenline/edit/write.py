"""Writes changes to the disk, all or none: compared, written beside, synced, renamed, and recorded first.

Invariant: whatever dies at whatever moment, after `recover` every file of a change is as before or every one
is as after, and the journal says which; a file that somebody else changed meanwhile is left alone and named.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import attrs

from greenline.core.edit import FileChange
from greenline.core.error import EditRejected, GreenlineError
from greenline.edit.beside import is_torn, put, replace, without_second_names, write_beside
from greenline.edit.git_folder import is_of_git
from greenline.edit.held import NotWritten, holds, mode_bits, read_bytes
from greenline.edit.kept import kept_of
from greenline.edit.room import folders_of, in_the_way, missing_folders, remove_folders, remove_if_empty
from greenline.journal.blob import sync_folder
from greenline.journal.checkpoint import Checkpoint, CheckpointFile, Draft, FileVersions, Kind, Mark
from greenline.workspace.lock import locked
from greenline.workspace.regular import is_special
from greenline.workspace.root import locate
from greenline.workspace.state import state_home

if TYPE_CHECKING:
    from greenline.journal.checkpoint_store import CheckpointStore

_DIED = "The process that wrote the change ended before it was through."


@attrs.frozen
class Occasion:
    """Why something is written, for the journal."""

    reason: str
    """One line for people."""
    run_id: str | None = None
    kind: Kind = "apply"
    marks: tuple[Mark, ...] = ()
    """Hunks whose review state moves when the change is made."""
    undoes: tuple[str, ...] = ()
    empties: tuple[str, ...] = ()
    """Folders, outermost first, that go with the change where nothing is left in them."""


def apply_changes(
    changes: Sequence[FileChange], roots: Sequence[str], store: CheckpointStore, occasion: Occasion
) -> Checkpoint:
    """Write all changes or none, and return the checkpoint that takes them back.

    Links are written through. Each file must hold exactly `before`. Raises `EditRejected` (`stale`, `exists`,
    `missing`, `protected`), `OutsideWorkspace` or `NotWritten`, and then nothing is changed. Call `recover`
    once at start. May run in any thread.
    """
    with contextlib.ExitStack() as stack:
        try:
            # A change may reach over several workspaces, so all writers of a user share one lock: between
            # a file's comparison and its new name nobody else may write it.
            state_home().mkdir(parents=True, exist_ok=True)
            stack.enter_context(locked(state_home() / "write.lock"))
        except OSError as error:
            raise NotWritten(
                f"{error.filename} cannot be written: {error.strerror}; nothing was changed.",
                remedy="Check the space and the permissions of the state folder.",
            ) from error
        return _apply(changes, roots, store, occasion)


def _apply(
    changes: Sequence[FileChange], roots: Sequence[str], store: CheckpointStore, occasion: Occasion
) -> Checkpoint:
    targets = [(_target(change.path, roots), change) for change in changes]
    if len({path for path, _ in targets}) != len(targets):
        raise EditRejected("Two changes name the same file.", remedy="Make one change of them.")
    targets = without_second_names(targets)
    versions = tuple(_versions(path, change) for path, change in targets)
    draft = Draft(
        occasion.kind,
        "disk",
        occasion.reason,
        versions,
        tuple(roots),
        occasion.run_id,
        occasion.marks,
        tuple(missing_folders(versions)),
        occasion.undoes,
    )
    try:
        checkpoint = store.begin(draft)
    except OSError as error:
        raise NotWritten(
            f"No checkpoint can be taken: {error.strerror or error}; nothing was changed.",
            remedy="Check the space and the permissions of the state folder.",
        ) from error
    written: set[str] = set()
    try:
        _write_all(checkpoint, versions, written)
        remove_if_empty(occasion.empties)
        store.finish(checkpoint)
    except BaseException as error:
        if not store.is_done(checkpoint):
            _undo_partly(checkpoint, store, written, error)
        if isinstance(error, OSError):
            raise NotWritten(
                f"{_meant(checkpoint, error)} cannot be written: {error.strerror}; nothing was changed.",
                remedy="Check the permissions and the space.",
            ) from error
        raise
    return checkpoint


def _meant(checkpoint: Checkpoint, error: OSError) -> str:
    """Return the file that a failure is about, by its own name and not that of what lies beside it."""
    name = os.fsdecode(error.filename or checkpoint.files[0].path)
    own = {str(_temporary(checkpoint, number)): file.path for number, file in enumerate(checkpoint.files)}
    return own.get(name, name)


def recover(store: CheckpointStore) -> tuple[str, ...]:
    """Bring every change whose process died to an end; return one sentence for each that needs attention.

    A change is rolled back, unless all of its files were written already, but for those that somebody else
    changed since; where a content that the way back needs is damaged, it is carried through instead.
    Another process that does the same meanwhile takes other changes.
    """
    problems: list[str] = []
    for checkpoint in store.left_behind():
        if not store.claim(checkpoint):
            continue
        if checkpoint.place == "editor":
            store.unconfirmed(checkpoint, "The server ended before the editor had answered.")
            continue
        try:
            problems += _bring_to_an_end(checkpoint, store)
        except (GreenlineError, OSError) as error:
            store.abandon(checkpoint, f"{_DIED} {error}")
            problems.append(f"The change {checkpoint.id} is half made: {error}")
    return tuple(problems)


# --- forward --------------------------------------------------------------------------------------------


def _target(path: str, roots: Sequence[str]) -> str:
    """Return the file that a path leads to; raises where it is outside, or where git keeps its records."""
    located = locate(path, roots)
    if is_of_git(located):
        raise EditRejected(
            f"{path} must not be written: git keeps its own records there.",
            remedy="Change the project's files instead.",
            code="protected",
        )
    return os.path.realpath(located.target)


def _versions(path: str, change: FileChange) -> FileVersions:
    """Return a file's bytes and mode before and after; raises where it is not as the change expects."""
    _compare(path, change.before)
    mode = mode_bits(path)
    if change.after is None:
        return FileVersions(path, change.before, None, mode, kept=kept_of(path))
    wanted = change.mode
    if wanted is None and change.moved_from not in (None, change.path):
        wanted = mode_bits(os.path.realpath(change.moved_from))
    kept, wanted = change.kept, mode if wanted is None else wanted
    if change.moved_from not in (None, change.path):
        kept = kept_of(os.path.realpath(change.moved_from))
    return FileVersions(path, change.before, change.after, mode, wanted, kept=kept)


def _compare(path: str, expected: bytes | None) -> None:
    found = read_bytes(path)
    if found == expected:
        return
    if expected is None:
        raise EditRejected(f"{path} exists by now.", remedy="Ask for the change again.", code="exists")
    if found is None:
        raise EditRejected(f"{path} is gone.", remedy="Ask for the change again.", code="missing")
    raise EditRejected(
        f"{path} was changed since the edit was made.", remedy="Ask for the change again.", code="stale"
    )


def _write_all(checkpoint: Checkpoint, versions: Sequence[FileVersions], written: set[str]) -> None:
    """Write all files; `written` holds those that were reached, also when it raises."""
    early = in_the_way(versions)
    for held in early:
        _compare(held.path, held.before)
        written.add(held.path)
        Path(held.path).unlink()
    remove_folders(versions)
    for folder in checkpoint.folders:
        Path(folder).mkdir(exist_ok=True)
    for number, held in enumerate(versions):
        if held.after is not None:
            write_beside(_temporary(checkpoint, number), held.path, held.after, held.after_mode, held.kept)
    for number, held in enumerate(versions):
        if held in early:
            continue
        _compare(held.path, held.before)
        written.add(held.path)
        try:
            put(_temporary(checkpoint, number), held.path, held.before, held.after)
        except EditRejected:
            written.remove(held.path)
            raise
    for parent in folders_of(checkpoint):
        if parent.is_dir():
            sync_folder(parent)


# --- back -----------------------------------------------------------------------------------------------


def _undo_partly(
    checkpoint: Checkpoint, store: CheckpointStore, written: set[str], error: BaseException
) -> None:
    """Roll a change back that failed on the way; what cannot be rolled back waits for the next start."""
    try:
        foreign = _roll_back(checkpoint, store, written)
    except (GreenlineError, OSError) as second:
        # The journal may be what failed; a row that it keeps is the next start's then as well.
        with contextlib.suppress(GreenlineError):
            store.abandon(checkpoint, f"It failed: {error} It could not be rolled back: {second}")
        raise NotWritten(
            f"The change {checkpoint.id} is half made: {error} It could not be rolled back: {second}",
            remedy="The next start of Greenline tries again; `greenline checkpoints` shows its state.",
            code="halfMade",
        ) from error
    left = _left_alone([path for path in foreign if path in written])
    with contextlib.suppress(GreenlineError):
        store.roll_back(checkpoint, f"It failed: {error}{left}")


def _bring_to_an_end(checkpoint: Checkpoint, store: CheckpointStore) -> list[str]:
    """Finish a change or roll it back; return what the user has to be told."""
    foreign = [file.path for file in checkpoint.files if _is_foreign(file, store)]
    own = [file for file in checkpoint.files if file.path not in foreign]
    if own and all(holds(file, file.after, file.after_mode) for file in own):
        _sweep(checkpoint)
        remove_if_empty(_made_by_undone(checkpoint, store))
        done = "Every file had been written."
        store.finish(checkpoint, f"{_DIED} {done}{_left_alone(foreign)}")
        return _told(checkpoint, done, foreign)
    try:
        foreign = _roll_back(checkpoint, store, {file.path for file in checkpoint.files})
    except GreenlineError as damaged:
        _carry_through(checkpoint, store)
        done = f"It was carried through, for the way back is lost: {damaged}"
        store.finish(checkpoint, f"{_DIED} {done}{_left_alone(foreign)}")
        return _told(checkpoint, done, foreign)
    done = "It was rolled back."
    store.roll_back(checkpoint, f"{_DIED} {done}{_left_alone(foreign)}")
    return _told(checkpoint, done, foreign)


def _made_by_undone(checkpoint: Checkpoint, store: CheckpointStore) -> list[str]:
    """Return the folders that the changes which an undo takes back had made, outermost first."""
    found: list[str] = []
    for name in reversed(checkpoint.undoes):
        with contextlib.suppress(GreenlineError):
            found += store.get(name).folders
    return found


def _told(checkpoint: Checkpoint, done: str, foreign: Sequence[str]) -> list[str]:
    if not foreign:
        return []
    return [f"The change {checkpoint.id} ({checkpoint.reason}) was cut short. {done}{_left_alone(foreign)}"]


def _left_alone(foreign: Sequence[str]) -> str:
    return f" Left alone, for they were changed since: {', '.join(foreign)}." if foreign else ""


def _roll_back(checkpoint: Checkpoint, store: CheckpointStore, reached: set[str]) -> list[str]:
    """Put back what the change has reached; return the files that somebody else changed since."""
    _sweep(checkpoint)
    files = [file for file in _changed(checkpoint, store) if file.path in reached]
    contents = {f.path: None if f.before is None else store.blobs.get(f.before) for f in files}
    foreign = [f.path for f in checkpoint.files if f.path not in contents and not holds(f, f.before, None)]
    # What the change made goes first: a file that comes back may have been where a folder is now.
    modes = {file.path: file.before_mode for file in files}
    _put_all(checkpoint, contents, modes, are_gone=True)
    remove_if_empty(checkpoint.folders)
    _put_all(checkpoint, contents, modes, are_gone=False)
    return foreign


def _put_all(
    checkpoint: Checkpoint,
    contents: Mapping[str, bytes | None],
    modes: Mapping[str, int | None],
    *,
    are_gone: bool,
) -> None:
    """Give files their contents: those that there are to be none of any more, or the others."""
    for number, file in enumerate(checkpoint.files):
        if file.path in contents and (contents[file.path] is None) == are_gone:
            _replace(checkpoint, number, contents[file.path], modes[file.path])


def _carry_through(checkpoint: Checkpoint, store: CheckpointStore) -> None:
    waiting = [f for f in checkpoint.files if f.before != f.after and holds(f, f.before, None)]
    contents = {f.path: None if f.after is None else store.blobs.get(f.after) for f in waiting}
    modes = {file.path: file.after_mode for file in waiting}
    _put_all(checkpoint, contents, modes, are_gone=True)
    remove_folders(waiting)
    for folder in checkpoint.folders:
        Path(folder).mkdir(exist_ok=True)
    _put_all(checkpoint, contents, modes, are_gone=False)


def _changed(checkpoint: Checkpoint, store: CheckpointStore) -> Iterator[CheckpointFile]:
    """Yield the files that the change has reached and that nobody else changed since."""
    for file in checkpoint.files:
        before = holds(file, file.before, file.before_mode)
        if not before and (holds(file, file.after, None) or _is_half_written(file, store)):
            yield file


def _is_foreign(file: CheckpointFile, store: CheckpointStore) -> bool:
    """Return whether somebody else changed the content of a file since."""
    known = holds(file, file.before, None) or holds(file, file.after, None)
    return not known and not _is_half_written(file, store)


def _is_half_written(file: CheckpointFile, store: CheckpointStore) -> bool:
    """Return whether a file that had to be overwritten in place is so in part."""
    if is_special(file.path):
        return False
    found = read_bytes(file.path)
    if found is None or file.before is None or file.after is None:
        return False
    try:
        return is_torn(found, store.blobs.get(file.before), store.blobs.get(file.after))
    except GreenlineError:
        return False


def _replace(checkpoint: Checkpoint, number: int, data: bytes | None, mode: int | None) -> None:
    temporary = _temporary(checkpoint, number)
    file = checkpoint.files[number]
    path, kept = file.path, "" if file.before and file.after else file.kept
    if data is None:
        with contextlib.suppress(NotADirectoryError):
            Path(path).unlink(missing_ok=True)
    else:
        Path(path).parent.mkdir(parents=True, exist_ok=True)
        write_beside(temporary, path, data, mode, kept)
        replace(temporary, path, data)
    with contextlib.suppress(FileNotFoundError, NotADirectoryError):
        sync_folder(Path(path).parent)


def _sweep(checkpoint: Checkpoint) -> None:
    """Remove what a change that was cut short left beside its files."""
    for number in range(len(checkpoint.files)):
        temporary = _temporary(checkpoint, number)
        # A disk that is read-only refuses to remove also what is not there.
        if os.path.lexists(temporary):
            temporary.unlink(missing_ok=True)


# --- the disk -------------------------------------------------------------------------------------------


def _temporary(checkpoint: Checkpoint, number: int) -> Path:
    """Return where a file's next content lies until it gets its name; found again after a crash."""
    return Path(checkpoint.files[number].path).with_name(f".greenline-{checkpoint.id}-{number}.tmp")
