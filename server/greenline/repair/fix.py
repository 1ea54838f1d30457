"""A fix: edits that are made together."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import attrs

from greenline.core.port import Tree
from greenline.mutation.source import Candidate, edited


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
    """Return path → content with all edits made."""
    paths = dict.fromkeys(edit.path for edit in edits)
    return {path: edited(read(path), [edit for edit in edits if edit.path == path]) for path in paths}


def described(tree: Tree, fix: Fix) -> str:
    """Return a fix in words: `FILE:LINE` of each edit and what the line becomes."""
    places = dict.fromkeys((edit.path, edit.line) for edit in fix.edits)
    here = {place: [e for e in fix.edits if (e.path, e.line) == place] for place in places}
    return " with ".join(_in_words(tree[path].content, edits) for (path, _), edits in here.items())


def _in_words(data: bytes, edits: Sequence[Candidate]) -> str:
    first, last = min(edits, key=lambda e: e.start), max(edits, key=lambda e: e.end)
    start = data.rfind(b"\n", 0, first.start) + 1
    # After lines that are put in, the next one is not part of the edit.
    end = last.end if last.replacement.endswith(b"\n") else data.find(b"\n", last.end)
    end = end if end >= 0 else len(data)
    made = make_contents(lambda _: data, edits)[first.path]
    lines = made[start : end + len(made) - len(data)].decode(errors="replace").split("\n")
    shown = " ".join(line.strip() for line in lines if line.strip())
    return f"{first.path}:{first.line} `{shown}`" if shown else f"{first.path}:{first.line} left out"


def overlap(one: Candidate, other: Candidate) -> bool:
    """Return whether two edits touch or share bytes."""
    return one.path == other.path and one.start < other.end + 1 and other.start < one.end + 1
