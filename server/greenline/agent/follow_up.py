"""What an earlier review tells the runs that follow it up: the hunks that the user rejected, and why."""

from __future__ import annotations

from pathlib import Path

import attrs

from greenline.agent.dialogue import data
from greenline.core.edit import EditSet, HunkState, RefusedChange
from greenline.core.error import InvalidInput
from greenline.core.port import Journal
from greenline.core.task import Run, Task
from greenline.edit.review_cut import ReviewedChange, cut_for_review
from greenline.workspace.encoding import decode

_MAX_RUNS = 20
_MAX_REFUSED = 20
_MAX_TEXT = 2_000


def following_up(journal: Journal, task: Task) -> Task:
    """Return the task with what was rejected in the runs that it follows up.

    These are the newest run over the same roots, what that one followed up itself, and the runs of the same
    request.
    """
    refused: dict[RefusedChange, None] = dict.fromkeys(task.refused)
    earlier = [run for run in journal.runs(_MAX_RUNS) if run.task.roots == task.roots]
    for number, run in enumerate(earlier):
        if number == 0:
            refused |= dict.fromkeys((*_rejected(run), *run.task.refused))
        elif _words(run.task.request) == _words(task.request):
            refused |= dict.fromkeys(_rejected(run))
    return attrs.evolve(task, refused=tuple(refused)[:_MAX_REFUSED])


def describe_refused(task: Task) -> str:
    """Return what was rejected as constraints for a model; empty where nothing was."""
    if not task.refused:
        return ""
    parts = ["The user rejected these changes in an earlier run. Do not propose them again:"]
    for number, change in enumerate(task.refused, start=1):
        comment = f" The user says: {' '.join(change.comment.split())}" if change.comment.strip() else ""
        lines = [f"-{line}" for line in change.before.splitlines()]
        lines += [f"+{line}" for line in change.after.splitlines()]
        parts.append(f"{number}. In {_shown(change.path, task.roots)}:{comment}")
        parts.append(data(f"rejected change {number}", "\n".join(lines)[:_MAX_TEXT]))
    return "\n".join(parts)


def is_refused(task: Task, edit_set: EditSet) -> bool:
    """Return whether a change makes one of the rejected hunks again."""
    known = {(change.path, change.before, change.after) for change in task.refused}
    if not known:
        return False
    try:
        hunks = cut_for_review(
            ReviewedChange(
                change,
                None if change.before is None else decode(change.before).text,
                None if change.after is None else decode(change.after).text,
            )
            for change in edit_set.changes
        )
    except InvalidInput:
        return False
    return any((hunk.path, hunk.before, hunk.after) in known for hunk in hunks)


def _rejected(run: Run) -> tuple[RefusedChange, ...]:
    if run.proposal is None:
        return ()
    return tuple(
        RefusedChange(hunk.path, hunk.before, hunk.after, hunk.comment)
        for hunk in run.proposal.hunks
        if hunk.state is HunkState.REJECTED
    )


def _shown(path: str, roots: tuple[str, ...]) -> str:
    inside = [root for root in roots if Path(path).is_relative_to(root)]
    return str(Path(path).relative_to(inside[0])) if len(roots) == 1 and inside else path


def _words(request: str) -> list[str]:
    return request.casefold().split()
