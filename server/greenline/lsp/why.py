"""What is known about lines of a document: what waits there, and what was accepted there, even weeks ago."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import attrs

from greenline.core.edit import Hunk, HunkState
from greenline.core.error import NotFound
from greenline.core.task import Proposal, RunStory
from greenline.lsp.render import accepted_markdown, hunk_markdown, story_markdown

if TYPE_CHECKING:
    from greenline.lsp.session import Session

_BETWEEN = "\n\n---\n\n"


@attrs.frozen
class Told:
    """What there is to say."""

    markdown: str
    hunk_id: str
    """The first hunk that it is about."""
    run_id: str


@attrs.frozen
class _Known:
    proposal: Proposal
    hunk: Hunk
    accepted: float


async def tell(session: Session, path: str, first: int, last: int) -> Told | None:
    """Return what is known about lines `first` … `last` (inclusive), or None; never a guess."""
    parts: list[str] = []
    about: list[tuple[str, str]] = []
    for item in session.pending_at(path, first, last):
        story = _story(session, item.proposal.run_id, item.hunk)
        parts.append("\n\n".join([hunk_markdown(item), *story]))
        about.append((item.hunk.id, item.proposal.run_id))
    for known in await _accepted(session, path, first, last):
        when = time.strftime("%Y-%m-%d %H:%M", time.localtime(known.accepted))
        story = _story(session, known.proposal.run_id, known.hunk)
        parts.append("\n\n".join([accepted_markdown(known.proposal, known.hunk, when), *story]))
        about.append((known.hunk.id, known.proposal.run_id))
    return Told(_BETWEEN.join(parts), *about[0]) if about else None


async def _accepted(session: Session, path: str, first: int, last: int) -> list[_Known]:
    found: list[_Known] = []
    for anchor in await session.accepted.at(path, first, last):
        try:
            proposal = session.proposal(anchor.proposal_id)
        except NotFound:
            continue
        hunk = next((hunk for hunk in proposal.hunks if hunk.id == anchor.hunk_id), None)
        if hunk is not None and hunk.state is HunkState.ACCEPTED:
            found.append(_Known(proposal, hunk, anchor.accepted))
    return found


def _story(session: Session, run_id: str, hunk: Hunk) -> list[str]:
    story: RunStory | None = session.journal.story(run_id)
    return [] if story is None else [story_markdown(run_id, story, hunk.plan_entry)]
