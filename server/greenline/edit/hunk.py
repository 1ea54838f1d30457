"""Cuts a file change into hunks of whole lines and puts hunks back; pure, over exact text."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Sequence
from typing import Literal

import attrs

from greenline.core.edit import FileChange, Hunk
from greenline.core.error import EditRejected
from greenline.core.ids import new_id
from greenline.edit.text import split_lines, text_hash

_NO_NEWLINE = "\\ No newline at end of file\n"
_CONTEXT = 3


@attrs.frozen
class Span:
    """Lines `start` … `end` of one text became lines `to_start` … `to_end` of another."""

    start: int
    end: int
    to_start: int
    to_end: int


def changed_spans(before: Sequence[str], after: Sequence[str]) -> tuple[Span, ...]:
    """Return the spans of lines that differ, in order; neighbours are never adjacent."""
    head = 0
    limit = min(len(before), len(after))
    while head < limit and before[head] == after[head]:
        head += 1
    tail = 0
    while tail < limit - head and before[-1 - tail] == after[-1 - tail]:
        tail += 1
    # Only the middle goes through difflib: its cost grows with the square of the lines.
    matcher = difflib.SequenceMatcher(
        None, before[head : len(before) - tail], after[head : len(after) - tail], autojunk=False
    )
    spans: list[Span] = []
    for tag, a1, a2, b1, b2 in matcher.get_opcodes():
        if tag == "equal":
            continue
        span = Span(head + a1, head + a2, head + b1, head + b2)
        if spans and spans[-1].end == span.start and spans[-1].to_end == span.to_start:
            span = Span(spans[-1].start, span.end, spans[-1].to_start, span.to_end)
            spans.pop()
        spans.append(span)
    return tuple(spans)


def split(
    change: FileChange,
    base_text: str | None,
    after_text: str | None,
    base_version: int | None = None,
    why: str = "",
    plan_entry: int | None = None,
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
    spans = changed_spans(before, after) if op == "edit" else (Span(0, len(before), 0, len(after)),)
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
    lines = split_lines(text)
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
        _append_lines(result, hunk.after, at_end=hunk.start_line >= len(lines))
        position = hunk.end_line
    result.append("".join(lines[position:]))
    return "".join(result)


def _append_lines(result: list[str], after: str, *, at_end: bool) -> None:
    """Append a hunk's lines; at the end of a text without a final newline they need one in front."""
    last = next((piece for piece in reversed(result) if piece), "")
    if at_end and after and last and not last.endswith(("\n", "\r")):
        result.append("\n")
    result.append(after)


def rebase(hunk: Hunk, base_text: str, new_text: str) -> Hunk | None:
    """Move a hunk from `base_text` to `new_text`, the user's later text; None where they conflict.

    The user's edits conflict where they touch the replaced lines, or the very place of an insertion.
    """
    if base_text == new_text:
        return hunk
    base, new = split_lines(base_text), split_lines(new_text)
    offset = 0
    for span in changed_spans(base, new):
        if _touches(span, hunk):
            return None
        if span.end <= hunk.start_line:
            offset += (span.to_end - span.to_start) - (span.end - span.start)
    start, end = hunk.start_line + offset, hunk.end_line + offset
    if "".join(new[start:end]) != hunk.before:
        return None
    return attrs.evolve(hunk, start_line=start, end_line=end, base_hash=text_hash(new_text))


def _touches(span: Span, hunk: Hunk) -> bool:
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

    Splits on LSP's line ends, and marks a missing final newline as git does.
    """
    old_name = "/dev/null" if before is None else f"a/{path}"
    new_name = "/dev/null" if after is None else f"b/{path}"
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
