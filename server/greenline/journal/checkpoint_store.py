"""Checkpoints in the journal's file, and their contents in the blob store beside it.

Invariant: a checkpoint's row is on the disk before the first byte of its change is, and names every content
that a way back or forward needs; so no content that is needed is ever swept away.
"""

from __future__ import annotations

import contextlib
import json
import os
import time
from collections.abc import Iterable, Sequence
from typing import Any

import attrs

from greenline.core.anchor import Anchor
from greenline.core.edit import HunkState
from greenline.core.error import GreenlineError, NotFound
from greenline.core.event import Event, EventKind
from greenline.core.ids import new_id
from greenline.core.task import ACTIVE, Proposal, RunState
from greenline.core.wire import from_json, to_json
from greenline.journal.anchor import (
    anchored_paths,
    anchors_of,
    move_anchor,
    read_anchors,
    settle_anchors,
)
from greenline.journal.blob import BlobStore, content_hash
from greenline.journal.checkpoint import (
    Checkpoint,
    CheckpointFile,
    CheckpointState,
    Draft,
    FileVersions,
    Mark,
)
from greenline.journal.owner import is_alive, process_owner
from greenline.journal.pointer import point_to
from greenline.journal.quota import DEFAULT_QUOTA_BYTES, prune, sweep
from greenline.journal.store import SqliteJournal

_SELECT = (
    "SELECT id, created, kind, place, reason, run_id, state, note, marks, roots, folders, undoes, undone_by"
    " FROM checkpoints"
)
_SELECT_NEWEST = (
    "SELECT p.id, r.state FROM runs r JOIN proposals p ON p.run_id = r.id WHERE r.id = ?"
    " ORDER BY p.saved DESC, p.id DESC LIMIT 1"
)
_ABANDONED = ""
"""Owner of a change that its process could neither finish nor roll back; the next start tries again."""


