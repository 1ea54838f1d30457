"""Tells a hunk whose end was cut off, as models' answers are, from one with careless counts.

A hunk that shows three lines of context before its changes shows as many after them, unless the file ends:
where it shows fewer, its counts must be explained by those alone. A diff that ends inside a line is refused.
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
    """Raise `EditRejected` (`malformed`) where the text of a new file ends inside a line."""
    for hunk in hunks:
        if hunk.torn and hunk.claimed is not None and counts(hunk.lines) != hunk.claimed:
            raise cut_off()


def refuse_cut(file: FileLines, hunk: PatchHunk, placement: Placement) -> None:
    """Raise `EditRejected` (`malformed`) where changes may be missing at the end of the last hunk."""
    if not hunk.last or hunk.claimed is None or not placement.rows:
        return
    have = counts(hunk.lines)
    missing = max(hunk.claimed[0] - have[0], hunk.claimed[1] - have[1])
    end = (placement.rows[-1] or 0) + 1
    if missing <= 0 or end >= len(file.lines):
        return
    kinds = [kind for kind, _ in hunk.lines]
    leading, trailing = _run(kinds), _run(kinds[::-1])
    if leading < min(_CONTEXT, placement.start + leading) or (trailing >= _CONTEXT and not hunk.torn):
        return
    short = _CONTEXT - min(trailing, _CONTEXT)
    if missing > short or end + missing >= len(file.lines):
        raise cut_off()


def _run(kinds: Sequence[str]) -> int:
    return next((number for number, kind in enumerate(kinds) if kind != " "), len(kinds))
