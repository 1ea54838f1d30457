"""Applies the hunks of one file to its text: all of them or none, each where it alone can mean."""

from __future__ import annotations

from collections.abc import Sequence

from greenline.core.error import EditRejected
from greenline.edit import elision
from greenline.edit.cut import cut_off, refuse_cut, refuse_piece
from greenline.edit.operation import PatchHunk
from greenline.edit.place import Evidence, Placement, at_stated, choose, placements
from greenline.edit.splice import NewLines, joined, splice
from greenline.edit.text import dominant_end, line_end
from greenline.edit.tolerance import FileLines, Tolerance, keys_of

_SHOWN = 5


def apply_patch_hunks(
    text: str, hunks: Sequence[PatchHunk], *, may_elide: bool = False, path: str = ""
) -> str:
    """Return the text with a file's hunks applied; all of them are placed on the text as it was.

    With `may_elide` a line that looks like a stand-in for others is text like any other: it is measured, and
    lands nowhere.
    Raises `EditRejected` (`no-match`, `ambiguous`, `elision`, `malformed`).
    """
    file = FileLines(_newline_lines(text), path)
    refuse_piece(hunks)
    return put(file, hunks, _placed(file, hunks), may_elide=may_elide)


def put(
    file: FileLines, hunks: Sequence[PatchHunk], places: Sequence[Placement], *, may_elide: bool = False
) -> str:
    """Return the text of the file with placed hunks put in."""
    end = dominant_end(file.lines)
    spans: list[NewLines] = []
    for hunk, placement in zip(hunks, places, strict=True):
        removed = [line for kind, line in hunk.lines if kind == "-"]
        added = [line for kind, line in hunk.lines if kind == "+"]
        if not may_elide:
            elision.check(file.lines, removed, added)
        spans.extend(splice(file.lines, hunk, placement, end))
    spans.sort(key=lambda span: (span.start, span.end))
    return joined(file.lines, spans, end, has_end=_stated_end(file, hunks, places))


def _placed(file: FileLines, hunks: Sequence[PatchHunk]) -> list[Placement]:
    places = [placement for hunk in hunks if (placement := at_stated(file, hunk)) is not None]
    if len(places) < len(hunks):
        found = [_found(file, hunk) for hunk in hunks]
        places = [
            choose(file, hunk, found[number], _evidence(hunks, found, number))
            if hunk.source
            else _bare(file, hunks[: number + 1], _evidence(hunks, found, number))
            for number, hunk in enumerate(hunks)
        ]
    for hunk, place in zip(hunks, places, strict=True):
        _refuse_below(file, hunk, place)
    if hunks:
        refuse_cut(file, hunks[-1], places[-1])
    return places


def _refuse_below(file: FileLines, hunk: PatchHunk, place: Placement) -> None:
    """Refuse a hunk below which a line of the file stands without its mark, where the file has it elsewhere.

    What was taken for prose may say where the hunk belongs.
    """
    keys = keys_of(hunk.below[:1], Tolerance.INDENTATION)
    if not keys or keys[0] not in file.places(Tolerance.INDENTATION):
        return
    last = max((row for row in place.rows if row is not None), default=place.start - 1)
    rows = file.places(Tolerance.INDENTATION)[keys[0]]
    if last + 1 not in rows:
        raise EditRejected(
            f"{hunk.below[0].strip()!r} right below a hunk is a line of the file, and not below these.",
            remedy="Begin each line of context with a blank, and leave a blank line before other text.",
            code="no-match",
            lines=tuple(row + 1 for row in rows[:_SHOWN]),
        )


def _found(file: FileLines, hunk: PatchHunk) -> tuple[Placement, ...]:
    if not hunk.source:
        return ()
    found = placements(file, hunk, Tolerance.BLANKS if hunk.torn else Tolerance.GAPS)
    if hunk.torn and not found:
        raise cut_off()
    return found


def _evidence(hunks: Sequence[PatchHunk], found: Sequence[Sequence[Placement]], number: int) -> Evidence:
    """Return what the nearest hunks with one place say about the hunk between them."""
    before = next((i for i in range(number - 1, -1, -1) if len(found[i]) == 1), None)
    after = next((i for i in range(number + 1, len(hunks)) if len(found[i]) == 1), None)
    drifts = []
    for other in (before, after):
        start = None if other is None else hunks[other].start
        if other is not None and start is not None:
            drifts.append(found[other][0].start - start)
    rows = () if before is None else found[before][0].rows
    last = max((row for row in rows if row is not None), default=None)
    return Evidence(
        tuple(dict.fromkeys(drifts)),
        0 if last is None else last,
        None if after is None else found[after][0].start + 1,
    )


def _bare(file: FileLines, hunks: Sequence[PatchHunk], evidence: Evidence) -> Placement:
    """Place a hunk that shows no old line, the last of these: by its numbers, which must agree."""
    hunk = hunks[-1]
    growth = sum(len(other.target) - len(other.source) for other in hunks[:-1])
    start = 0 if not file.lines else hunk.start
    is_cut = hunk.claimed is not None and hunk.claimed[0] > 0
    if is_cut and hunk.last and file.lines:
        raise cut_off()
    if file.lines and start is not None and (is_cut or hunk.new_start != start + growth):
        start = None
    if start is not None and len(evidence.drifts) == 1:
        start += evidence.drifts[0]
    if start is None or not 0 <= start <= len(file.lines):
        raise EditRejected(
            "The diff inserts lines and shows none around them, and its numbers do not agree on their place.",
            remedy="Give the hunk a few lines of context.",
            code="no-match",
        )
    # Nothing shows how the file ends its lines here, so only a diff without \r takes the file's ends.
    literal = not file.lines or any("\r" in line for line in hunk.target)
    return Placement((), Tolerance.EXACT if literal else Tolerance.LINE_ENDS, start)


def _stated_end(file: FileLines, hunks: Sequence[PatchHunk], places: Sequence[Placement]) -> bool | None:
    """Return whether the edit says that the last line has an end; None where it says nothing of it.

    It does where it marks one side alone; then the old side is as the file is, whatever the hunk has.
    """
    for hunk, placement in zip(hunks, places, strict=True):
        if not hunk.target:
            continue
        has_end = bool(line_end(hunk.target[-1]))
        if placement.rows and placement.rows[-1] == len(file.lines) - 1:
            return has_end if bool(line_end(hunk.source[-1])) != has_end else None
        if not placement.rows and placement.start == len(file.lines) > 0 and not has_end:
            return False
    return None


def _newline_lines(text: str) -> list[str]:
    """Split on the newline alone, as the numbers of a diff count."""
    pieces = text.split("\n")
    return [piece + "\n" for piece in pieces[:-1]] + ([pieces[-1]] if pieces[-1] else [])
