"""What the user decided about hunks, checked and written into a proposal. Pure."""

from __future__ import annotations

from collections.abc import Awaitable, Mapping, Sequence
from typing import Protocol

import attrs

from greenline.core.edit import Hunk, HunkState
from greenline.core.error import InvalidInput, NotFound, WrongState
from greenline.core.task import Proposal
from greenline.lsp.review import FileEdit


class Editor(Protocol):
    """Changes the user's buffers and files."""

    async def apply(self, label: str, edits: tuple[FileEdit, ...]) -> str:
        """Apply all edits or none as far as the client can; return what failed, or the empty string."""

    def late_answer(self) -> Awaitable[str] | None:
        """Return what the answer to the last edit will be, where `apply` was cancelled before it came.

        None where no answer is to come.
        """


@attrs.frozen
class Decision:
    """What the user decided about one hunk."""

    hunk_id: str
    accept: bool
    comment: str = ""


@attrs.frozen
class Refusal:
    """A hunk that was not applied."""

    hunk: Hunk
    reason: str


@attrs.frozen
class Need:
    """An accepted hunk, and those that it needs and that are not accepted."""

    hunk: Hunk
    needs: tuple[Hunk, ...]


class Refused(Exception):
    """Hunks that cannot be applied, so that nothing is."""

    def __init__(self, refusals: tuple[Refusal, ...]) -> None:
        super().__init__(f"{len(refusals)} hunks cannot be applied")
        self.refusals = refusals


def refusals(hunks: Sequence[Hunk], failures: Mapping[str, str]) -> tuple[Refusal, ...]:
    """Return the hunks of the files that do not hold them, each with the reason."""
    return tuple(Refusal(hunk, failures[hunk.path]) for hunk in hunks if hunk.path in failures)


@attrs.frozen
class Review:
    """Outcome of one review call."""

    applied: tuple[str, ...] = ()
    rejected: tuple[str, ...] = ()
    refused: tuple[Refusal, ...] = ()
    checkpoint_id: str | None = None
    """Takes the accepted hunks back, or None where none was accepted."""
    needs: tuple[Need, ...] = ()
    """Accepted hunks that make no sense without others, which are not accepted or were rejected now."""


def decided(proposal: Proposal, decisions: Sequence[Decision]) -> list[Hunk]:
    """Return the hunk of each decision; raises where one is unknown, named twice or already decided."""
    if not decisions:
        raise InvalidInput("The review has no decisions.", remedy="Name at least one hunk.")
    if len({d.hunk_id for d in decisions}) != len(decisions):
        raise InvalidInput("The review names a hunk twice.", remedy="Decide about each hunk once.")
    hunks = {hunk.id: hunk for hunk in proposal.hunks}
    for decision in decisions:
        if decision.hunk_id not in hunks:
            raise NotFound(
                f"The proposal {proposal.id!r} has no hunk {decision.hunk_id!r}.",
                remedy="agent/proposalChanged and agent/run list its hunks.",
            )
        if (state := hunks[decision.hunk_id].state) is not HunkState.PENDING:
            raise WrongState(
                f"The hunk {decision.hunk_id!r} is already {state.value}.",
                remedy="Only pending hunks can be decided.",
            )
    return [hunks[d.hunk_id] for d in decisions]


def reads_alike(text: str, other: str) -> bool:
    """Return whether two texts are the same but for line ends: an open buffer has its editor's own."""
    return text == other or one_line_end(text) == one_line_end(other)


def one_line_end(text: str) -> str:
    """Make line ends alike."""
    return text.replace("\r\n", "\n").replace("\r", "\n")
