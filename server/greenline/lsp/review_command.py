"""The `workspace/executeCommand` forms of a review: decide about hunks, measure anew what was accepted."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import TYPE_CHECKING, Any

import attrs
from lsprotocol import types

from greenline.core.edit import Hunk
from greenline.core.error import NotFound, WrongState
from greenline.core.evidence import Verdict
from greenline.core.task import Proposal
from greenline.lsp import protocol
from greenline.lsp.argument import argument_of
from greenline.lsp.convert import to_path
from greenline.lsp.decision import Decision, Review
from greenline.lsp.editor import ClientEditor
from greenline.lsp.offer import with_needed_title
from greenline.lsp.present import proposal_info, review_result
from greenline.lsp.render import place_of, verdict_words
from greenline.lsp.shelf import unmet
from greenline.lsp.work import verify_again

if TYPE_CHECKING:
    from greenline.lsp.server import GreenlineServer

_ACCEPT_ALL, _CANCEL = "Accept all", "Cancel"
_ACCEPT_ONE, _ACCEPT_THESE = "Accept this one alone", "Accept these alone"


@attrs.frozen
class HunkRef:
    """Names a hunk."""

    proposal_id: str
    hunk_id: str
    comment: str = ""
    """Why; a follow-up run is told."""
    with_needed: bool = False
    """Whether to accept the hunks that it needs as well."""


@attrs.frozen
class FileRef:
    """Names a proposal's hunks in one file."""

    proposal_id: str
    uri: str
    comment: str = ""


@attrs.frozen
class ProposalRef:
    """Names a proposal."""

    proposal_id: str
    comment: str = ""


async def accept_hunk(ls: GreenlineServer, *arguments: Any) -> protocol.ReviewResult:
    """Accept one hunk; asks first where it needs others that are not accepted."""
    ref = argument_of(ls, HunkRef, arguments)
    proposal = ls.session.proposal(ref.proposal_id)
    needed = unmet(proposal, (ref.hunk_id,)) if any(h.id == ref.hunk_id for h in proposal.hunks) else ()
    waiting = [hunk for hunk in needed if hunk in proposal.pending()]
    names = [ref.hunk_id]
    if ref.with_needed:
        names += [hunk.id for hunk in waiting]
    elif needed:
        with_them = with_needed_title(len(waiting))
        titles = [*([with_them] if waiting else []), _ACCEPT_ONE, _CANCEL]
        chosen = await ls.ask(f"This change makes {_no_sense(needed)} Accept it anyway?", titles)
        if chosen not in titles[:-1]:
            return protocol.ReviewResult()
        names += [hunk.id for hunk in waiting] if chosen == with_them else []
    return await _review(ls, proposal, [Decision(name, True, ref.comment) for name in names])


async def reject_hunk(ls: GreenlineServer, *arguments: Any) -> protocol.ReviewResult:
    """Reject one hunk."""
    ref = argument_of(ls, HunkRef, arguments)
    proposal = ls.session.proposal(ref.proposal_id)
    return await _review(ls, proposal, [Decision(ref.hunk_id, False, ref.comment)])


async def accept_file(ls: GreenlineServer, *arguments: Any) -> protocol.ReviewResult:
    """Accept every pending hunk of one file; asks first where they need hunks of others."""
    ref = argument_of(ls, FileRef, arguments)
    proposal = ls.session.proposal(ref.proposal_id)
    hunks = _in_file(proposal, ref.uri)
    if len(hunks) == len(proposal.pending()):
        return await _accept_rest(ls, proposal, hunks)
    if needed := unmet(proposal, [hunk.id for hunk in hunks]):
        question = f"These changes make {_no_sense(needed)} Accept them anyway?"
        if await ls.ask(question, [_ACCEPT_THESE, _CANCEL]) != _ACCEPT_THESE:
            return protocol.ReviewResult()
    return await _accept(ls, proposal, hunks)


async def reject_file(ls: GreenlineServer, *arguments: Any) -> protocol.ReviewResult:
    """Reject every pending hunk of one file."""
    ref = argument_of(ls, FileRef, arguments)
    proposal = ls.session.proposal(ref.proposal_id)
    decisions = [Decision(hunk.id, False, ref.comment) for hunk in _in_file(proposal, ref.uri)]
    return await _review(ls, proposal, decisions)


async def accept_all(ls: GreenlineServer, *arguments: Any) -> protocol.ReviewResult:
    """Accept every pending hunk; asks first where that was not verified so, or needs what was rejected."""
    proposal = ls.session.proposal(argument_of(ls, ProposalRef, arguments).proposal_id)
    return await _accept_rest(ls, proposal, _pending(proposal))


