"""Decides where an edit's lines stand in a file: the strictest tolerance that has them, and one place alone.

A stated line breaks a tie only where it is exact, or at least four times as near to one place as to the
next and no further than a few lines off; the first line, which stands for "unknown", breaks none.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

import attrs

from greenline.core.error import EditRejected
from greenline.edit.elision import is_placeholder
from greenline.edit.gap import aligned
from greenline.edit.heading import stands_after, stands_below
from greenline.edit.indent import Indents
from greenline.edit.operation import PatchHunk
from greenline.edit.stale import refuse_stale
from greenline.edit.tolerance import FileLines, Tolerance, keys_of, plain

_REACH = 25
_TIMES = 4
_SHOWN = 5
_MAX_NAMED = 100
"""Candidates that an error carries; its words say how many there are."""
_LEFT_OUT = 2
_MAX_COMPARED = 2_000_000
"""Lines whose indentation is looked at: where so many places fit, no more of them make it plainer."""


@attrs.frozen
class Placement:
    """Where a hunk's old lines stand."""

    rows: Sequence[int | None]
    """The file's line for each old line; None for one that the hunk says twice."""
    tolerance: Tolerance
    start: int
    """First line; where there are no old lines, the line before which the new ones go."""


@attrs.frozen
class Evidence:
    """What else a hunk's neighbours say about its place."""

    drifts: tuple[int, ...] = ()
    """How far off the stated lines of the nearest hunks with one place are."""
    floor: int = 0
    """First line that the hunks before it leave."""
    ceiling: int | None = None
    """First line of the next hunk with one place."""


def at_stated(file: FileLines, hunk: PatchHunk) -> Placement | None:
    """Return the place that a hunk states, if its old lines stand exactly there and its heading allows it."""
    source = hunk.source
    if hunk.start is None or not source:
        return None
    if list(file.lines[hunk.start : hunk.start + len(source)]) != source:
        return None
    if hunk.heading and not stands_below(file.lines, hunk.start, hunk.heading):
        starts = file.starts(source, Tolerance.EXACT)
        if any(stands_below(file.lines, start, hunk.heading) for start in starts):
            return None
    return _run(hunk.start, len(source), Tolerance.EXACT)


