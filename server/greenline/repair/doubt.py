"""Which of the fixes that pass every test to believe: weak tests are passed by many edits that mend nothing.

A fix is believed for its share: its family's score among those of all families that pass. Two families that
are just as likely are a choice to show; of more, or of unequal ones, none is proposed. An edit of a kind
that seldom is the fix (a statement left out, a constant returned, a guard added) is believed only where
several tests execute its line as well: two, where nothing else passes and either several tests fail or the
edit only puts what is there in another order. Among thousands of pairs some pass by chance: one of which
neither edit mends anything alone is believed only where several tests fail.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from greenline.mutation.source import Candidate
from greenline.repair.alike import Family
from greenline.repair.fix import Fix

_LEAST_SHARE = 0.6
"""The share below which too much speaks for the others together."""
_LEAST_SHARE_OF_FEW = 0.7
_LEAST_SHARE_OF_ONE = 0.9
"""Where one test alone executes the line, nothing else speaks for what the edit does there."""
_FEW = 2
"""Up to so many failing tests say little, and so they do of two edits: the share must be greater."""
_LIKELY = 0.3
"""The prior from which on an edit may be one of a choice."""
_NEEDED = ((0.12, 8), (0.3, 3))
"""How many tests must execute the line of an edit whose prior is below a figure."""
_FEW_WITNESSES = 2
"""How many must where it is the only fix of thousands of edits, and several tests fail or it is a swap."""
_TIE = 0.98
"""The share of the best score from which on a fix counts as just as likely."""


def doubt(
    found: Sequence[Family],
    n_witnesses: Mapping[tuple[str, int], int],
    n_failing: int,
    helpful: Collection[Candidate],
    n_homes: int = 1,
) -> str:
    """Return why the first family's fix is not to be proposed, or nothing where it is.

    `n_failing` tests fail without it; `n_witnesses` is (file, 1-based line) → how many tests execute it;
    `helpful` are the edits that make some of the failing tests pass without any other; in `n_homes` functions
    what the fix puts in would do as well.
    """
    best = found[0].best
    if n_homes > 1:
        return f"what is missing would do in {n_homes} functions, and the tests do not tell in which"
    if len(best.edits) > 1 and n_failing <= _FEW and not any(edit in helpful for edit in best.edits):
        return "the best fix that passes is of two edits that mend nothing alone, and few tests fail"
    rivals = [family for family in found[1:] if len(family.best.edits) == len(best.edits)]
    share = found[0].score / (found[0].score + _together(rivals))
    is_little = n_failing <= _FEW or len(best.edits) > 1
    least = _LEAST_SHARE_OF_FEW if is_little else _LEAST_SHARE
    if any(n_witnesses.get((edit.path, edit.line)) == 1 for edit in best.edits):
        least = _LEAST_SHARE_OF_ONE
    if share < least and not _is_choice(found[0], rivals):
        n_edits = len(rivals) + 1
        return f"{n_edits} edits that differ in what they do pass, so the tests do not tell which is right"
    for edit in best.edits:
        needed = next((count for prior, count in _NEEDED if edit.prior < prior), 0)
        is_alone = not rivals and (n_failing >= _FEW or edit.operator.startswith("swapped"))
        if is_alone and edit.prior >= _NEEDED[0][0]:
            needed = min(needed, _FEW_WITNESSES)
        # What an import executes, such as a default, is in no test's own coverage and says nothing here.
        seen = n_witnesses.get((edit.path, edit.line), needed)
        if seen < needed:
            what = f"the best edit that passes ({edit.operator}) seldom is the fix"
            return f"{what}, and {seen} test{'s execute' if seen != 1 else ' executes'} its line"
    return ""


def _together(rivals: Sequence[Family]) -> float:
    """Return what speaks for the rivals: forms of one guess, made alike on one line, count as the likeliest.

    A guard that returns one of eight constants is no eight times as likely.
    """
    guesses: dict[tuple[tuple[str, str, int], ...], float] = {}
    for family in rivals:
        guess = tuple((edit.operator, edit.path, edit.line) for edit in family.best.edits)
        guesses[guess] = max(guesses.get(guess, 0.0), family.score)
    return sum(guesses.values())


def _is_choice(first: Family, rivals: Sequence[Family]) -> bool:
    edits = first.best.edits
    is_equal = len(rivals) == 1 and rivals[0].score >= _TIE * first.score
    return is_equal and len(edits) == 1 and edits[0].prior >= _LIKELY


def ties(found: Sequence[Family]) -> tuple[Fix, ...]:
    """Return one fix of each family that is just as likely as the first."""
    first, *others = found
    return tuple(
        family.best
        for family in others
        if len(family.best.edits) == len(first.best.edits) and family.score >= _TIE * first.score
    )