class CheckpointStore:
    """The checkpoints of one workspace; may be used from several threads and processes at once."""

    def __init__(
        self, journal: SqliteJournal, blobs: BlobStore, quota_bytes: int = DEFAULT_QUOTA_BYTES
    ) -> None:
        self.journal = journal
        self.blobs = blobs
        self._quota_bytes = quota_bytes

    def sweep(self) -> None:
        """Remove what dead processes left half stored, and the contents that nothing names; call at start."""
        sweep(self.journal, self.blobs)

    # --- one change -------------------------------------------------------------------------------------

    def begin(self, draft: Draft) -> Checkpoint:
        """Record what is about to be applied, contents included; on the disk on return."""
        checkpoint = Checkpoint(
            id=new_id("cp"),
            created=time.time(),
            kind=draft.kind,
            place=draft.place,
            reason=draft.reason,
            files=tuple(_stored(versions) for versions in draft.files),
            state=CheckpointState.INTENT,
            roots=draft.roots,
            run_id=draft.run_id,
            marks=draft.marks,
            folders=draft.folders,
            undoes=draft.undoes,
        )
        # Every root that holds one of the files knows where the row is before there is anything to find.
        point_to(self.journal.path, draft.roots, (held.path for held in draft.files))
        # The row comes first: a sweep in another process keeps what a row names, and contents that it took
        # away before are written again below.
        self._insert(checkpoint, draft.files)
        contents = [data for held in draft.files for data in (held.before, held.after) if data is not None]
        self.blobs.put_all(contents)
        return checkpoint

    def planned_anchors(self, checkpoint: Checkpoint, draft: Draft) -> tuple[Anchor, ...]:
        """Return the anchors for `finish` where the files will hold what was planned; reads nothing."""
        pairs = zip(checkpoint.files, draft.files, strict=True)
        contents = {file.after: held.after for file, held in pairs if file.after and held.after is not None}
        return anchors_of(checkpoint, contents.__getitem__, time.time())

    def replace_after(self, checkpoint: Checkpoint, path: str, after: bytes) -> Checkpoint:
        """Note that a file came to hold something else than was planned: an editor's own line ends."""
        name = content_hash(after)
        with self.journal.transaction() as connection:
            connection.execute(
                "UPDATE checkpoint_files SET after_hash = ?, after_size = ?"
                " WHERE checkpoint_id = ? AND path = ?",
                (name, len(after), checkpoint.id, os.fsencode(path)),
            )
        self.blobs.put(after)
        files = tuple(attrs.evolve(f, after=name) if f.path == path else f for f in checkpoint.files)
        return attrs.evolve(checkpoint, files=files)

    def finish(
        self, checkpoint: Checkpoint, note: str = "", anchors: Sequence[Anchor] | None = None
    ) -> tuple[Event, ...]:
        """Say that the change was made; return the run's new events.

        In one transaction: hunks move to the states of the marks and get their anchors, the run moves to the
        state that these call for, and what the change took back is marked as undone. `anchors` are those for
        what the files hold now; None: they are made here.
        """
        if anchors is None:
            anchors = anchors_of(checkpoint, self.blobs.get, time.time())
        with self.journal.transaction() as connection:
            self._set_state(checkpoint.id, CheckpointState.DONE, note)
            settle_anchors(connection, checkpoint, anchors)
            for undone in checkpoint.undoes:
                self._turn(connection, undone, checkpoint.id)
            events = self._announce(checkpoint)
            for proposal_id in sorted({mark.proposal_id for mark in checkpoint.marks}):
                events += self._settle(proposal_id, checkpoint.marks)
        # The change is made and recorded by now; what is over the quota goes with the next one.
        with contextlib.suppress(GreenlineError, OSError):
            prune(self.journal, self.blobs, self._quota_bytes)
        return tuple(events)

    def roll_back(self, checkpoint: Checkpoint, note: str) -> None:
        """Say that every file is as before."""
        with self.journal.transaction():
            self._set_state(checkpoint.id, CheckpointState.ROLLED_BACK, note)

    def note_undone(self, checkpoints: Sequence[Checkpoint], marks: Iterable[Mark]) -> tuple[Event, ...]:
        """Say that changes were taken back by somebody else; return the runs' new events.

        `marks` are those of taking them back. A change that nobody undid here is undone by itself.
        """
        taken_back = attrs.evolve(checkpoints[0], marks=tuple(marks))
        events: list[Event] = []
        with self.journal.transaction() as connection:
            settle_anchors(connection, taken_back, ())
            for checkpoint in checkpoints:
                self._turn(connection, checkpoint.id, checkpoint.id)
            for proposal_id in sorted({mark.proposal_id for mark in taken_back.marks}):
                events += self._settle(proposal_id, taken_back.marks)
        return tuple(events)

    def abandon(self, checkpoint: Checkpoint, note: str) -> None:
        """Leave a change that could be neither finished nor rolled back to the next start."""
        with self.journal.transaction() as connection:
            self._set_state(checkpoint.id, CheckpointState.INTENT, note)
            connection.execute("UPDATE checkpoints SET owner = ? WHERE id = ?", (_ABANDONED, checkpoint.id))

    def unconfirmed(self, checkpoint: Checkpoint, note: str) -> None:
        """Say that nobody knows whether the editor made the change."""
        with self.journal.transaction():
            self._set_state(checkpoint.id, CheckpointState.UNCONFIRMED, note)

    def claim(self, checkpoint: Checkpoint) -> bool:
        """Take a change whose process is gone over; False where another process was first."""
        with self.journal.transaction() as connection:
            rows = self.journal.query(
                "SELECT owner FROM checkpoints WHERE id = ? AND state = 'intent'", (checkpoint.id,)
            )
            if not rows or _is_owned(rows[0][0]):
                return False
            connection.execute(
                "UPDATE checkpoints SET owner = ? WHERE id = ?", (process_owner(), checkpoint.id)
            )
        return True

    # --- reading ----------------------------------------------------------------------------------------

    def get(self, checkpoint_id: str) -> Checkpoint:
        """Return a checkpoint; raises `NotFound`."""
        rows = self.journal.query(f"{_SELECT} WHERE id = ?", (checkpoint_id,))
        if not rows:
            raise NotFound(
                f"There is no checkpoint {checkpoint_id!r}.", remedy="`greenline checkpoints` lists them."
            )
        return self._read(rows[0])

    def newest_first(self, limit: int | None = None) -> list[Checkpoint]:
        """Return all checkpoints, or the newest few."""
        rows = self.journal.query(
            f"{_SELECT} ORDER BY number DESC LIMIT ?", (-1 if limit is None else limit,)
        )
        return [self._read(row) for row in rows]

    def newest_in_force(self) -> Checkpoint:
        """Return the newest change that was not taken back, an undo included; raises `NotFound`.

        An undo that nobody confirmed is none: to take that back would make again what it was to take back.
        """
        rows = self.journal.query(
            f"{_SELECT} WHERE (state = 'done' OR (state = 'unconfirmed' AND kind <> 'undo'))"
            " AND undone_by IS NULL ORDER BY number DESC LIMIT 1"
        )
        if not rows:
            raise NotFound("There is nothing to undo.", remedy="`greenline checkpoints` lists all.")
        return self._read(rows[0])

    def applied_by(self, run_id: str) -> list[Checkpoint]:
        """Return what a run applied and what is still in force, newest first."""
        rows = self.journal.query(
            f"{_SELECT} WHERE run_id = ? AND kind <> 'undo' AND state IN ('done', 'unconfirmed')"
            " AND undone_by IS NULL ORDER BY number DESC",
            (run_id,),
        )
        return [self._read(row) for row in rows]

    def left_behind(self) -> list[Checkpoint]:
        """Return the changes under way whose process is gone, newest first."""
        rows = self.journal.query(
            "SELECT id, owner FROM checkpoints WHERE state = 'intent' ORDER BY number DESC"
        )
        return [self.get(name) for name, owner in rows if not _is_owned(owner)]

    def is_done(self, checkpoint: Checkpoint) -> bool:
        """Return whether the journal says that a change was made; False where it cannot be asked."""
        try:
            return self.get(checkpoint.id).state is CheckpointState.DONE
        except GreenlineError:
            return False

    # --- anchors ----------------------------------------------------------------------------------------

    def anchors(self, path: str) -> list[Anchor]:
        """Return the anchors of the hunks that were accepted in a file (links resolved), the newest first."""
        return read_anchors(self.journal, path)

    def anchored_paths(self) -> list[str]:
        """Return the files that have anchors, those that are gone by now included."""
        return anchored_paths(self.journal)

    def move_anchors(self, anchors: Iterable[Anchor]) -> None:
        """Store where hunks stand by now."""
        with self.journal.transaction() as connection:
            for anchor in anchors:
                move_anchor(connection, anchor)

    # --- inside -----------------------------------------------------------------------------------------

    def _insert(self, checkpoint: Checkpoint, versions: Sequence[FileVersions]) -> None:
        row = (
            checkpoint.id,
            checkpoint.created,
            checkpoint.kind,
            checkpoint.place,
            checkpoint.reason.encode("utf-8", "backslashreplace").decode("utf-8"),
            checkpoint.run_id,
            checkpoint.state.value,
            process_owner(),
            _dump(checkpoint.marks),
            _dump(checkpoint.roots),
            _dump(checkpoint.folders),
            _dump(checkpoint.undoes),
        )
        with self.journal.transaction() as connection:
            connection.execute(
                "INSERT INTO checkpoints (id, created, kind, place, reason, run_id, state, owner, marks,"
                " roots, folders, undoes) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                row,
            )
            for position, (file, held) in enumerate(zip(checkpoint.files, versions, strict=True)):
                connection.execute(
                    "INSERT INTO checkpoint_files VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                    (
                        checkpoint.id,
                        position,
                        os.fsencode(file.path),
                        file.before,
                        len(held.before or b""),
                        file.before_mode,
                        file.after,
                        len(held.after or b""),
                        file.after_mode,
                        file.encoding,
                        file.kept,
                    ),
                )

    def _set_state(self, checkpoint_id: str, state: CheckpointState, note: str) -> None:
        with self.journal.transaction() as connection:
            connection.execute(
                "UPDATE checkpoints SET state = ?, note = ? WHERE id = ?",
                (state.value, note.encode("utf-8", "backslashreplace").decode("utf-8"), checkpoint_id),
            )

    def _turn(self, connection: Any, checkpoint_id: str, undone_by: str | None) -> None:
        """Mark a checkpoint as undone or in force again, and what it had undone itself the other way."""
        connection.execute("UPDATE checkpoints SET undone_by = ? WHERE id = ?", (undone_by, checkpoint_id))
        for (undoes,) in self.journal.query("SELECT undoes FROM checkpoints WHERE id = ?", (checkpoint_id,)):
            for inner in json.loads(undoes):
                self._turn(connection, inner, None if undone_by is not None else checkpoint_id)

    def _announce(self, checkpoint: Checkpoint) -> list[Event]:
        if checkpoint.run_id is None:
            return []
        data = {
            "checkpointId": checkpoint.id,
            "change": checkpoint.kind,
            "files": [file.path for file in checkpoint.files],
            "waiting": False,
        }
        return [self.journal.append(checkpoint.run_id, EventKind.CHECKPOINT, data)]

    def _settle(self, proposal_id: str, marks: Iterable[Mark]) -> list[Event]:
        try:
            proposal = self.journal.proposal(proposal_id)
        except NotFound:
            return []
        # Runs and proposals hold whole test reports: only what is asked for is read.
        ((newest, state_now),) = self.journal.query(_SELECT_NEWEST, (proposal.run_id,))
        superseded = newest != proposal_id
        settled = _marked(proposal, marks, superseded=superseded)
        if settled.hunks == proposal.hunks:
            return []
        self.journal.save_proposal(settled)
        state, now = settled.run_state(), RunState(state_now)
        if superseded or now is state or now in ACTIVE:
            return []
        return [self.journal.set_state(proposal.run_id, state)]

    def _read(self, row: tuple[Any, ...]) -> Checkpoint:
        checkpoint_id, created, kind, place, reason, run_id, state, note, marks, *lists, by = row
        roots, folders, undoes = lists
        files = self.journal.query(
            "SELECT path, before_hash, after_hash, before_mode, after_mode, encoding, kept"
            " FROM checkpoint_files"
            " WHERE checkpoint_id = ? ORDER BY position",
            (checkpoint_id,),
        )
        return Checkpoint(
            id=checkpoint_id,
            created=created,
            kind=kind,
            place=place,
            reason=reason,
            files=tuple(CheckpointFile(os.fsdecode(path), *rest) for path, *rest in files),
            state=CheckpointState(state),
            run_id=run_id,
            marks=from_json(json.loads(marks), tuple[Mark, ...]),
            roots=tuple(json.loads(roots)),
            folders=tuple(json.loads(folders)),
            undoes=tuple(json.loads(undoes)),
            undone_by=by,
            note=note,
        )


def _is_owned(owner: str) -> bool:
    return owner != _ABANDONED and is_alive(owner)


def _stored(versions: FileVersions) -> CheckpointFile:
    return CheckpointFile(
        versions.path,
        None if versions.before is None else content_hash(versions.before),
        None if versions.after is None else content_hash(versions.after),
        versions.before_mode,
        versions.after_mode,
        versions.encoding,
        versions.kept,
    )


def _marked(proposal: Proposal, marks: Iterable[Mark], *, superseded: bool) -> Proposal:
    """Move hunks to the states of their marks; none waits for a review in a proposal that was replaced."""
    known = {hunk.id: hunk.state for hunk in proposal.hunks}
    states = {
        mark.hunk_id: HunkState.SUPERSEDED if superseded and mark.after is HunkState.PENDING else mark.after
        for mark in marks
        if mark.proposal_id == proposal.id and known.get(mark.hunk_id) is mark.before
    }
    return proposal.with_states(states, {})


def _dump(value: object) -> str:
    return json.dumps(to_json(value))
