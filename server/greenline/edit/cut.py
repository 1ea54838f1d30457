"""Tells a hunk whose end was cut off, as models' answers are, from one with careless counts.

A hunk that shows three lines of context before its changes shows as many after them, unless the file ends:
where it shows fewer, its counts must be explained by those alone. A line that was cut in two is left out.
"""

from __future__ import annotations

from collections.abc import Sequence

import attrs

from greenline.core.error import EditRejected
from greenline.edit.lenient import counts
from greenline.edit.operation import PatchHunk
from greenline.edit.place import Placement, placements
from greenline.edit.tolerance import FileLines, Tolerance

_CONTEXT = 3


def untorn(file: FileLines, hunks: Sequence[PatchHunk]) -> Sequence[PatchHunk]:
    """Return the hunks, the last one without a line that is only a piece of the file's.

    Raises `EditRejected` (`malformed`) where a changed line may be a piece.
    """
    if not hunks or not hunks[-1].torn:
        return hunks
    *whole, hunk = hunks
    kind, text = hunk.lines[-1] if hunk.lines else ("", "")
    if kind == "+" and hunk.claimed is not None and counts(hunk.lines) != hunk.claimed:
        raise _cut_off()
    if kind != " " or placements(file, hunk, Tolerance.GAPS):
        return hunks
    shorter = attrs.evolve(hunk, lines=hunk.lines[:-1])
    piece = text.removesuffix("\n")
    for placement in placements(file, shorter, Tolerance.CHARACTERS) if shorter.source else ():
        row = placement.rows[-1]
        if row is not None and row + 1 < len(file.lines) and file.lines[row + 1].startswith(piece):
            return [*whole, shorter]
    return hunks


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
    same = hunk.claimed[0] - have[0] == hunk.claimed[1] - have[1]
    if missing > short or (hunk.torn and not same) or end + missing >= len(file.lines):
        raise _cut_off()


def _run(kinds: Sequence[str]) -> int:
    return next((number for number, kind in enumerate(kinds) if kind != " "), len(kinds))


def _cut_off() -> EditRejected:
    return EditRejected(
        "The diff ends before its last hunk does: it was cut off.",
        remedy="Give the whole diff, or smaller ones.",
        code="malformed",
    )
