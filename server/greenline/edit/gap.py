"""Aligns a hunk with a file where its context leaves out a line or two, or says one twice.

Removed lines must all be there, one after the other; a context line with other text is never passed over.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

import attrs

from greenline.edit.operation import PatchHunk
from greenline.edit.tolerance import FileLines, Tolerance, keys_of

_LIMIT = 2
_ANCHORS = 64
_ENOUGH = 3


@attrs.define
class _Walk:
    """One way from an anchor through the hunk's old lines, up or down."""

    rows: list[int | None]
    cost: int = 0
    known: int = 0


def aligned(file: FileLines, hunk: PatchHunk, tolerance: Tolerance) -> list[tuple[int | None, ...]]:
    """Return the alignments with least gaps, by file line for each old line, at most one an anchor."""
    kinds = [kind for kind, _ in hunk.lines if kind != "+"]
    wanted = keys_of(hunk.source, tolerance)
    places, keys = file.places(tolerance), file.keys(tolerance)
    removed = [i for i, kind in enumerate(kinds) if kind == "-"]
    if any(wanted[i] not in places for i in removed):
        return []
    anchors = _anchors(removed, wanted, places) or _anchors(range(len(wanted)), wanted, places)
    if not anchors:
        return []
    anchor = min(anchors, key=lambda i: len(places[wanted[i]]))
    if len(places[wanted[anchor]]) > _ANCHORS:
        return []
    found: dict[tuple[int | None, ...], int] = {}
    for row in places[wanted[anchor]]:
        up = _walk(keys, kinds, wanted, anchor, row, -1)
        down = _walk(keys, kinds, wanted, anchor, row, 1)
        if up is None or down is None:
            continue
        cost = up.cost + down.cost
        rows = (*reversed(up.rows), row, *down.rows)
        is_known = up.known + down.known + bool(wanted[anchor]) >= _ENOUGH
        if 0 < cost <= _LIMIT and is_known and not _is_doubtful(keys, hunk, wanted, rows):
            found[rows] = cost
    return list(found)


def _anchors(indices: Iterable[int], wanted: Sequence[str], places: Mapping[str, Sequence[int]]) -> list[int]:
    """Return the old lines that are in the file and say enough to begin from."""
    return [i for i in indices if len(wanted[i].strip()) > 1 and wanted[i] in places]


def _walk(
    keys: Sequence[str], kinds: Sequence[str], wanted: Sequence[str], anchor: int, row: int, step: int
) -> _Walk | None:
    """Follow the old lines from an anchor; None where they cannot be followed within the limit."""
    walk = _Walk([])
    at = row + step
    for index in _indices(anchor, step, len(wanted)):
        key = wanted[index]
        skipped = _gap(keys, at, step, key)
        if skipped and kinds[index] == "-" and kinds[index - step] == "-":
            skipped = None
        if skipped != 0 and kinds[index] == " " and key == wanted[index - step]:
            walk.cost += 1
            walk.rows.append(None)
        elif skipped is None:
            return None
        else:
            walk.cost += skipped
            at += step * skipped
            walk.rows.append(at)
            walk.known += bool(key)
            at += step
        if walk.cost > _LIMIT:
            return None
    return walk


def _is_doubtful(
    keys: Sequence[str], hunk: PatchHunk, wanted: Sequence[str], rows: Sequence[int | None]
) -> bool:
    """Return whether a line that is left out or said twice is like one next to a change.

    Then another alignment, as good, would put the change on that line's other side.
    """
    known = [row for row in rows if row is not None]
    twice = {key for key, row in zip(wanted, rows, strict=True) if row is None}
    left_out = {keys[row] for row in range(known[0], known[-1]) if row not in known}
    kinds = [kind for kind, _ in hunk.lines]
    index = -1
    for number, kind in enumerate(kinds):
        if kind != "+":
            index += 1
            if kind == "-" and wanted[index] in twice | left_out:
                return True
            continue
        if "-" in kinds[max(number - 1, 0) : number + 2]:
            continue
        # An insertion between lines of context is where they are, and nowhere else.
        around = set(wanted[max(index, 0) : index + 2])
        if around & left_out or (len(around) == 1 and around & twice):
            return True
    return False


def _indices(anchor: int, step: int, size: int) -> Iterator[int]:
    return iter(range(anchor - 1, -1, -1) if step < 0 else range(anchor + 1, size))


def _gap(keys: Sequence[str], at: int, step: int, key: str) -> int | None:
    """Return how many lines lie before the next one with a key; None past the limit."""
    for skipped in range(_LIMIT + 1):
        row = at + step * skipped
        if 0 <= row < len(keys) and keys[row] == key:
            return skipped
    return None
