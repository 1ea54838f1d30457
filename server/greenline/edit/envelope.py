"""Reads the `*** Begin Patch` form: operations on files, and hunks that are placed by context alone."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from greenline.core.error import EditRejected
from greenline.edit.operation import Create, Delete, FilePatch, Move, Operation, PatchHunk

BEGIN = "*** Begin Patch"
_END = "*** End Patch"
_ADD, _UPDATE, _DELETE, _MOVE = "*** Add File: ", "*** Update File: ", "*** Delete File: ", "*** Move to: "
_HEAD = re.compile(r"@@+(?: ?-\d+(?:,\d+)?(?: \+\d+(?:,\d+)?)?(?: ?@@+|$))?")
_DOTS = re.compile(r"^(?:\.{3}|…)\s*|\s*(?:\.{3}|…)$")
_EOF = "*** End of File"


def read(text: str) -> tuple[Operation, ...]:
    """Read all patches in order; raises `EditRejected` (`malformed`), also where an end is missing."""
    lines = text.split("\n")
    operations: list[Operation] = []
    for begin, end in spans(lines):
        found = tuple(_operations(lines[begin + 1 : end - 1], begin + 2))
        if not found:
            raise _malformed(f"The patch at line {begin + 1} names no file.")
        operations += found
    if not operations:
        raise _malformed(f"The patch has no line {BEGIN}.")
    return tuple(operations)


def spans(lines: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Yield each patch's first line and the line after it; raises `EditRejected` for one without an end."""
    position = 0
    while position < len(lines):
        if lines[position].strip() != BEGIN:
            position += 1
            continue
        end = next((i for i in range(position + 1, len(lines)) if lines[i].strip() == _END), None)
        if end is None:
            raise _malformed(f"The patch has no line {_END}: it was cut off.")
        yield position, end + 1
        position = end + 1


def _operations(lines: Sequence[str], first: int) -> Iterator[Operation]:
    position = 0
    while position < len(lines):
        line = lines[position].rstrip()
        body_end = _body_end(lines, position + 1)
        body = lines[position + 1 : body_end]
        place = f"line {first + position}"
        if line.startswith(_ADD):
            yield Create(line[len(_ADD) :].strip(), "".join(_added(body, first + position + 1)), place)
        elif line.startswith(_DELETE):
            yield Delete(line[len(_DELETE) :].strip(), place)
        elif line.startswith(_UPDATE):
            path = line[len(_UPDATE) :].strip()
            to = None
            if body and body[0].startswith(_MOVE):
                to, body = body[0][len(_MOVE) :].strip(), body[1:]
            hunks = tuple(_hunks(body, first + position + 1))
            if hunks:
                yield FilePatch(path, path, hunks, place=place)
            if to is not None:
                yield Move(path, to, place)
        elif line:
            raise _malformed(f"Line {first + position} of the edit is no operation: {line[:60]!r}.")
        position = body_end


def _body_end(lines: Sequence[str], start: int) -> int:
    heads = (_ADD, _UPDATE, _DELETE)
    return next((i for i in range(start, len(lines)) if lines[i].startswith(heads)), len(lines))


def _added(body: Sequence[str], first: int) -> Iterator[str]:
    for number, line in enumerate(body):
        if not line.startswith("+"):
            if any(rest.strip() for rest in body[number:]):
                raise _malformed(f"Line {first + number} of a new file begins with no +.")
            return
        yield line[1:] + "\n"


def _hunks(body: Sequence[str], first: int) -> Iterator[PatchHunk]:
    below: list[str] = []
    lines: list[tuple[str, str]] = []
    for number, line in enumerate(body):
        if line.startswith("@@"):
            if lines:
                yield _named(lines, below)
                lines, below = [], []
            below.append(line)
        elif line.strip() == _EOF:
            if lines:
                yield _named(lines, below, at_end=True)
                lines, below = [], []
        elif line[:1] in (" ", "+", "-"):
            lines.append((line[0], line[1:] + "\n"))
        elif not line:
            if any(rest.strip() for rest in body[number:]):
                lines.append((" ", "\n"))
        else:
            raise _malformed(f"Line {first + number} begins with no space, + or -: {line[:60]!r}.")
    if lines:
        yield _named(lines, below)


def _named(lines: Sequence[tuple[str, str]], above: Sequence[str], *, at_end: bool = False) -> PatchHunk:
    """Return a hunk with the lines of the file that its `@@` lines name; numbers and dots name none."""
    texts = (_HEAD.sub("", line).strip().removesuffix("@@").strip() for line in above)
    names = tuple(text for text in (_DOTS.sub("", text) for text in texts) if re.search(r"\w", text))
    return PatchHunk(None, tuple(lines), names[-1] if names else "", at_end=at_end, named=names)


def _malformed(message: str) -> EditRejected:
    return EditRejected(message, remedy="Follow the form from *** Begin Patch to *** End Patch.")
