"""Asks git's history where an accepted hunk is, where the text alone cannot tell; may block for seconds."""

from __future__ import annotations

from collections.abc import Sequence

from greenline.core.anchor import Anchor, places_of, plain_lines, weight
from greenline.edit.anchor import Rows, locate
from greenline.edit.hunk import changed_spans
from greenline.workspace.blame import Committed, Origin

_TELLING = 8
"""How many letters and digits a line must have to make a search in another file worth while."""


def settle(anchor: Anchor, lines: Sequence[str], committed: Committed) -> Rows | None:
    """Return the one place of several whose lines were committed after the accept, where they stood then.

    `lines` are plain. In the commit that brought the lines in, the anchor itself must tell their place.
    """
    places = places_of(anchor.lines, lines)
    known_as = committed.path_of(anchor.path)
    if not places or known_as is None:
        return None
    origins = _origins(lines, committed)
    fitting = [place for place in places if _came_with(anchor, origins, place, known_as, committed)]
    if len(fitting) != 1:
        return None
    return tuple(range(fitting[0], fitting[0] + len(anchor.lines)))


def find_moved(anchor: Anchor, lines: Sequence[str], committed: Committed) -> Rows | None:
    """Return where an anchor of a file that is gone is in another one, if git says it was moved there."""
    held = set(lines)
    if not any(line in held for line in anchor.lines if weight(line) >= _TELLING):
        return None
    known_as = committed.path_of(anchor.path)
    if known_as is None:
        return None
    is_heir = committed.moved_from() == known_as or any(
        known_as in (origin.path, origin.previous) for origin in committed.origins()
    )
    if not is_heir:
        return None
    return locate(anchor, lines) or settle(anchor, lines, committed)


def _origins(lines: Sequence[str], committed: Committed) -> list[Origin | None]:
    """Return for each line where it comes from, or None where it is not committed."""
    head, known = plain_lines(committed.lines()), committed.origins()
    found: list[Origin | None] = [None] * len(lines)
    if len(head) != len(known):
        return found
    row = to_row = 0
    for span in changed_spans(head, lines):
        found[to_row : span.to_start] = known[row : span.start]
        row, to_row = span.end, span.to_end
    found[to_row:] = known[row:]
    return found


def _came_with(
    anchor: Anchor, origins: Sequence[Origin | None], place: int, known_as: str, committed: Committed
) -> bool:
    wanted = origins[place : place + len(anchor.lines)]
    first = wanted[0]
    if first is None or first.time < int(anchor.accepted) or known_as not in (first.path, first.previous):
        return False
    for number, origin in enumerate(wanted):
        if origin is None or (origin.commit, origin.path) != (first.commit, first.path):
            return False
        if origin.line != first.line + number:
            return False
    then = locate(anchor, plain_lines(committed.lines_at(first.commit, first.path)))
    return then == tuple(range(first.line, first.line + len(anchor.lines)))
