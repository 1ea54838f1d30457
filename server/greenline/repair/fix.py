"""A fix: edits that are made together."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import attrs

from greenline.mutation.source import Candidate


@attrs.frozen
class Fix:
    """Edits that make every test pass, or are tried for it."""

    edits: tuple[Candidate, ...]
    score: float
    """Suspiciousness times prior, multiplied over the edits; higher is better."""

    @property
    def size(self) -> tuple[int, int]:
        """Return how many edits there are and how many bytes they touch: smaller is better."""
        touched = sum(max(len(e.replacement), e.end - e.start) for e in self.edits)
        return len(self.edits), touched


def make_contents(read: Callable[[str], bytes], edits: Sequence[Candidate]) -> dict[str, bytes]:
    """Return path → content with all edits made, later positions first."""
    made: dict[str, bytes] = {}
    for edit in sorted(edits, key=lambda e: -e.start):
        data = made[edit.path] if edit.path in made else read(edit.path)
        made[edit.path] = data[: edit.start] + edit.replacement + data[edit.end :]
    return made


def overlap(one: Candidate, other: Candidate) -> bool:
    """Return whether two edits touch or share bytes."""
    return one.path == other.path and one.start < other.end + 1 and other.start < one.end + 1
