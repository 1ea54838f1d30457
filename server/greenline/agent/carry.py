"""Carries a staged change over to the files as they are by now, so that what is tested is what would land.

A run takes minutes, and a file may be saved, or pulled with git, between an edit and its test.
"""

from __future__ import annotations

import attrs

from greenline.core.edit import EditSet, FileChange
from greenline.core.error import EditRejected, GreenlineError, InvalidInput
from greenline.core.evidence import Evidence, Verdict
from greenline.edit.merge import merge_texts
from greenline.workspace.encoding import decode, encode
from greenline.workspace.snapshot import Snapshot


@attrs.frozen
class Carried:
    """A change of the files as they are now."""

    edit_set: EditSet
    lost: tuple[str, ...] = ()
    """The files whose change finds its place no more; with any, the edit set is the old one."""

    def stale(self) -> Evidence:
        """Return what can be said of a change that cannot be tested on the files as they are."""
        names = ", ".join(self.lost)
        return Evidence(
            Verdict.COULD_NOT_RUN,
            "stale",
            f"While the run worked, lines that the change replaces were changed in {names}; "
            "ask for the change again.",
        )


def carry_over(snapshot: Snapshot, edit_set: EditSet) -> Carried:
    """Return a change with what was made in its files meanwhile in it; what is in the files already goes."""
    kept: list[FileChange] = []
    lost: list[str] = []
    for change in edit_set.changes:
        try:
            there = _carried(change, snapshot.read_bytes(change.path))
        except GreenlineError:
            # It cannot be read any more, or its name leads elsewhere by now.
            there = None
        if there is None:
            lost.append(change.path)
        elif there.before != there.after or there.mode is not None:
            kept.append(there)
    if not lost and edit_set.changes and not kept:
        # Somebody made the very change; there is nothing to test and nothing to propose.
        lost = [change.path for change in edit_set.changes]
    return Carried(edit_set, tuple(lost)) if lost else Carried(EditSet(tuple(kept)))


def _carried(change: FileChange, now: bytes | None) -> FileChange | None:
    """Return a file's change over what the file holds now; None where the two clash."""
    if now == change.before:
        return change
    if now == change.after and change.moved_from is None:
        return attrs.evolve(change, before=now)
    if now is None or change.before is None or change.after is None or change.moved_from is not None:
        return None
    try:
        form = decode(now)
        merged = merge_texts(decode(change.before).text, form.text, decode(change.after).text)
        after = encode(attrs.evolve(form, text=merged.text))
    except (EditRejected, InvalidInput):
        return None
    return None if merged.conflicts else attrs.evolve(change, before=now, after=after)
