"""The messages of `agent/review` and `agent/undo`, typed; `protocol` has them all."""

from __future__ import annotations

from typing import Literal

import attrs


@attrs.frozen
class DecisionParams:
    """What the user decided about one hunk."""

    hunk_id: str
    decision: Literal["accept", "reject"]
    comment: str = ""


@attrs.frozen
class ReviewParams:
    """Decide about hunks of one proposal."""

    proposal_id: str
    decisions: tuple[DecisionParams, ...]


@attrs.frozen
class Conflict:
    """A hunk that could not be applied."""

    hunk_id: str
    uri: str
    reason: str


@attrs.frozen
class NeedInfo:
    """A hunk that is applied, by this review or before, and needs others, which are not."""

    hunk_id: str
    uri: str
    needs: tuple[str, ...]


@attrs.frozen
class ReviewResult:
    """Ids of hunks by outcome; with any conflict nothing was applied."""

    applied: tuple[str, ...] = ()
    rejected: tuple[str, ...] = ()
    conflicts: tuple[Conflict, ...] = ()
    checkpoint_id: str | None = None
    needs: tuple[NeedInfo, ...] = ()


@attrs.frozen
class UndoParams:
    """Take back what was accepted of a proposal, or a checkpoint; with neither, the newest change."""

    proposal_id: str | None = None
    checkpoint_id: str | None = None


@attrs.frozen
class UndoConflictInfo:
    """A place that was not taken back, and why."""

    uri: str
    reason: str
    line: int | None = None
    """Where it begins, 0-based; none for a whole file."""


@attrs.frozen
class UndoResult:
    """What was taken back; a file can be in both lists."""

    restored: tuple[str, ...] = ()
    """URIs of the files that changed."""
    conflicts: tuple[UndoConflictInfo, ...] = ()
    checkpoint_id: str | None = None
    """Takes this undo back; none where nothing changed."""
    by_hand: tuple[str, ...] = ()
    """Checkpoints that somebody had taken back already, and that count as undone from now on."""
