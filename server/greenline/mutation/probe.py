"""Mutants of whole functions that a test which looks at what a function does can hardly miss; pure.

The first of a function's lets it return something else of the same kind, wherever it returns; the second
changes another of its lines.
"""

from __future__ import annotations

import ast
import re
from bisect import bisect_left
from collections.abc import Collection, Iterator, Sequence
from itertools import pairwise

import attrs

from greenline.mutation.choice import mutants
from greenline.mutation.source import Candidate, Function, Source, edited

A_FUNCTION = 2
"""How many mutants of a function are made, unless more are asked for."""
_RETURNS = 8
"""How many of a function's `return` are changed at once."""
_OTHER = (
    b'(lambda v: {"bool": lambda: not v, "int": lambda: v + 1, "float": lambda: v + 1,'
    b' "str": lambda: v[::-1] + "~", "bytes": lambda: v[::-1] + b"~",'
    b' "list": lambda: v[1:] or [None], "tuple": lambda: (*v[1:], None),'
    b' "dict": lambda: {k: None for k in v} or {"~": None}, "set": lambda: v ^ {"~"},'
    b' "frozenset": lambda: v ^ {"~"}, "NoneType": lambda: 0}'
    b".get(v.__class__.__name__, lambda: None)())((%s))"
)
"""An expression of another value of the same kind, which uses no name that a module could give to another."""
_RETURNED = "returned something else"
_ALL = 10_000
_LOCAL = re.compile(rb"\s*\w+\s*(?::[^=]+)?=[^=]")
"""An assignment to a plain name: without it, the next line that reads the name raises."""


@attrs.frozen
class Probe:
    """One mutant of one function."""

    edits: tuple[Candidate, ...]
    lines: frozenset[int]
    """A test that executes none of these lines cannot notice it."""

    @property
    def path(self) -> str:
        """The file that it changes."""
        return self.edits[0].path

    @property
    def line(self) -> int:
        """The first line that it changes."""
        return min(edit.line for edit in self.edits)

    @property
    def is_coarse(self) -> bool:
        """Whether it changes all that the function returns in the lines that it was made for."""
        return self.edits[0].operator == _RETURNED

    def applied(self, data: bytes) -> bytes:
        """Return the file with the mutant in it."""
        return edited(data, self.edits)


@attrs.frozen
class Place:
    """A function or method that stands in no other function."""

    name: str
    start: int
    """The first line of its body."""
    end: int

    def within(self, lines: Sequence[int]) -> Sequence[int]:
        """Return those of the sorted lines that lie in the body."""
        return lines[bisect_left(lines, self.start) : bisect_left(lines, self.end + 1)]


def places(source: Source) -> tuple[Place, ...]:
    """Return a file's functions, from the first to the last."""
    return tuple(_place(node) for node in _outer(source.tree.body))


def probes(
    source: Source, executed: Collection[int], most: int = A_FUNCTION
) -> dict[Place, tuple[Probe, ...]]:
    """Return each function with executed lines → its mutants, at most so many."""
    lines = sorted(executed)
    others: dict[int, list[Candidate]] = {}
    for candidate in mutants(source.path, source.data, lines, _ALL):
        others.setdefault(candidate.line, []).append(candidate)
    found = {}
    for node in _outer(source.tree.body):
        place = _place(node)
        body = place.within(lines)
        own = sorted((c for line in body for c in others.get(line, ())), key=lambda c: _rank(source, c))
        made = [*_returning(source, node, set(body)), *(Probe((c,), frozenset({c.line})) for c in own)]
        if made:
            found[place] = tuple(made[:most])
    return found


def _place(node: Function) -> Place:
    return Place(node.name, node.body[0].lineno, node.end_lineno or node.lineno)


def _outer(body: Sequence[ast.stmt]) -> Iterator[Function]:
    for node in body:
        if isinstance(node, Function):
            yield node
        elif isinstance(node, ast.ClassDef | ast.If | ast.Try):
            yield from _outer(node.body)
            yield from _outer(getattr(node, "orelse", []))


def _returning(source: Source, function: Function, lines: set[int]) -> Iterator[Probe]:
    edits = []
    for node in ast.walk(function):
        if isinstance(node, ast.Return) and node.value is not None and node.lineno in lines:
            start, end = source.span(node.value)
            text = _OTHER % source.text(node.value)
            edits.append(Candidate(source.path, start, end, text, _RETURNED, node.lineno, 1.0))
    edits.sort(key=lambda edit: edit.start)
    taken = tuple(edit for edit in edits if source.takes(edit))[:_RETURNS]
    if taken and not _is_nested(taken):
        yield Probe(taken, frozenset(edit.line for edit in taken))


def _is_nested(edits: Sequence[Candidate]) -> bool:
    return any(one.end > other.start for one, other in pairwise(edits))


def _rank(source: Source, candidate: Candidate) -> tuple[int, float]:
    """Order what only gives another value before what may leave a name without one."""
    is_removal = candidate.operator.startswith("removed")
    gone = source.data[candidate.start : candidate.end]
    return is_removal + (is_removal and _LOCAL.match(gone) is not None), -candidate.prior
