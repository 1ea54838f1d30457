"""Faults behind faults: where to look once an edit has mended some of the failing tests.

A test that stops at the first fault never reaches the second, whose lines are then not suspicious at all.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import attrs

from greenline.core.port import Tree
from greenline.mutation.source import Candidate
from greenline.repair.fix import Fix, make_contents

_MAX_STEPS = 2
"""From how many edits a second look is taken; each costs a run of the suite."""


def steps(partial: Sequence[tuple[Fix, frozenset[str]]]) -> Iterator[Fix]:
    """Yield the edits to go on from: those that mend most, one for each place."""
    singles = [(fix, passed) for fix, passed in partial if len(fix.edits) == 1]
    singles.sort(key=lambda item: (-len(item[1]), -item[0].score))
    seen: set[tuple[str, int]] = set()
    for fix, _ in singles:
        place = (fix.edits[0].path, fix.edits[0].line)
        if place not in seen and len(seen) < _MAX_STEPS:
            seen.add(place)
            yield fix


def with_edits(tree: Tree, edits: Sequence[Candidate]) -> Tree:
    """Return a tree with some edits made."""
    made = dict(tree)
    for path, content in make_contents(lambda name: tree[name].content, edits).items():
        made[path] = attrs.evolve(tree[path], content=content)
    return made


def on_base(
    places: Mapping[tuple[str, int], float], tree: Tree, edit: Candidate
) -> dict[tuple[str, int], float]:
    """Return (file, 1-based line of the base) → value, for places of the text with an edit made."""
    data = tree[edit.path].content
    first = data.count(b"\n", 0, edit.start) + 1
    n_added = edit.replacement.count(b"\n")
    n_removed = data.count(b"\n", edit.start, edit.end)
    is_whole = data[: edit.start].endswith(b"\n") or not edit.start
    found: dict[tuple[str, int], float] = {}
    for (file, line), value in places.items():
        if file != edit.path or line < first or (line == first and (n_added or not is_whole)):
            moved = line
        elif line >= first + n_added:
            # The edit's last line ends with what follows on the last line that it touches.
            moved = line - n_added + n_removed
        else:
            moved = min(line, first + n_removed)
        found[file, moved] = max(value, found.get((file, moved), 0.0))
    return found
