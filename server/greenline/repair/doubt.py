"""Which of the fixes that pass every test to believe: weak tests are passed by many edits that mend nothing.

An edit of a kind that seldom is the fix (a statement left out, a constant returned, a guard added) is
believed only where several tests execute its line and no fix elsewhere in the code passes them too.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from greenline.repair.search import Fix

_UNLIKELY = 0.3
"""The prior below which an edit needs more than the tests' word."""
_MIN_WITNESSES = 3
_TIE = 0.98
"""The share of the best score from which on a fix counts as just as likely."""


def doubt(best: Fix, others: Sequence[Fix], n_witnesses: Mapping[tuple[str, int], int]) -> str:
    """Return why a fix is not to be proposed, or nothing where it is.

    `n_witnesses` is (file, 1-based line) → how many tests execute it.
    """
    unlikely = [edit for edit in best.edits if edit.prior < _UNLIKELY]
    if not unlikely:
        return ""
    kinds = " and ".join(dict.fromkeys(edit.operator for edit in unlikely))
    # What an import executes, such as a default, is in no test's own coverage and says nothing here.
    counts = [
        n_witnesses[edit.path, edit.line] for edit in best.edits if (edit.path, edit.line) in n_witnesses
    ]
    seen = min(counts, default=_MIN_WITNESSES)
    if seen < _MIN_WITNESSES:
        return f"the best edit that passes ({kinds}) seldom is the fix, and {seen} tests execute its line"
    places = {(edit.path, edit.line) for edit in best.edits}
    elsewhere = [fix for fix in others if not places & {(edit.path, edit.line) for edit in fix.edits}]
    if elsewhere:
        return (
            f"unlikely edits ({kinds}) in {len(elsewhere) + 1} different places pass, "
            "so the tests do not tell which is right"
        )
    return ""


def ties(fixes: Sequence[Fix]) -> tuple[Fix, ...]:
    """Return the fixes that are just as likely as the first, at another place."""
    best, *others = fixes
    place = {(edit.path, edit.line) for edit in best.edits}
    return tuple(
        fix
        for fix in others
        if len(fix.edits) == len(best.edits)
        and fix.score >= _TIE * best.score
        and place != {(edit.path, edit.line) for edit in fix.edits}
    )
