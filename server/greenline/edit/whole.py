"""Reads whole files: a path and a fence with all of the text; or, for a given path, the text alone."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

import attrs

from greenline.core.error import EditRejected
from greenline.edit.naming import FENCE, Exists, is_session, path_above, path_in_comment, path_of_fence
from greenline.edit.operation import Operation, Write
from greenline.edit.sham import looks_like_edit

_PROSE = re.compile(r"(?:^|\.)(?:md|mdx|markdown|rst|adoc|asciidoc|txt|text)$", re.IGNORECASE)
"""Languages and names of texts that show fences of their own."""


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
        if name is not None and not is_session(fence.info, name, content):
            if looks_like_edit(fence.info, name, content):
                raise EditRejected(
                    f"What stands in the fence for {name} is an edit that cannot be read, and no file.",
                    remedy="Give a diff with @@ lines, SEARCH/REPLACE blocks, or the whole file.",
                    code="malformed",
                    path=name,
                )
            indent = _indent(lines[fence.start - 1])
            text = "".join(_outdented(line, indent) + "\n" for line in content)
            place = f"the fence at line {fence.start}"
            found.append(Write(name, text, keeps_end=True, place=place))
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


def _indent(opening: str) -> int:
    return len(opening) - len(opening.lstrip(" "))


def _outdented(line: str, indent: int) -> str:
    """Return a line without the blanks that its fence begins with, in a list for instance."""
    return line[min(indent, _indent(line)) :]


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
            if _may_go_on(lines, start, position, mark):
                break
            return position
    raise EditRejected(
        f"The fence at line {start + 1} has no end, or holds fences that can be read in several ways.",
        remedy="Use a longer fence around the file than any inside it, or the JSON form.",
        code="malformed" if depth == 1 and not _has_end(lines, start, mark) else "ambiguous-block",
    )


def _has_end(lines: Sequence[str], start: int, mark: str) -> bool:
    return any(_is_bare(line, mark) for line in lines[start + 1 :])


def _is_bare(line: str, mark: str) -> bool:
    fence = FENCE.match(line)
    return fence is not None and not fence[2] and fence[1].startswith(mark)


def _may_go_on(lines: Sequence[str], start: int, end: int, mark: str) -> bool:
    """Return whether a fence's first end may be one that its text shows: of Markdown, or inside a comment.

    Then a pair of bare fences follows before anything that begins another part.
    """
    opening = FENCE.match(lines[start])
    info = "" if opening is None else opening[2]
    above = next((line for line in reversed(lines[:start]) if line.strip()), "")
    content = "\n".join(lines[start + 1 : end])
    is_prose = _PROSE.search(info) is not None or _PROSE.search(above.strip(" `*#:")) is not None
    is_open = any(content.count(mark_) % 2 for mark_ in ('"""', "'''")) or (
        content.count("/*") > content.count("*/") or content.count("<!--") > content.count("-->")
    )
    if not is_prose and not is_open:
        return False
    n_bare = 0
    for line in lines[end + 1 :]:
        fence = FENCE.match(line)
        if fence is not None and fence[2]:
            break
        n_bare += fence is not None
    return n_bare >= (1 if is_open else 2)
