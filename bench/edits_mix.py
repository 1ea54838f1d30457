"""Mixes the kinds of cases; the same ones for the same seed and the same files of the machine."""

from __future__ import annotations

import random
from collections.abc import Iterator

import attrs

from bench import edits_answered, edits_unanswered
from bench.edits_answered import ANSWERED
from bench.edits_case import Case, Maker, text_of
from bench.edits_draft import Draft, corpus, drafts
from bench.edits_unanswered import UNANSWERED

BLOCKS: tuple[Maker, ...] = (
    edits_answered.untouched,
    edits_answered.trailing_blanks,
    edits_answered.indented,
    edits_answered.one_line_drifted,
    edits_answered.tabs,
    edits_answered.spaces,
    edits_answered.crlf_file,
    edits_answered.smart,
    edits_unanswered.stale,
    edits_unanswered.other_context,
    edits_unanswered.decoy_unknown,
)


def cases(seed: int, count: int) -> Iterator[Case]:
    """Yield cases, kinds in turn; the same for the same seed and files."""
    chance = random.Random(seed)
    source = drafts(chance, corpus())
    makers = [*ANSWERED, *ANSWERED, *ANSWERED, *UNANSWERED]
    made = 0
    while made < count:
        for maker in makers:
            case = None
            while case is None:
                case = maker(chance, next(source))
            made += 1
            yield case


def block_cases(seed: int, count: int) -> Iterator[Case]:
    """Yield cases in SEARCH/REPLACE blocks, which have no numbers and are found by their text alone."""
    chance = random.Random(seed)
    source = drafts(chance, corpus())
    made = 0
    while made < count:
        for maker in BLOCKS:
            draft = next(source)
            case = maker(chance, draft)
            if case is not None:
                made += 1
                yield attrs.evolve(case, edit=_blocks(draft))


def _blocks(draft: Draft) -> str:
    pieces = [draft.name, "```python"]
    for hunk in draft.hunks:
        new = [text for kind, text in hunk.lines if kind != "-"]
        pieces += ["<<<<<<< SEARCH", *hunk.source, "=======", *new, ">>>>>>> REPLACE", ""]
    return text_of([*pieces, "```"])