def placements(file: FileLines, hunk: PatchHunk, loosest: Tolerance) -> tuple[Placement, ...]:
    """Return all places at the strictest tolerance that has any."""
    source = hunk.source
    for tolerance in Tolerance:
        if tolerance > loosest:
            break
        if tolerance is Tolerance.GAPS:
            return tuple(_gapped(file, hunk))
        wanted = keys_of(source, tolerance)
        if tolerance >= Tolerance.INDENTATION and not any(wanted):
            return ()
        starts = file.starts(wanted, tolerance)
        if tolerance >= Tolerance.INDENTATION:
            tried = starts[: max(_MAX_COMPARED // max(len(source), 1), 2)]
            starts = [s for s in tried if Indents.of(source, file.lines[s : s + len(source)]) is not None]
        if tolerance is Tolerance.BLANKS:
            starts = [start for start in starts if file.says_the_same(source, start)]
        if starts:
            twins = _twin_at_end(file, source) if tolerance < Tolerance.CHARACTERS else ()
            return tuple(_run(start, len(source), tolerance) for start in dict.fromkeys((*starts, *twins)))
    return ()


def _twin_at_end(file: FileLines, source: Sequence[str]) -> tuple[int, ...]:
    """Return the same text at the file's end, where only the last line's missing end tells it apart."""
    start = len(file.lines) - len(source)
    if start < 0:
        return ()
    at_end, wanted = (keys_of(lines, Tolerance.LINE_ENDS) for lines in (file.lines[start:], source))
    return (start,) if at_end == wanted else ()


def choose(file: FileLines, hunk: PatchHunk, found: Sequence[Placement], evidence: Evidence) -> Placement:
    """Return the one place that a hunk means; raises `EditRejected` (`no-match`, `ambiguous`, `elision`)."""
    if not found:
        raise no_match(file, hunk.source)
    if hunk.named:
        found = _below_named(file, hunk, found)
    if hunk.at_end:
        found = [p for p in found if _is_at_end(file, p)] or found
    if stated := _stated_at_end(file, hunk, found, evidence):
        return stated
    inside = [p for p in found if _between(p, evidence)] or list(found)
    below = [p for p in inside if hunk.heading and stands_below(file.lines, p.start, hunk.heading)]
    narrowed = below or inside
    chosen = narrowed[0] if len(narrowed) == 1 else _nearest(narrowed, hunk, evidence)
    if chosen is None:
        raise ambiguous([p.start for p in narrowed])
    _refuse_rival(file, hunk, chosen, evidence)
    nears = {hunk.start + drift for drift in evidence.drifts or (0,)} if hunk.start is not None else set()
    refuse_stale(file, hunk, chosen.start, sorted(nears - {chosen.start}))
    return chosen


def _is_at_end(file: FileLines, placement: Placement) -> bool:
    """Return whether nothing but blank lines stands below a placement."""
    last = max((row for row in placement.rows if row is not None), default=placement.start - 1)
    return not any(line.strip() for line in file.lines[last + 1 :])


def _below_named(file: FileLines, hunk: PatchHunk, found: Sequence[Placement]) -> list[Placement]:
    """Return the places that the lines named above a hunk allow; raises `EditRejected` (`no-match`)."""
    # A hunk may change the very line that it is named by.
    left = [
        p for p in found if stands_after(file.lines, min(_changed_rows(hunk, p), default=0) + 1, hunk.named)
    ]
    if not left:
        raise EditRejected(
            f"The text to replace does not stand below the line {hunk.named[-1]!r} that the edit names.",
            remedy="Name a line of the file above the change, or none.",
            code="no-match",
            lines=tuple(p.start + 1 for p in found[:_SHOWN]),
        )
    return left


def ambiguous(starts: Sequence[int]) -> EditRejected:
    """Return the error for a text that stands in several places, given by line, 0-based; one may be twice."""
    rows = Counter(starts)
    shown = ", ".join(
        f"{row + 1} ({n} times)" if n > 1 else f"{row + 1}" for row, n in [*rows.items()][:_SHOWN]
    )
    more = " …" if len(rows) > _SHOWN else ""
    lines = "line" if len(rows) == 1 else "lines"
    return EditRejected(
        f"The text stands in {len(starts)} places: {lines} {shown}{more}.",
        remedy="Add lines before or after it until it is unique.",
        code="ambiguous",
        lines=tuple(row + 1 for row in rows)[:_MAX_NAMED],
    )


def no_match(file: FileLines, wanted: Sequence[str]) -> EditRejected:
    """Return an error that names the lines of the file that look most like what was wanted."""
    known = set(file.keys(Tolerance.CHARACTERS))
    for line in wanted:
        if is_placeholder(line) and plain(line) not in known:
            return EditRejected(
                f"The line {line.strip()!r} stands for text that the edit leaves out.",
                remedy="Copy the lines to replace from the file, all of them.",
                code="elision",
            )
    near = _similar(file, wanted)
    shown = ", ".join(str(row + 1) for row in near)
    hint = f" Some of its lines stand at {shown}, with other text around them." if near else ""
    return EditRejected(
        f"The text to replace is not in the file.{hint}",
        remedy="Read the file again and copy the lines exactly.",
        code="no-match",
        lines=tuple(row + 1 for row in near),
    )


def _similar(file: FileLines, wanted: Sequence[str]) -> list[int]:
    """Return the starts of the places that share most lines with what was wanted, best first."""
    places = file.places(Tolerance.BLANKS)
    scores: dict[int, int] = {}
    for offset, key in enumerate(keys_of(wanted, Tolerance.BLANKS)):
        rows = places.get(key, []) if len(key) > 1 else []
        for row in rows[:200]:
            start = max(row - offset, 0)
            scores[start] = scores.get(start, 0) + 1
    if not scores:
        return []
    best = max(scores.values())
    return sorted(start for start, score in scores.items() if score == best)[:_SHOWN]


def _run(start: int, size: int, tolerance: Tolerance) -> Placement:
    return Placement(range(start, start + size), tolerance, start)


def _gapped(file: FileLines, hunk: PatchHunk) -> Iterator[Placement]:
    for tolerance in (Tolerance.CHARACTERS, Tolerance.INDENTATION):
        found = aligned(file, hunk, tolerance)
        if found:
            for rows in found:
                yield Placement(rows, Tolerance.GAPS, next(row for row in rows if row is not None))
            return


def _stated_at_end(
    file: FileLines, hunk: PatchHunk, found: Sequence[Placement], evidence: Evidence
) -> Placement | None:
    """Return the stated place, if only blank lines after the file's end are missing there.

    Look-alikes elsewhere have those lines by chance: the number and the end of the file agree.
    """
    if hunk.start is None or len(evidence.drifts) > 1:
        return None
    near = hunk.start + sum(evidence.drifts)
    source, size = hunk.source, len(file.lines) - near
    if near < 0 or not 0 < size < len(source) or any(p.start == near for p in found):
        return None
    if any(kind != " " or line.strip() for kind, line in hunk.lines[size - len(source) :]):
        return None
    for tolerance in (Tolerance.EXACT, Tolerance.LINE_ENDS, Tolerance.CHARACTERS):
        if file.keys(tolerance)[near:] == keys_of(source[:size], tolerance):
            rows = (*range(near, near + size), *[None] * (len(source) - size))
            return Placement(rows, tolerance, near)
    return None


def _between(placement: Placement, evidence: Evidence) -> bool:
    return placement.start >= evidence.floor and (
        evidence.ceiling is None or placement.start < evidence.ceiling
    )


def _nearest(found: Sequence[Placement], hunk: PatchHunk, evidence: Evidence) -> Placement | None:
    """Return the place that the stated line means; None where it could mean several."""
    if hunk.start is None:
        return None
    by_start = {p.start: p for p in found}
    nears = {hunk.start + drift for drift in evidence.drifts} or {hunk.start}
    exact = [by_start[near] for near in nears if near in by_start]
    if exact:
        return exact[0] if len(exact) == 1 else None
    if len(nears) > 1 or hunk.start == 0:
        return None
    near = nears.pop()
    first, second = sorted(abs(start - near) for start in by_start)[:2]
    if first > _REACH or second < first * _TIMES:
        return None
    return next(p for start, p in by_start.items() if abs(start - near) == first)


def _refuse_rival(file: FileLines, hunk: PatchHunk, chosen: Placement, evidence: Evidence) -> None:
    """Refuse where the stated line fits another place under a looser tolerance than the chosen one's."""
    if hunk.start is None:
        return
    changed = set(_changed_rows(hunk, chosen))
    for near in {hunk.start + drift for drift in evidence.drifts} or {hunk.start}:
        if near == chosen.start or not 0 <= near < len(file.lines):
            continue
        source = hunk.source
        for tolerance in (Tolerance.CHARACTERS, Tolerance.BLANKS):
            wanted = keys_of(source, tolerance)
            if any(wanted) and file.keys(tolerance)[near : near + len(source)] == wanted:
                rival = _run(near, len(source), tolerance)
                if not changed & set(_changed_rows(hunk, rival)):
                    raise ambiguous(sorted((near, chosen.start)))
        for tolerance in (Tolerance.CHARACTERS, Tolerance.INDENTATION):
            almost = _almost(file, hunk, near, tolerance)
            if almost is not None and not changed & set(_changed_rows(hunk, almost)):
                raise ambiguous(sorted((near, chosen.start)))


def _almost(file: FileLines, hunk: PatchHunk, near: int, tolerance: Tolerance) -> Placement | None:
    """Return the stated place, where but for a line or two of context the hunk stands there."""
    keys, wanted = file.keys(tolerance), keys_of(hunk.source, tolerance)
    kinds = [kind for kind, _ in hunk.lines if kind != "+"]
    rows: list[int | None] = []
    row, cost = near, 0
    for kind, key in zip(kinds, wanted, strict=True):
        skipped = next((n for n in range(_LEFT_OUT - cost + 1) if keys[row + n : row + n + 1] == [key]), None)
        cost += 1 if skipped is None else skipped
        if cost > _LEFT_OUT or (skipped is None and kind == "-"):
            return None
        rows.append(None if skipped is None else row + skipped)
        row += 0 if skipped is None else skipped + 1
    n_known = sum(row is not None and bool(key) for row, key in zip(rows, wanted, strict=True))
    return Placement(tuple(rows), Tolerance.GAPS, near) if n_known >= max(2, 2 * cost) else None


def _changed_rows(hunk: PatchHunk, placement: Placement) -> Iterator[int]:
    """Yield the rows that a hunk removes, and those that its insertions follow."""
    rows = iter(placement.rows)
    last = placement.start - 1
    for kind, _ in hunk.lines:
        if kind == "+":
            yield last
            continue
        row = next(rows)
        if row is not None:
            last = row
            if kind == "-":
                yield row
