"""Gives a file all its text anew: lines that stay keep their bytes, new ones take a neighbour's end."""

from __future__ import annotations

from greenline.edit import elision
from greenline.edit.hunk import Span, changed_spans
from greenline.edit.text import dominant_end, line_end, split_lines, without_end

_LIMIT = 4_000_000
"""Pairs of lines to compare; past it, a changed middle is taken as one."""


def rewrite(before: str, content: str, *, keeps_end: bool) -> str:
    """Return the content in the form of the file that it replaces.

    `keeps_end` lets the last line end as the file's does; otherwise the content says it.
    Raises `EditRejected` (`elision`) where the content stands for text that it leaves out.
    """
    lines, new = split_lines(before), split_lines(content)
    bodies, new_bodies = [without_end(line) for line in lines], [without_end(line) for line in new]
    spans = _spans(bodies, new_bodies)
    removed = [body for span in spans for body in bodies[span.start : span.end]]
    added = [body for span in spans for body in new_bodies[span.to_start : span.to_end]]
    elision.check_whole(bodies, removed, added)
    if not lines:
        return content
    end = dominant_end(lines)
    result: list[str] = []
    position = 0
    for span in spans:
        result.extend(lines[position : span.start])
        for offset, body in enumerate(new_bodies[span.to_start : span.to_end]):
            pair = lines[span.start + offset] if span.start + offset < span.end else ""
            above = lines[span.start - 1] if span.start else ""
            below = lines[span.end] if span.end < len(lines) else ""
            result.append(body + (line_end(pair) or line_end(above) or line_end(below) or end))
        position = span.end
    result.extend(lines[position:])
    if not result:
        return ""
    *rest, last = result
    has_end = bool(line_end(lines[-1] if keeps_end else new[-1]))
    whole = [line if line_end(line) else line + end for line in rest]
    return "".join(whole) + without_end(last) + ((line_end(last) or end) if has_end else "")


def _spans(before: list[str], after: list[str]) -> tuple[Span, ...]:
    if len(before) * len(after) <= _LIMIT:
        return changed_spans(before, after)
    head = 0
    while head < min(len(before), len(after)) and before[head] == after[head]:
        head += 1
    tail = 0
    while tail < min(len(before), len(after)) - head and before[-1 - tail] == after[-1 - tail]:
        tail += 1
    if head == len(before) == len(after):
        return ()
    return (Span(head, len(before) - tail, head, len(after) - tail),)
