"""Cuts a file change into hunks of whole lines and puts hunks back; pure, over exact text."""

from __future__ import annotations

import difflib
import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import Literal

import attrs

from greenline.core.edit import FileChange, Hunk
from greenline.core.error import EditRejected
from greenline.core.ids import new_id
from greenline.edit.matcher import BoundedMatcher, Budget
from greenline.edit.name import quoted
from greenline.edit.text import line_end, split_lines, text_hash

_NO_NEWLINE = "\\ No newline at end of file\n"
_CONTEXT = 3
_SMALL = 60_000
"""Pairs of lines that may be compared with one another: difflib's cost grows with more than their number."""
_NEVER = 4_000_000
_MAX_DEPTH = 40
"""How often a piece between unique lines is cut at lines that are unique in it."""


@attrs.frozen
class Span:
    """Lines `start` … `end` of one text became lines `to_start` … `to_end` of another."""

    start: int
    end: int
    to_start: int
    to_end: int


def changed_spans(before: Sequence[str], after: Sequence[str]) -> tuple[Span, ...]:
    """Return the spans of lines that differ, in order; neighbours are never adjacent."""
    spans: list[Span] = []
    for span in _spans(before, after):
        if spans and spans[-1].end == span.start and spans[-1].to_end == span.to_start:
            span = Span(spans[-1].start, span.end, spans[-1].to_start, span.to_end)
            spans.pop()
        spans.append(span)
    return tuple(spans)


def _spans(before: Sequence[str], after: Sequence[str]) -> Iterable[Span]:
    """Yield the spans that differ; large pieces are cut at lines that are unique in them."""
    budget = Budget()
    waiting = [(Span(0, len(before), 0, len(after)), 0)]
    while waiting:
        piece, depth = waiting.pop()
        piece = _trimmed(before, after, piece)
        n_lines, n_to = piece.end - piece.start, piece.to_end - piece.to_start
        if not n_lines or not n_to:
            if n_lines or n_to:
                yield piece
            continue
        may_anchor = n_lines * n_to > _SMALL and depth < _MAX_DEPTH
        pieces = _between_anchors(before, after, piece) if may_anchor else ()
        if pieces:
            waiting += ((inner, depth + 1) for inner in reversed(pieces))
        elif n_lines * n_to > _NEVER:
            # Without a unique line in it, a piece past all measure is one change.
            yield piece
        else:
            yield from _matched(before, after, piece, budget)


def _trimmed(before: Sequence[str], after: Sequence[str], piece: Span) -> Span:
    """Return a piece without the lines that are the same at its two ends."""
    start, end, to_start, to_end = piece.start, piece.end, piece.to_start, piece.to_end
    limit = min(end - start, to_end - to_start)
    head = _n_equal(limit, lambda n, m: before[start + n : start + m] == after[to_start + n : to_start + m])
    tail = _n_equal(limit - head, lambda n, m: before[end - m : end - n] == after[to_end - m : to_end - n])
    return Span(start + head, end - tail, to_start + head, to_end - tail)


def _between_anchors(before: Sequence[str], after: Sequence[str], piece: Span) -> Sequence[Span]:
    """Return what lies between the lines that both texts of a piece hold once, if there are any."""
    start, end, to_start, to_end = piece.start, piece.end, piece.to_start, piece.to_end
    anchors = _anchors(before[start:end], after[to_start:to_end])
    if not anchors:
        return ()
    pieces: list[Span] = []
    at, to_at = start, to_start
    for row, to_row in [*anchors, (end - start, to_end - to_start)]:
        if start + row < at:
            continue
        pieces.append(Span(at, start + row, to_at, to_start + to_row))
        at, to_at = start + row, to_start + to_row
        while at < end and to_at < to_end and before[at] == after[to_at]:
            at, to_at = at + 1, to_at + 1
    return pieces


def _matched(before: Sequence[str], after: Sequence[str], piece: Span, budget: Budget) -> Iterable[Span]:
    lines, to_lines = before[piece.start : piece.end], after[piece.to_start : piece.to_end]
    for tag, a1, a2, b1, b2 in BoundedMatcher(lines, to_lines, budget).get_opcodes():
        if tag != "equal":
            yield Span(piece.start + a1, piece.start + a2, piece.to_start + b1, piece.to_start + b2)


