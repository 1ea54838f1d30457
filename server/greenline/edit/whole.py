"""Reads whole files: a path and a fence with all of the text; or, for a given path, the text alone."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import attrs

from greenline.core.error import EditRejected
from greenline.edit.naming import FENCE, Exists, path_above, path_in_comment, path_of_fence
from greenline.edit.operation import Operation, Write


@attrs.frozen
class Fenced:
    """A fence and what it holds."""

    start: int
    """First line of the content."""
    end: int
    """The closing fence's line."""
    info: str


def read(text: str, path: str | None, exists: Exists, *, is_named: bool = False) -> tuple[Operation, ...]:
    """Read the files that a text gives whole; a fence that names no file is an example and left out.

    `is_named` says that the format was asked for: only then a text without a fence is the file at `path`, as
    it may as well be an edit in an unknown form, or words about one.
    Raises `EditRejected` (`malformed`, `ambiguous-block`).
    """
    lines = text.split("\n")
    fenced = tuple(fences(lines))
    found: list[Operation] = []
    free = 0
    for fence in fenced:
        name = path_of_fence(fence.info, exists) or path_above(lines[free:], fence.start - 1 - free, exists)
        content = list(lines[fence.start : fence.end])
        if name is None and path is None and content:
            name = path_in_comment(content[0], exists)
        if name is None and path is not None and len(fenced) == 1:
            name = path
        if name is not None:
            found.append(Write(name, "".join(line + "\n" for line in content), keeps_end=True))
        free = fence.end + 1
    if found:
        return tuple(found)
    if path is not None and not fenced and is_named and text.strip():
        return (Write(path, text),)
    raise EditRejected(
        "The text is no edit: it has no diff, no SEARCH/REPLACE block, no JSON, and no fence below a path.",
        remedy="Give one of these forms, or the whole file with --path and --format whole.",
        code="malformed",
    )


def fences(lines: Sequence[str]) -> Iterator[Fenced]:
    """Yield the outermost fences; one inside, with a language, is content up to its own end."""
    position = 0
    while position < len(lines):
        opening = FENCE.match(lines[position])
        if opening is None:
            position += 1
            continue
        end = _closing(lines, position, opening[1])
        yield Fenced(position + 1, end, opening[2])
        position = end + 1


def _closing(lines: Sequence[str], start: int, mark: str) -> int:
    depth = 1
    for position in range(start + 1, len(lines)):
        fence = FENCE.match(lines[position])
        if fence is None or fence[1][0] != mark[0]:
            continue
        if fence[2]:
            depth += 1
        elif depth > 1:
            depth -= 1
        elif len(fence[1]) >= len(mark):
            return position
    raise EditRejected(
        f"The fence at line {start + 1} has no end, or holds fences that can be read in several ways.",
        remedy="Use a longer fence around the file than any inside it, or the JSON form.",
        code="ambiguous-block" if depth > 1 else "malformed",
    )
