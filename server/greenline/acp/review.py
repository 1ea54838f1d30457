"""Shows a proposal hunk by hunk and asks about each; what is accepted lands, and nothing else does."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from acp.schema import ToolCallStart

from greenline.acp import message
from greenline.acp.files import ClientFiles
from greenline.acp.link import Link
from greenline.acp.message import ACCEPT, ACCEPT_REST, REJECT_REST, FileDiff
from greenline.core.edit import Hunk, HunkState
from greenline.core.task import Proposal
from greenline.edit.hunk import apply_hunks
from greenline.lsp.decision import Decision
from greenline.lsp.render import headline
from greenline.lsp.session import Session

Group = tuple[Hunk, ...]
"""Hunks of a proposal that make no sense without one another."""
_MAX_TEXT = 200_000
"""Characters of a file up to which a diff holds all of it; beyond, it holds the hunk's lines alone."""
_GONE = "The text that it replaces is gone."


class HunkReview:
    """Reviews proposals with one client."""

    def __init__(self, link: Link, session: Session, files: ClientFiles) -> None:
        self._link = link
        self._session = session
        self._files = files

    async def review(self, proposal_id: str) -> bool:
        """Ask about every pending hunk; return False where the client took a question back."""
        waiting = groups(self._session.proposal(proposal_id))
        while waiting:
            group, *waiting = waiting
            choice = await self._ask(proposal_id, group, more=len(waiting))
            if choice is None:
                return False
            taken = [group]
            if choice in (ACCEPT_REST, REJECT_REST):
                taken, waiting = [group, *waiting], []
            if choice:
                await self._decide(proposal_id, taken, accept=choice in (ACCEPT, ACCEPT_REST))
        return True

    async def _ask(self, proposal_id: str, group: Group, *, more: int) -> str | None:
        """Return the choice; empty where the group is in conflict with the text, None where none was made."""
        await self._files.refresh(hunk.path for hunk in group)
        proposal = self._session.proposal(proposal_id)
        offered = self._offer(group, proposal)
        if any(self._session.placed(hunk) is None for hunk in group):
            self._link.tell(message.change_decided(group[0].id, _GONE, accepted=False))
            return ""
        is_verified = proposal.evidence.is_vouched_for
        options = message.review_options(more=more > 0, may_accept_rest=is_verified)
        return await self._link.permission(message.change_asked(offered), options)

    def _offer(self, group: Group, proposal: Proposal) -> ToolCallStart:
        offered = message.change_offered(
            group[0].id,
            title_of(group, proposal),
            diffs_of(self._session, group),
            deletes=all(hunk.op == "delete" for hunk in group),
        )
        self._link.tell(offered)
        return offered

    async def _decide(self, proposal_id: str, taken: Sequence[Group], *, accept: bool) -> None:
        hunks = [hunk for group in taken for hunk in group]
        # The user may have typed while they were asked.
        await self._files.refresh(hunk.path for hunk in hunks)
        for group in taken[1:]:
            # These were not asked about; a client knows nothing of a call that was never begun.
            self._offer(group, self._session.proposal(proposal_id))
        decisions = [Decision(hunk.id, accept) for hunk in hunks]
        outcome = await self._session.review(proposal_id, decisions, self._files)
        reasons = " ".join(dict.fromkeys(refusal.reason for refusal in outcome.refused))
        words = f"Not applied: {reasons}" if accept else "Rejected."
        for group in taken:
            is_in = accept and not outcome.refused
            self._link.tell(message.change_decided(group[0].id, words, accepted=is_in))


def groups(proposal: Proposal) -> list[Group]:
    """Return the pending hunks, those together that need one another, in the proposal's order."""
    leader = {hunk.id: hunk.id for hunk in proposal.pending()}

    def find(name: str) -> str:
        while leader[name] != name:
            name = leader[name]
        return name

    for hunk in proposal.pending():
        for needed in hunk.needs:
            if needed in leader:
                leader[find(needed)] = find(hunk.id)
    found: dict[str, list[Hunk]] = {}
    for hunk in proposal.pending():
        found.setdefault(find(hunk.id), []).append(hunk)
    return [tuple(hunks) for hunks in found.values()]


def title_of(group: Group, proposal: Proposal) -> str:
    """Return what a change is called: its place, and the verdict over the proposal."""
    first = group[0]
    others = len(group) - 1
    more = f" and {others} more" if others else ""
    return f"{Path(first.path).name}:{first.start_line + 1}{more} — {headline(proposal)}"


def diffs_of(session: Session, group: Group) -> list[FileDiff]:
    """Return what a change makes of each of its files, as the texts are now."""
    by_path: dict[str, list[Hunk]] = {}
    for hunk in group:
        by_path.setdefault(hunk.path, []).append(hunk)
    return [diff for path, hunks in by_path.items() for diff in _file_diffs(session, path, hunks)]


def _file_diffs(session: Session, path: str, hunks: list[Hunk]) -> list[FileDiff]:
    now = session.current(path)
    placed = [there for hunk in hunks if (there := session.placed(hunk)) is not None]
    is_pending = all(hunk.state is HunkState.PENDING for hunk in hunks)
    line = min(hunk.start_line for hunk in placed or hunks) + 1
    if hunks[0].op == "create":
        return [FileDiff(path, line, None, hunks[0].after)]
    if hunks[0].op == "delete":
        return [FileDiff(path, line, hunks[0].before, "")]
    if now is None or not is_pending or len(placed) < len(hunks) or len(now.text) > _MAX_TEXT:
        return [FileDiff(path, hunk.start_line + 1, hunk.before, hunk.after) for hunk in placed or hunks]
    return [FileDiff(path, line, now.text, apply_hunks(now.text, placed))]
