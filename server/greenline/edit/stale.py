"""Tells a hunk whose own place was changed since it was made from one that stands where it is found.

Then all its context stands at the stated line or below its heading, and only lines that it removes are
others: the same text elsewhere is a look-alike, and no edit goes there.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence

from greenline.core.error import EditRejected
from greenline.edit.heading import stands_after, stands_below
from greenline.edit.operation import PatchHunk
from greenline.edit.tolerance import FileLines, Tolerance, keys_of

_ENOUGH = 2
"""Lines of context with words or numbers that must stand there."""
_GROWN = 2
"""By how many lines the lines to remove may have become more or fewer."""
_TRIED = 500


def refuse_stale(file: FileLines, hunk: PatchHunk, chosen: int, stated: Sequence[int]) -> None:
    """Raise `EditRejected` (`no-match`) where a hunk's own place is another than the chosen one, and changed.

    `chosen` is the first line of the place where the text was found; `stated` are the lines that the hunk's
    number may mean.
    """
    kinds = [kind for kind, _ in hunk.lines if kind != "+"]
    wanted = keys_of(hunk.source, Tolerance.CHARACTERS)
    says = [any(c.isalnum() for c in key) and kind == " " for kind, key in zip(kinds, wanted, strict=True)]
    if "-" not in kinds or sum(says) < _ENOUGH:
        return
    keys = file.keys(Tolerance.CHARACTERS)
    for start in itertools.chain(stated, _below_heading(file, hunk, chosen, wanted, says)):
        end = _fits(keys, kinds, wanted, start)
        if end is not None and not start <= chosen < end and not chosen <= start < chosen + len(wanted):
            raise EditRejected(
                f"The text to replace stands at line {chosen + 1}, and what is around it at line {start + 1}"
                " too, where the edit says it is; what it replaces there has changed.",
                remedy="Read the file again and copy the lines as they are now.",
                code="no-match",
                lines=tuple(sorted((start + 1, chosen + 1))),
            )


def _below_heading(
    file: FileLines, hunk: PatchHunk, chosen: int, wanted: Sequence[str], says: Sequence[bool]
) -> Iterator[int]:
    """Yield the lines below the heading where the rarest line of context says that the hunk may begin.

    Nothing where the chosen place is below the heading itself and nothing else is nearer to it.
    """
    is_below = bool(hunk.heading) and stands_below(file.lines, chosen, hunk.heading)
    if is_below or not (hunk.heading or hunk.named):
        return
    places = file.places(Tolerance.CHARACTERS)
    offset = min(
        (number for number, is_said in enumerate(says) if is_said),
        key=lambda number: len(places.get(wanted[number], ())),
    )
    for row in places.get(wanted[offset], [])[:_TRIED]:
        # What was removed may be fewer or more lines by now, so that the first line is near.
        for start in range(max(row - offset - _GROWN, 0), max(row - offset + _GROWN, 0) + 1):
            is_named = hunk.named and start < chosen and stands_after(file.lines, start + 1, hunk.named)
            if is_named or (hunk.heading and stands_below(file.lines, start, hunk.heading)):
                yield start


def _fits(keys: Sequence[str], kinds: Sequence[str], wanted: Sequence[str], start: int) -> int | None:
    """Return the line below a place where all context stands and lines to remove are others, else None."""
    if not 0 <= start < len(keys):
        return None
    runs = [
        (kind, [key for _, key in run])
        for kind, run in itertools.groupby(zip(kinds, wanted, strict=True), key=lambda pair: pair[0])
    ]
    row, is_other = start, False
    for number, (kind, run) in enumerate(runs):
        if kind == " ":
            if list(keys[row : row + len(run)]) != run:
                return None
            row += len(run)
            continue
        below = runs[number + 1][1] if number + 1 < len(runs) else []
        sizes = sorted(
            range(max(len(run) - _GROWN, 0), len(run) + _GROWN + 1), key=lambda n: abs(n - len(run))
        )
        size = next((n for n in sizes if list(keys[row + n : row + n + len(below)]) == below), None)
        if size is None:
            return None
        is_other = is_other or list(keys[row : row + size]) != run
        row += size
    return row if is_other else None
