"""Three-way merge by lines: one side's changes go over the other side's text, never into its changes. Pure.

Invariant: every line of `ours` that is not in `base`, or that `theirs` has too, is in the result. The merge
is our own, on the same line comparison as hunks, because the known library for it (merge3) is under the GPL.
"""

from __future__ import annotations

from collections.abc import Sequence

import attrs

from greenline.edit.hunk import Span, changed_spans
from greenline.edit.text import dominant_end, line_end, split_lines, without_end


@attrs.frozen
class MergeConflict:
    """Lines that both sides changed, each in its own way; the result has ours there."""

    base_start: int
    """First of these lines in the base, 0-based."""
    base_end: int
    """Their end, exclusive."""
    start: int
    """First line of ours there, 0-based."""
    end: int
    """End of those lines, exclusive."""
    line: int
    """Where those lines begin in the result, 0-based."""


@attrs.frozen
class Merged:
    """The text after a merge, and what could not be merged."""

    text: str
    conflicts: tuple[MergeConflict, ...] = ()


def merge_texts(base: str, ours: str, theirs: str) -> Merged:
    """Return `ours` with what `theirs` changed in `base`; where both changed the same lines, ours stays.

    Changes that only touch are both made. Two insertions at one place are a conflict, since nothing says
    which goes first. Where ours has other line ends throughout than the base, theirs is taken with them too.
    """
    base, theirs = _with_ends_of(ours, base, theirs)
    base_lines, our_lines, their_lines = split_lines(base), split_lines(ours), split_lines(theirs)
    regions = _regions(
        _groups(_way_to(our_lines, base_lines), _way_to(their_lines, base_lines)),
        base_lines,
        our_lines,
        their_lines,
    )
    kept = _clashing(regions)
    end = dominant_end(our_lines or their_lines)
    pieces: list[str] = []
    conflicts: list[MergeConflict] = []
    position = moved = 0
    for region in regions:
        if region in kept:
            conflicts.append(
                MergeConflict(
                    region.base_start, region.base_end, region.start, region.end, region.start + moved
                )
            )
        elif not region.is_mine:
            _append(pieces, our_lines[position : region.start], end)
            _append(pieces, region.theirs, end)
            position = region.end
            moved += len(region.theirs) - (region.end - region.start)
    _append(pieces, our_lines[position:], end)
    return Merged("".join(pieces), tuple(conflicts))


@attrs.frozen
class _Region:
    """Lines of the base that their side changed, and what both sides make of them."""

    base_start: int
    base_end: int
    start: int
    """First line of ours there."""
    end: int
    base: tuple[str, ...]
    ours: tuple[str, ...]
    theirs: tuple[str, ...]
    is_mine: bool
    """Whether our side changed them too."""


def _regions(
    groups: Sequence[tuple[list[Span], list[Span]]],
    base_lines: Sequence[str],
    our_lines: Sequence[str],
    their_lines: Sequence[str],
) -> list[_Region]:
    regions: list[_Region] = []
    our_shift = their_shift = 0
    for mine, other in groups:
        low = min(span.start for span in mine + other)
        high = max(span.end for span in mine + other)
        start, their_start = low + our_shift, low + their_shift
        our_shift = mine[-1].to_end - mine[-1].end if mine else our_shift
        their_shift = other[-1].to_end - other[-1].end if other else their_shift
        stop = high + our_shift
        if other:
            theirs = tuple(their_lines[their_start : high + their_shift])
            ours = tuple(our_lines[start:stop])
            base = tuple(base_lines[low:high])
            regions.append(_Region(low, high, start, stop, base, ours, theirs, bool(mine)))
    return regions


def _clashing(regions: Sequence[_Region]) -> set[_Region]:
    """Return the regions in which ours stays: those that both changed, and the other ends of moved lines.

    A line that their side moves from one place to another would be lost, or be there twice, where only one
    half of that is made.
    """
    clashing = {region for region in regions if region.is_mine and not _is_made(region)}
    while True:
        not_put = {line for region in clashing for line in _more(region.theirs, region.base)}
        not_taken = {line for region in clashing for line in _more(region.base, region.theirs)}
        more = {
            region
            for region in regions
            if region not in clashing
            and not region.is_mine
            and (
                not_put.intersection(_more(region.base, region.theirs))
                or not_taken.intersection(_more(region.theirs, region.base))
            )
        }
        if not more:
            return clashing
        clashing |= more


def _is_made(region: _Region) -> bool:
    """Return whether ours has what theirs made of the base, beside what it made of other lines."""
    if region.ours == region.theirs:
        return True
    if _more(region.base, region.theirs).intersection(region.ours):
        return False
    mine = changed_spans(region.theirs, region.ours)
    return not any(
        one.start < other.to_end and other.to_start < one.end
        if one.start < one.end and other.to_start < other.to_end
        else one.start <= other.to_end and other.to_start <= one.end
        for other in changed_spans(region.base, region.theirs)
        for one in mine
    )


def _more(one: Sequence[str], other: Sequence[str]) -> set[str]:
    """Return the lines that one has and the other has not, but for blank ones."""
    return {line for line in one if line.strip()} - set(other)


def _way_to(lines: Sequence[str], base_lines: Sequence[str]) -> list[Span]:
    """Return how the base becomes a side: for an undo, the very changes that led to the base, turned round.

    Comparing the other way round could pair other lines, and then take back what was never changed.
    """
    spans = changed_spans(lines, base_lines)
    return [Span(span.to_start, span.to_end, span.start, span.end) for span in spans]


def _groups(ours: Sequence[Span], theirs: Sequence[Span]) -> list[tuple[list[Span], list[Span]]]:
    """Return the changes of both sides in the order of the base; those that clash are in one group."""
    waiting = sorted(
        [(span.start, span.end, 1, span) for span in theirs]
        + [(span.start, span.end, 0, span) for span in ours],
        key=lambda item: item[:3],
    )
    groups: list[tuple[list[Span], list[Span]]] = []
    for _, _, side, span in waiting:
        if groups and any(_clash(span, other) for other in groups[-1][1 - side]):
            groups[-1][side].append(span)
        else:
            groups.append(([span], []) if side == 0 else ([], [span]))
    return groups


def _clash(one: Span, other: Span) -> bool:
    """Return whether two changes want the same lines, or the same place between lines."""
    if one.start == one.end and other.start == other.end:
        return one.start == other.start
    return one.start < other.end and other.start < one.end


def _append(pieces: list[str], lines: Sequence[str], end: str) -> None:
    """Append lines; after a line without an end, which was the last of its side, they need one in front."""
    if not lines:
        return
    if pieces and not line_end(pieces[-1]):
        pieces.append(end)
    pieces += lines


def _with_ends_of(ours: str, base: str, theirs: str) -> tuple[str, str]:
    """Return base and theirs with the line ends of ours, where both texts have one kind each."""
    our_ends, base_ends = ({line_end(line) for line in split_lines(text)} - {""} for text in (ours, base))
    if len(our_ends) != 1 or len(base_ends) != 1 or our_ends == base_ends:
        return base, theirs
    (wanted,), (known,) = our_ends, base_ends
    return _converted(base, known, wanted), _converted(theirs, known, wanted)


def _converted(text: str, known: str, wanted: str) -> str:
    lines = split_lines(text)
    return "".join(without_end(line) + wanted if line_end(line) == known else line for line in lines)
