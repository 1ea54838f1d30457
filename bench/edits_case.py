"""What a case of the table "edits" is, and how one is made of a draft."""

from __future__ import annotations

import random
from collections.abc import Callable

import attrs

from bench.edits_draft import Draft

Tree = dict[str, bytes]


@attrs.frozen
class Case:
    """Files, an edit of them, and what must come of it."""

    kind: str
    before: Tree
    edit: str
    after: Tree | None
    """None where the edit must be refused."""


Maker = Callable[[random.Random, Draft], Case | None]


def make(kind: str, draft: Draft, edit: str | None = None, *, end: str = "\n") -> Case:
    """Return the case of a draft, its diff as it is or as given."""
    before = {draft.name: joined(draft.before, end)}
    text = text_of(draft.render()) if edit is None else edit
    return Case(kind, before, text, {draft.name: joined(draft.after, end)})


def refused(case: Case, kind: str) -> Case:
    """Return a case as one that must be refused."""
    return attrs.evolve(case, kind=kind, after=None)


def joined(lines: list[str], end: str = "\n") -> bytes:
    """Return lines as a file."""
    return "".join(line + end for line in lines).encode()


def text_of(lines: list[str]) -> str:
    """Return lines as a text."""
    return "".join(line + "\n" for line in lines)
