"""Staged edits as values: an EditSet of file changes, cut into Hunks for review."""

from __future__ import annotations

from enum import StrEnum
from typing import Literal

import attrs


@attrs.frozen
class FileChange:
    """One file before and after, as exact bytes; a rename is a delete and a create (`moved_from`)."""

    path: str
    """Absolute path."""
    before: bytes | None
    """None where the file is created."""
    after: bytes | None
    """None where the file is deleted."""
    moved_from: str | None = None
    mode: int | None = None
    """POSIX mode bits that a patch asks for, or None to keep the file's own."""
    kept: str = ""
    """Owner and extended attributes that a file gets that comes back, see `greenline.edit.kept`."""


@attrs.frozen
class EditSet:
    """Staged changes of one run against one Snapshot; at most one change a path, sorted by path."""

    changes: tuple[FileChange, ...] = ()


class HunkState(StrEnum):
    """Review state of a hunk."""

    PENDING = "pending"
    ACCEPTED = "accepted"
    REJECTED = "rejected"
    CONFLICTED = "conflicted"
    SUPERSEDED = "superseded"


@attrs.frozen
class Hunk:
    """One reviewable piece of an EditSet: whole lines `start_line` … `end_line` of the base are replaced."""

    id: str
    path: str
    """Absolute path."""
    op: Literal["edit", "create", "delete"]
    start_line: int
    """First base line replaced, 0-based; for a pure insertion the line before which it goes."""
    end_line: int
    """End of the base lines replaced, 0-based and exclusive."""
    before: str
    """Exact base text of those lines, line ends included."""
    after: str
    """Exact text that replaces it."""
    base_hash: str
    """SHA-256 (hex) of the base text of the whole document as UTF-8; empty where the file is created."""
    base_version: int | None = None
    """The open buffer's version that the edit was made against, or None for the disk."""
    why: str = ""
    plan_entry: int | None = None
    state: HunkState = HunkState.PENDING
    comment: str = ""
    needs: tuple[str, ...] = ()
    """Ids of the hunks of the same proposal without which this one makes no sense."""
    mode: int | None = None
    """POSIX mode bits that the file is to have, or None to keep its own; may come without any text."""
    form: str = ""
    """Encoding and byte order mark of the new content (`codec+bom`, the mark in hex); empty: as the file has
    them, and plain UTF-8 where it is created."""


@attrs.frozen
class RefusedChange:
    """A hunk that the user rejected in an earlier run, and why."""

    path: str
    before: str
    after: str
    comment: str = ""