def _n_equal(limit: int, are_equal: Callable[[int, int], bool]) -> int:
    """Return for how many of `limit` steps two texts are alike; whole blocks are compared at once."""
    done, block = 0, 1024
    while done < limit and block:
        while done + block <= limit and are_equal(done, done + block):
            done += block
        block //= 4
    return done


def _anchors(before: Sequence[str], after: Sequence[str]) -> list[tuple[int, int]]:
    """Return lines that each text holds once, in the longest order that both have in common."""
    once, to_once = ({line for line, n in Counter(text).items() if n == 1} for text in (before, after))
    rows = {line: row for row, line in enumerate(after) if line in to_once}
    pairs = [(row, rows[line]) for row, line in enumerate(before) if line in once and line in rows]
    ends: list[int] = []
    chain: list[tuple[int, int | None]] = []
    last: list[int] = []
    for number, (_, to_row) in enumerate(pairs):
        length = bisect_left(ends, to_row)
        ends[length : length + 1] = [to_row]
        last[length : length + 1] = [number]
        chain.append((number, last[length - 1] if length else None))
    found: list[tuple[int, int]] = []
    at: int | None = last[-1] if last else None
    while at is not None:
        found.append(pairs[at])
        at = chain[at][1]
    return found[::-1]


Group = Callable[[Sequence[str], Sequence[str], Sequence[Span]], Sequence[Span]]
"""Lines before and after, and the spans that differ → spans that are hunks; some may be joined."""


def apart(before: Sequence[str], after: Sequence[str], spans: Sequence[Span]) -> Sequence[Span]:
    """Make every span a hunk."""
    return spans


def split(
    change: FileChange,
    base_text: str | None,
    after_text: str | None,
    base_version: int | None = None,
    why: str = "",
    plan_entry: int | None = None,
    group: Group = apart,
) -> tuple[Hunk, ...]:
    """Cut a change into hunks, top down; a created or deleted file is one hunk.

    `base_text` is None where the file is created, `after_text` where it is deleted.
    """
    if base_text is None and after_text is None:
        return ()
    op: Literal["edit", "create", "delete"] = "edit"
    if base_text is None:
        op = "create"
    elif after_text is None:
        op = "delete"
    before = split_lines(base_text or "")
    after = split_lines(after_text or "")
    spans: Sequence[Span] = (Span(0, len(before), 0, len(after)),)
    if op == "edit":
        spans = group(before, after, changed_spans(before, after))
    base_hash = "" if base_text is None else text_hash(base_text)
    return tuple(
        Hunk(
            id=new_id("h"),
            path=change.path,
            op=op,
            start_line=span.start,
            end_line=span.end,
            before="".join(before[span.start : span.end]),
            after="".join(after[span.to_start : span.to_end]),
            base_hash=base_hash,
            base_version=base_version,
            why=why,
            plan_entry=plan_entry,
        )
        for span in spans
    )


def apply_hunks(text: str, hunks: Iterable[Hunk]) -> str:
    """Return the text with all hunks applied; their positions are those of `text`.

    Raises `EditRejected` (`conflict`) where a hunk's base text is not there, or two hunks overlap.
    """
    return apply_to_lines(split_lines(text), hunks)


def apply_to_lines(lines: Sequence[str], hunks: Iterable[Hunk]) -> str:
    """Return the text of lines with all hunks applied, as `apply_hunks` does."""
    result: list[str] = []
    position = 0
    for hunk in sorted(hunks, key=lambda h: (h.start_line, h.end_line)):
        found = "".join(lines[hunk.start_line : hunk.end_line])
        if hunk.start_line < position or hunk.end_line > len(lines) or found != hunk.before:
            raise EditRejected(
                f"The text of {hunk.path} at line {hunk.start_line + 1} is not what the edit replaces.",
                remedy="Ask for the change again on the current text.",
                code="conflict",
            )
        result.append("".join(lines[position : hunk.start_line]))
        if hunk.start_line >= len(lines) and hunk.after:
            result.append(end_before(lines, len(lines)))
        result.append(hunk.after)
        position = hunk.end_line
    result.append("".join(lines[position:]))
    return "".join(result)


def end_before(lines: Sequence[str], row: int) -> str:
    """Return the line end that lines put at `row` need in front: a neighbour's, if there is none yet."""
    if not row or line_end(lines[row - 1]):
        return ""
    return line_end(lines[row - 2]) if row > 1 else "\n"


