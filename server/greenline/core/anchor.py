"""Anchors: what an accepted hunk and its neighbours said, so that its place is known again later. Pure."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Sequence

import attrs

_N_NEIGHBOURS = 8
"""How many lines on each side are remembered."""
_MAX_WEIGHT = 20
"""What one line says at most, in letters and digits: a long line is typed again as a whole, or not at all."""


@attrs.frozen
class Anchor:
    """An accepted hunk's lines and their neighbours; all without line ends and blanks at the end."""

    hunk_id: str
    proposal_id: str
    path: str
    """Absolute path, links resolved."""
    accepted: float
    """Seconds since the epoch."""
    start_line: int
    """First of the lines in the text that the hunk was last known in, 0-based."""
    lines: tuple[str, ...]
    above: tuple[str, ...]
    """Neighbours above, from the top down."""
    below: tuple[str, ...]
    at_start: bool
    """Whether the text began with the neighbours above."""
    at_end: bool
    """Whether the text ended with the neighbours below."""
    singles: tuple[int, ...]
    """Which of `above + lines + below` the text held once, by number."""
    n_alike: int
    """How often the text held these lines, one below the other."""
    rival: int
    """How many neighbours another such place had in common with this one, -1 where there was no other."""
    text_hash: str
    """SHA-256 (hex) of the whole text, in the form of `hash_of`."""

    @property
    def block(self) -> tuple[str, ...]:
        """The lines with their neighbours."""
        return self.above + self.lines + self.below


@attrs.frozen
class Owner:
    """The hunk that an anchor is for."""

    hunk_id: str
    proposal_id: str
    path: str
    accepted: float


def plain_lines(lines: Sequence[str]) -> tuple[str, ...]:
    """Return lines without their ends and the blanks before these."""
    return tuple(map(str.rstrip, lines))


def hash_of(lines: Sequence[str]) -> str:
    """Return what tells one text from another, whatever its line ends; `lines` are plain."""
    return hashlib.sha256("\n".join(lines).encode("utf-8", "surrogatepass")).hexdigest()


def weight(line: str) -> int:
    """Return how much a line says, so that brackets and blank lines are no evidence."""
    return min(_MAX_WEIGHT, sum(character.isalnum() for character in line))


def anchor_at(owner: Owner, lines: Sequence[str], start: int, end: int) -> Anchor | None:
    """Return the anchor of the plain lines `start` … `end`, or None where these say nothing."""
    wanted = tuple(lines[start:end])
    if not any(wanted):
        return None
    above = tuple(lines[max(0, start - _N_NEIGHBOURS) : start])
    below = tuple(lines[end : end + _N_NEIGHBOURS])
    block = above + wanted + below
    counts = Counter(filter(set(filter(None, block)).__contains__, lines))
    anchor = Anchor(
        hunk_id=owner.hunk_id,
        proposal_id=owner.proposal_id,
        path=owner.path,
        accepted=owner.accepted,
        start_line=start,
        lines=wanted,
        above=above,
        below=below,
        at_start=start <= _N_NEIGHBOURS,
        at_end=end + _N_NEIGHBOURS >= len(lines),
        singles=tuple(n for n, line in enumerate(block) if line and counts[line] == 1),
        n_alike=1,
        rival=-1,
        text_hash=hash_of(lines),
    )
    places = places_of(wanted, lines)
    others = [common_at(anchor, lines, place).total for place in places if place != start]
    return attrs.evolve(anchor, n_alike=len(places), rival=max(others, default=-1))


def places_of(wanted: Sequence[str], lines: Sequence[str]) -> list[int]:
    """Return where plain lines stand one below the other."""
    first = next((n for n, line in enumerate(wanted) if line), None)
    if first is None:
        return []
    found = []
    row, last = first, len(lines) - len(wanted) + first
    # Most lines are not the one, so the rest is compared only where this is.
    while row <= last:
        try:
            row = lines.index(wanted[first], row, last + 1)
        except ValueError:
            break
        if tuple(lines[row - first : row - first + len(wanted)]) == tuple(wanted):
            found.append(row - first)
        row += 1
    return found


@attrs.frozen
class Common:
    """What a place's neighbours have in common with an anchor's, nearest first."""

    above: int
    below: int
    weight: int
    """How much these lines say."""
    n_ends: int = 0
    """How many of the neighbours are ends of the text."""

    @property
    def total(self) -> int:
        """The number of neighbours on both sides."""
        return self.above + self.below


def common_at(anchor: Anchor, lines: Sequence[str], start: int) -> Common:
    """Return what a place has in common with an anchor.

    Blank lines are passed over; an end of the text that both have is a neighbour too.
    """
    end = start + len(anchor.lines)
    reach = 2 * _N_NEIGHBOURS
    over, under = list(lines[max(0, start - reach) : start]), list(lines[end : end + reach])
    above = _common(anchor.above[::-1], over[::-1], anchor.at_start and start <= reach)
    below = _common(anchor.below, under, anchor.at_end and len(lines) - end <= reach)
    return Common(above[0], below[0], above[1] + below[1], above[2] + below[2])


def _common(known: Sequence[str], there: Sequence[str], is_at_edge: bool) -> tuple[int, int, int]:
    """Return how many lines agree, the nearest first, how much they say, and how many are the text's end."""
    known_lines = [line for line in known if line]
    there_lines = [line for line in there if line]
    same = weighs = 0
    while same < min(len(known_lines), len(there_lines)) and known_lines[same] == there_lines[same]:
        weighs += weight(known_lines[same])
        same += 1
    if is_at_edge and same == len(known_lines) == len(there_lines):
        return same + 1, weighs + _MAX_WEIGHT // 2, 1
    return same, weighs, 0
