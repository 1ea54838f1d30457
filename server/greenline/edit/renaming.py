"""Orders the patches of one diff, whose names are those before and after all of it: files may swap theirs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import attrs

from greenline.core.error import GreenlineError
from greenline.edit.operation import FilePatch, Operation
from greenline.edit.staging import Staging

_ASIDE = ".greenline-moving"
"""Ends the name under which a file waits, in the staging alone, for one whose name it takes."""


def untangled(operations: Sequence[Operation], staging: Staging) -> tuple[Operation, ...]:
    """Return operations in an order in which each name is free by the time a file takes it.

    They stay as they are where they are no patches, where their own order is one, and where names are not
    those of one state before and one after: those of a series of diffs follow each other.
    """
    patches = [operation for operation in operations if isinstance(operation, FilePatch)]
    if len(patches) < len(operations) or not any(patch.moved for patch in patches):
        return tuple(operations)
    try:
        knot = _Knot.of(patches, staging)
    except GreenlineError:
        return tuple(operations)
    return tuple(operations) if knot is None else tuple(knot.untied())


@attrs.frozen
class _Knot:
    patches: Sequence[FilePatch]
    before: dict[int, int]
    """Patch → the one that has to come before it, since it frees the name."""

    @classmethod
    def of(cls, patches: Sequence[FilePatch], staging: Staging) -> _Knot | None:
        """Return what has to come before what; None where that cannot be told."""
        freed: dict[str, int] = {}
        taken: dict[str, int] = {}
        for number, patch in enumerate(patches):
            old, new = (_path(name, patch, staging) for name in (patch.old, patch.new))
            # A file that stays where it is both has its name before and has it after.
            for path, names in ((old, freed), (new, taken)):
                if path in names:
                    return None
                if path is not None:
                    names[path] = number
        if not all(staging.current(path) is not None for path in freed):
            return None
        both = ((freed[path], taken[path]) for path in freed.keys() & taken.keys())
        return cls(patches, {later: first for first, later in both if first != later})

    def untied(self) -> Iterator[Operation]:
        """Yield the patches in order; where all of a ring wait for each other, one steps aside."""
        done: set[int] = set()
        for number in range(len(self.patches)):
            line = [number]
            while (first := self.before.get(line[-1])) is not None and first not in (*line, *done):
                line.append(first)
            is_ring = self.before.get(line[-1]) == number and number not in done
            moved = self.patches[number]
            if is_ring:
                aside = f"{moved.old}{_ASIDE}"
                yield attrs.evolve(moved, new=aside, mode=None)
                line = line[1:]
            yield from (self.patches[n] for n in reversed(line) if n not in done)
            done.update(line, [number])
            if is_ring:
                yield attrs.evolve(moved, old=f"{moved.old}{_ASIDE}", hunks=())


def _path(name: str | None, patch: FilePatch, staging: Staging) -> str | None:
    return None if name is None else staging.path_of(name, bool(patch.hunks))
