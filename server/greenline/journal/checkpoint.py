"""Checkpoints as values: what files held before and after something was applied to them."""

from __future__ import annotations

from enum import StrEnum
from typing import Literal

import attrs

from greenline.core.edit import HunkState

Kind = Literal["apply", "accept", "undo"]
Place = Literal["disk", "editor"]


class CheckpointState(StrEnum):
    """How far a checkpoint's change has come."""

    INTENT = "intent"
    """The change is under way, or its process died and nothing has started since."""
    DONE = "done"
    """The change was made."""
    ROLLED_BACK = "rolledBack"
    """The change was not made; every file is as before."""
    UNCONFIRMED = "unconfirmed"
    """The change went to an editor, and the server died before it heard back."""


@attrs.frozen
class FileVersions:
    """One file before and after a change, as bytes."""

    path: str
    """Absolute path of the file itself, links resolved."""
    before: bytes | None
    """None where there was no file."""
    after: bytes | None
    """None where there is no file afterwards."""
    before_mode: int | None = None
    """POSIX mode bits; None where there was no file, or where an editor keeps them."""
    after_mode: int | None = None
    encoding: str = ""
    """The codec that turned a buffer into these bytes; empty for bytes of the disk."""
    kept: str = ""
    """Owner and extended attributes of a file that goes or comes, see `greenline.edit.kept`; empty: none."""


@attrs.frozen
class Mark:
    """A hunk whose review state the change moves, and the lines that it became."""

    proposal_id: str
    hunk_id: str
    path: str
    before: HunkState
    after: HunkState
    start_line: int = 0
    """First line of the text afterwards that the hunk wrote, 0-based."""
    end_line: int | None = None
    """End of those lines, exclusive; None: the whole file."""


@attrs.frozen
class Draft:
    """What is about to be applied."""

    kind: Kind
    place: Place
    reason: str
    files: tuple[FileVersions, ...]
    roots: tuple[str, ...]
    """Folders of the workspace that the files lie in."""
    run_id: str | None = None
    marks: tuple[Mark, ...] = ()
    folders: tuple[str, ...] = ()
    """Folders that the change makes, outermost first."""
    undoes: tuple[str, ...] = ()
    """Checkpoints that this one takes back whole."""


@attrs.frozen
class CheckpointFile:
    """One file of a checkpoint; contents by hash."""

    path: str
    before: str | None
    after: str | None
    before_mode: int | None = None
    after_mode: int | None = None
    encoding: str = ""
    kept: str = ""


@attrs.frozen
class Checkpoint:
    """What a change was about to do, taken before anything was applied."""

    id: str
    created: float
    """Seconds since the epoch."""
    kind: Kind
    place: Place
    reason: str
    files: tuple[CheckpointFile, ...]
    state: CheckpointState
    roots: tuple[str, ...] = ()
    run_id: str | None = None
    marks: tuple[Mark, ...] = ()
    folders: tuple[str, ...] = ()
    undoes: tuple[str, ...] = ()
    undone_by: str | None = None
    """The checkpoint of the undo that took this one back, itself where that was done by hand, or None while
    it is in force."""
    note: str = ""

    @property
    def in_force(self) -> bool:
        """Whether the change may be in the files, so that there is something to undo."""
        made = self.state in (CheckpointState.DONE, CheckpointState.UNCONFIRMED)
        return made and self.undone_by is None