async def reject_all(ls: GreenlineServer, *arguments: Any) -> protocol.ReviewResult:
    """Reject every pending hunk."""
    ref = argument_of(ls, ProposalRef, arguments)
    proposal = ls.session.proposal(ref.proposal_id)
    return await _review(ls, proposal, [Decision(h.id, False, ref.comment) for h in _pending(proposal)])


def _pending(proposal: Proposal) -> tuple[Hunk, ...]:
    """Return what waits for a decision; raises `WrongState` where nothing does."""
    if hunks := proposal.pending():
        return hunks
    raise WrongState(
        f"All hunks of {proposal.id!r} are decided already.", remedy="Nothing is left to decide."
    )


async def verify(ls: GreenlineServer, *arguments: Any) -> protocol.VerifyResult:
    """Measure what was accepted of a proposal in the text as it is, and say what came of it."""
    ref = argument_of(ls, ProposalRef, arguments)
    proposal = await verify_again(ls, ref.proposal_id, None)
    ls.say(types.MessageType.Info, f"Measured again: {verdict_words(proposal)}. {proposal.evidence.detail}")
    return protocol.VerifyResult(proposal_info(ls.session, proposal))


REVIEW_COMMANDS: dict[str, Callable[..., Awaitable[object]]] = {
    "acceptHunk": accept_hunk,
    "rejectHunk": reject_hunk,
    "acceptFile": accept_file,
    "rejectFile": reject_file,
    "acceptAll": accept_all,
    "rejectAll": reject_all,
    "verify": verify,
}
"""Command, without its prefix → handler."""


def _in_file(proposal: Proposal, uri: str) -> list[Hunk]:
    path = to_path(uri)
    hunks = [hunk for hunk in proposal.pending() if hunk.path == path]
    if not hunks:
        raise NotFound(
            f"The proposal {proposal.id!r} has no pending hunk in {path}.",
            remedy="agent/run lists its hunks.",
        )
    return hunks


def _no_sense(needed: Sequence[Hunk]) -> str:
    names = ", ".join(f"{place_of(hunk)} ({hunk.state.value})" for hunk in needed[:5])
    more = f" and {len(needed) - 5} more" if len(needed) > 5 else ""
    return f"no sense without {names}{more}."


async def _accept_rest(
    ls: GreenlineServer, proposal: Proposal, hunks: Sequence[Hunk]
) -> protocol.ReviewResult:
    """Accept all that waits; ask first where something speaks against it."""
    if doubts := _doubts(ls, proposal, hunks):
        question = " ".join((*doubts, "Accept all of it anyway?"))
        if await ls.ask(question, [_ACCEPT_ALL, _CANCEL]) != _ACCEPT_ALL:
            return protocol.ReviewResult()
    return await _accept(ls, proposal, hunks)


def _doubts(ls: GreenlineServer, proposal: Proposal, hunks: Sequence[Hunk]) -> list[str]:
    """Return what speaks against accepting all that waits, in sentences."""
    names = [hunk.id for hunk in hunks]
    doubts: list[str] = []
    if not proposal.evidence.is_vouched_for:
        what = "verified by a part of its tests only" if _is_part(proposal) else "not verified"
        doubts.append(f"This proposal is {what}: {verdict_words(proposal)}.")
        doubts += [proposal.evidence.detail] if proposal.evidence.detail else []
    elif not ls.session.is_measured_with(proposal, names):
        doubts.append("The tests ran with other changes or lines: some were rejected or edited since.")
    if needed := unmet(proposal, names):
        doubts.append(f"What waits makes {_no_sense(needed)}")
    return doubts


async def _accept(ls: GreenlineServer, proposal: Proposal, hunks: Sequence[Hunk]) -> protocol.ReviewResult:
    return await _review(ls, proposal, [Decision(hunk.id, True) for hunk in hunks])


def _is_part(proposal: Proposal) -> bool:
    return proposal.evidence.verdict is Verdict.VERIFIED


async def _review(
    ls: GreenlineServer, proposal: Proposal, decisions: list[Decision]
) -> protocol.ReviewResult:
    review: Review = await ls.session.review(proposal.id, decisions, ClientEditor(ls))
    for refusal in review.refused[:1]:
        ls.say(types.MessageType.Warning, f"Nothing was applied: {place_of(refusal.hunk)}: {refusal.reason}")
    left = [need.hunk for need in review.needs if need.hunk.id not in review.applied]
    if left:
        names = ", ".join(place_of(hunk) for hunk in left[:5])
        ls.say(types.MessageType.Warning, f"Accepted, and makes no sense without what was rejected: {names}.")
    return review_result(review)
