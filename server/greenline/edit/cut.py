"""Tells a hunk whose end was cut off, as models' answers are, from one with careless counts.

A hunk shows as many lines of context after its changes as before them, up to three, unless the file ends.
Where it shows fewer, what its counts lack must be those alone; where it shows as many, it must be too little
for another change with its context. Only the end of the text can be cut off: a hunk before prose, a fence's
end or another hunk is whole, whatever its counts are. A diff that ends inside a line is refused.
"""

from __future__ import annotations

from collections.abc import Sequence

from greenline.core.error import EditRejected
from greenline.edit.lenient import counts
from greenline.edit.operation import PatchHunk
from greenline.edit.place import Placement
from greenline.edit.tolerance import FileLines

_CONTEXT = 3


def cut_off() -> EditRejected:
    """Return the error for a diff whose end is missing."""
    return EditRejected(
        "The diff ends before its last hunk does: it was cut off.",
        remedy="Give the whole diff, or smaller ones.",
        code="malformed",
    )


def refuse_piece(hunks: Sequence[PatchHunk]) -> None:
    """Raise `EditRejected` (`malformed`) where the last hunk shows no change, or perhaps a piece."""
    for hunk in hunks[-1:]:
        kinds = {kind for kind, _ in hunk.lines}
        wrong = hunk.claimed is not None and counts(hunk.lines) != hunk.claimed
        if wrong and (kinds <= {" "} or (hunk.torn and hunk.lines[-1][0] == "+")):
            raise cut_off()


def refuse_cut_file(hunks: Sequence[PatchHunk]) -> None:
    """Raise `EditRejected` (`malformed`) where the text of a new file may end before the file does."""
    for hunk in hunks:
        if hunk.claimed is None:
            continue
        is_short = hunk.last and counts(hunk.lines)[1] < hunk.claimed[1]
        if is_short or (hunk.torn and counts(hunk.lines) != hunk.claimed):
            raise cut_off()


def refuse_cut(file: FileLines, hunk: PatchHunk, placement: Placement) -> None:
    """Raise `EditRejected` (`malformed`) where changes may be missing at the end of the last hunk."""
    if not hunk.last or hunk.claimed is None:
        return
    have = counts(hunk.lines)
    old, new = hunk.claimed[0] - have[0], hunk.claimed[1] - have[1]
    kinds = [kind for kind, _ in hunk.lines]
    leading, trailing = _run(kinds), _run(kinds[::-1])
    # What was cut off cannot have made the rest longer than the header says.
    if max(old, new) <= 0 or (min(old, new) < 0 and (leading < _CONTEXT or trailing >= _CONTEXT)):
        return
    rows = [row for row in placement.rows if row is not None]
    n_below = len(file.lines) - (rows[-1] + 1 if rows else placement.start)
    if n_below <= 0:
        if old == 0:
            raise cut_off()
        return
    context = min(leading, _CONTEXT)
    if context == 0 and placement.start == 0:
        # A change of the first lines has no context above it, whatever the diff's context is.
        context = min(trailing, 1)
    if trailing >= max(context, 1) and not hunk.torn:
        is_cut = _holds_a_change(old, new, max(context, leading - trailing), n_below)
    else:
        is_cut = not (old == new <= context - min(trailing, context) and old < n_below)
    if is_cut:
        raise cut_off()


def _holds_a_change(old: int, new: int, context: int, n_below: int) -> bool:
    """Return whether what a hunk lacks can be another change with its context, or the end of the file."""
    if old == n_below:
        return True
    return min(old, new) >= context and max(old, new) > context and old < n_below


def _run(kinds: Sequence[str]) -> int:
    return next((number for number, kind in enumerate(kinds) if kind != " "), len(kinds))
