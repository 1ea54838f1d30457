"""Reads SEARCH/REPLACE blocks; a block that could be cut in two ways is refused, not guessed."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from greenline.core.error import EditRejected
from greenline.edit.about import other_file
from greenline.edit.naming import FENCE, Exists, named_in, path_in, path_of_fence
from greenline.edit.operation import Operation, Replace

_HEAD = re.compile(r"^\s{0,3}(<{5,}|-{5,}) ?SEARCH\b>?\s*(.*)$")
_TAIL = re.compile(r"^\s{0,3}(>{5,}|\+{5,}) ?REPLACE\b.*$")
_MARK = re.compile(r"^(?:<{5,}|>{5,})(?: .*)?$")
_SIZE = 7
"""Characters of an ordinary marker."""
_TITLE = re.compile(
    r"#{1,6}\s+(?:(?:changes?|edits?|updates?|modif\w+|fix\w*|add\w*|remove|rename|in|to|of|for|the|file)\s+)+"
    r"`([^`]+)`\s*:?\s*",
    re.IGNORECASE,
)
"""A heading that names one file, and says no more than that it is changed."""
_LINE = re.compile(r"^:start_line:\s*(\d+)\s*$")


def has_blocks(lines: Sequence[str]) -> bool:
    """Return whether a line opens a block."""
    return any(_HEAD.match(line) for line in lines)


def spans(lines: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Yield each block's first line and the line after it; raises `EditRejected` for one without an end."""
    position = 0
    while position < len(lines):
        if _HEAD.match(lines[position]):
            end = _end(lines, position) + 1
            yield position, end
            position = end
        else:
            position += 1


def read(text: str, path: str | None, exists: Exists) -> tuple[Operation, ...]:
    """Read all blocks; a block without a path goes on with the file of the one before, or with `path`.

    Raises `EditRejected` (`malformed`, `ambiguous-block`).
    """
    lines = text.split("\n")
    operations: list[Operation] = []
    position = 0
    free = 0
    while position < len(lines):
        head = _HEAD.match(lines[position])
        if head is None:
            if _TAIL.match(lines[position]):
                raise _malformed(f"Line {position + 1} ends a block that no line began.")
            position += 1
            continue
        end = _end(lines, position)
        found = _path(lines, free, position, exists) or _inline(head[2], exists)
        if found is None and path is not None:
            _refuse_other(lines[free:position], path, exists, position)
        path = found or path
        if path is None:
            raise _unnamed(lines[free:position], position, exists)
        operations.append(_block(lines, position, end, path))
        position = free = end + 1
    return tuple(operations)


def _end(lines: Sequence[str], head: int) -> int:
    size = _size(lines[head])
    if size > _SIZE:
        # What is between longer markers may hold others; their own end is as long as they are.
        ends = (n for n in range(head + 1, len(lines)) if _TAIL.match(lines[n]) or _HEAD.match(lines[n]))
        own = next((n for n in ends if _size(lines[n]) == size), None)
        if own is not None and _TAIL.match(lines[own]):
            return own
    for position in range(head + 1, len(lines)):
        if _TAIL.match(lines[position]):
            return position
        if _HEAD.match(lines[position]):
            raise EditRejected(
                f"The block at line {head + 1} holds another block's begin at line {position + 1}.",
                remedy="Close each block with >>>>>>> REPLACE, or use the JSON form.",
                code="ambiguous-block",
            )
    raise _malformed(f"The block at line {head + 1} has no end: it was cut off.")


def _size(line: str) -> int:
    """Return of how many characters the mark is that a line begins with."""
    text = line.lstrip()
    return len(text) - len(text.lstrip(text[:1]))


def _path(lines: Sequence[str], free: int, head: int, exists: Exists) -> str | None:
    """Return the path above a block, above the fence around it, or in that fence's own line."""
    above = list(lines[free:head])
    while above and not above[-1].strip():
        above.pop()
    if not above:
        return None
    fence = FENCE.match(above[-1])
    if fence is None:
        return _named(above[-1], exists)
    # A closing fence of the block before is no opening one, and what stands in it is that block's.
    line = next((line for line in reversed(above[:-1]) if line.strip()), "")
    named = _named(line, exists)
    return path_of_fence(fence[2], exists) or named


def _named(line: str, exists: Exists) -> str | None:
    """Return the path that a line consists of, or that it names as a heading."""
    title = _TITLE.fullmatch(line.strip())
    return path_in(line if title is None else title[1], exists)


def _refuse_other(between: Sequence[str], path: str, exists: Exists, head: int) -> None:
    """Refuse a block that goes on with a file, where the words above it are about another one."""
    if other := other_file(between, path, exists):
        raise _malformed(
            f"The block at line {head + 1} stands below words about {other}, which names no file alone."
        )


def _unnamed(above: Sequence[str], head: int, exists: Exists) -> EditRejected:
    """Return the error for a block without a path; a file that the words above it name is told."""
    named = next((name for line in reversed(above) for name in named_in(line) if exists(name)), None)
    hint = "" if named is None else f" What stands above it names {named} and is no path alone."
    return _malformed(f"No line above the block at line {head + 1} names its file.{hint}")


def _inline(rest: str, exists: Exists) -> str | None:
    return path_in(rest, exists) if rest.strip() else None


def _block(lines: Sequence[str], head: int, end: int, path: str) -> Operation:
    opener = _HEAD.match(lines[head])
    size = len(opener[1]) if opener else 7
    body = list(lines[head + 1 : end])
    offset = head + 2
    start = None
    while body and (numbered := _LINE.match(body[0])):
        start = max(int(numbered[1]) - 1, 0)
        body, offset = body[1:], offset + 1
        if body and re.fullmatch(r"-{5,}", body[0].strip()):
            body, offset = body[1:], offset + 1
    dividers = [i for i, line in enumerate(body) if line.rstrip() == "=" * size]
    if not dividers:
        raise _malformed(f"The block at line {head + 1} has no line of {size} equals signs.")
    is_long = size > _SIZE and _size(lines[end]) == size
    marks = [
        i
        for i, line in enumerate(body)
        if _MARK.match(line.rstrip()) and not (is_long and _size(line) < size)
    ]
    if len(dividers) > 1 or marks:
        raise EditRejected(
            f"The block at line {head + 1} holds marker lines of its own, so it can be cut in several ways.",
            remedy="Use the JSON form, or longer markers for the block than in its text.",
            code="ambiguous-block",
        )
    search, replace = body[: dividers[0]], body[dividers[0] + 1 :]
    place = f"the block at line {head + 1}"
    return Replace(path, _joined(search), _joined(replace), start, whole_lines=True, place=place)


def _joined(lines: Sequence[str]) -> str:
    return "".join(line + "\n" for line in lines)


def _malformed(message: str) -> EditRejected:
    return EditRejected(
        message,
        remedy="Write the path, <<<<<<< SEARCH, the old lines, =======, the new lines, >>>>>>> REPLACE.",
        code="malformed",
    )
