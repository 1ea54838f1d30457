"""Weighing families of fixes that pass every test by how usual the code looks with them.

Weak tests are passed by many edits. Of those, people wrote the one that looks like code that people write:
`self.rows = rows` and not `self.rows = cols`, `list(self.tracks)` and not a shuffled `list(order)`.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Sequence

import attrs

from greenline.mutation.natural.feature import Looks
from greenline.mutation.natural.model import Naturalness
from greenline.mutation.source import Candidate
from greenline.repair.alike import Family
from greenline.repair.fix import Fix

_MOST = 2.0
"""Beyond that, a gain or a loss says no more."""


@functools.cache
def _naturalness() -> Naturalness:
    return Naturalness()


def weighed(found: Sequence[Family], read: Callable[[str], bytes]) -> tuple[Family, ...]:
    """Return the families weighed by the fix that each shows, the likeliest of the fewest edits first.

    `read` returns a file of the base.
    """
    text_of = functools.cache(lambda path: _Text.of(read(path)))
    weights = [math.exp(max(-_MOST, min(_MOST, _gain(family.best, text_of)))) for family in found]
    heavy = [attrs.evolve(family, weight=weight) for family, weight in zip(found, weights, strict=True)]
    return tuple(sorted(heavy, key=lambda family: (len(family.best.edits), -family.score)))


def _gain(fix: Fix, text_of: Callable[[str], _Text | None]) -> float:
    texts = [(text_of(edit.path), edit) for edit in fix.edits]
    return sum(text.gain(edit) for text, edit in texts if text is not None)


@attrs.frozen
class _Text:
    """A file of the base as text."""

    data: bytes
    looks: Looks

    @classmethod
    def of(cls, data: bytes) -> _Text | None:
        """Return None where the file is not plain UTF-8, whose places could not be told."""
        try:
            return cls(data, Looks(data.decode("utf-8")))
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return None

    def gain(self, candidate: Candidate) -> float:
        """Return how much likelier the file is with an edit than with others of its kind, as a logarithm."""
        try:
            start = len(self.data[: candidate.start].decode())
            end = start + len(self.data[candidate.start : candidate.end].decode())
            edit = start, end, candidate.replacement.decode()
        except UnicodeDecodeError:
            return 0.0
        return _naturalness().gain(self.looks, edit, candidate.operator)