def rebase(hunk: Hunk, base_text: str, new_text: str) -> Hunk | None:
    """Move a hunk from `base_text` to `new_text`, the user's later text; None where they conflict.

    The user's edits conflict where they touch the replaced lines, or the very place of an insertion.
    """
    if base_text == new_text:
        return hunk
    base, new = split_lines(base_text), split_lines(new_text)
    there = moved(hunk, changed_spans(base, new), new)
    return None if there is None else attrs.evolve(there, base_hash=text_hash(new_text))


def moved(hunk: Hunk, spans: Sequence[Span], new: Sequence[str]) -> Hunk | None:
    """Move a hunk over changes, in order, that led to the lines `new`; None where one of them touches it."""
    if not hunk.before and not hunk.after:
        return hunk
    first = bisect_left(spans, hunk.start_line, key=lambda span: span.end)
    for span in spans[first:]:
        if span.start > hunk.end_line:
            break
        if touches(span, hunk):
            return None
    while first < len(spans) and spans[first].end <= hunk.start_line:
        first += 1
    offset = spans[first - 1].to_end - spans[first - 1].end if first else 0
    start, end = hunk.start_line + offset, hunk.end_line + offset
    if "".join(new[start:end]) != hunk.before:
        return None
    return attrs.evolve(hunk, start_line=start, end_line=end)


def stands(hunk: Hunk, spans: Sequence[Span], new: Sequence[str]) -> bool:
    """Return whether what a hunk replaces is as it was after changes that led to the lines `new`.

    For a place between lines, a change beside it that grows may have put something there.
    """
    if hunk.start_line == hunk.end_line and any(
        span.start <= hunk.start_line <= span.end and span.to_end - span.to_start > span.end - span.start
        for span in spans
    ):
        return False
    return moved(hunk, spans, new) is not None


def touches(span: Span, hunk: Hunk) -> bool:
    """Return whether the user's span and the hunk want the same lines or the same place between lines."""
    if span.start == span.end and hunk.start_line == hunk.end_line:
        return span.start == hunk.start_line
    if span.start == span.end:
        return hunk.start_line < span.start < hunk.end_line
    if hunk.start_line == hunk.end_line:
        return span.start < hunk.start_line < span.end
    return span.start < hunk.end_line and hunk.start_line < span.end


def diff_text(path: str, before: str | None, after: str | None) -> str:
    r"""Return a unified diff with `a/` and `b/` names; None stands for a file that is not there.

    Names are quoted as git does. Splits on LSP's line ends, and marks a missing final newline as git does.
    """
    old_name = "/dev/null" if before is None else quoted(f"a/{path}")
    new_name = "/dev/null" if after is None else quoted(f"b/{path}")
    old, new = _diff_lines(before or ""), _diff_lines(after or "")
    pieces: list[str] = []
    for line in difflib.unified_diff(old, new, old_name, new_name, n=_CONTEXT):
        pieces.append(line)
        if not line.endswith("\n"):
            pieces.append("\n" + _NO_NEWLINE)
    return "".join(pieces)


def hunk_diff(name: str, hunk: Hunk, text: str | None) -> str:
    """Return one hunk as a unified diff that patch programs take: with context where `text` is its base.

    `text` is what the file holds, or None where it is not there; over any other text the diff has no context.
    """
    if hunk.op == "create":
        return diff_text(name, None, hunk.after)
    if hunk.op == "delete":
        return diff_text(name, hunk.before, None)
    if text is not None and text_hash(text) == hunk.base_hash:
        return diff_text(name, text, apply_hunks(text, [hunk]))
    head, _, body = diff_text(name, hunk.before, hunk.after).partition("\n@@ ")
    return f"{head}\n@@ {_moved(body, hunk.start_line)}" if body else head


def _moved(body: str, n_lines: int) -> str:
    """Return a hunk, from its header's numbers on, that begins so many lines further down."""
    numbers, _, rest = body.partition(" @@")
    moved = re.sub(r"([-+])(\d+)", lambda found: f"{found[1]}{int(found[2]) + n_lines}", numbers)
    return f"{moved} @@{rest}"


def _diff_lines(text: str) -> list[str]:
    """Split on the newline alone, as patch programs read a diff; a lone carriage return stays in its line."""
    pieces = text.split("\n")
    return [piece + "\n" for piece in pieces[:-1]] + ([pieces[-1]] if pieces[-1] else [])
