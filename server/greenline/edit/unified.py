"""Reads unified diffs: unidiff where they are well formed, a lenient reading where counts are wrong.

A diff is split on the newline alone, so a form feed, U+2028 or a lone carriage return stays in its line.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

import attrs
from unidiff.errors import UnidiffParseError
from unidiff.patch import PatchSet

from greenline.core.error import EditRejected
from greenline.edit.operation import FilePatch, PatchHunk

_HUNK = re.compile(r"^@@ -(\d+)(?:,(\d+))? \+\d+(?:,\d+)? @@")
_GIT = re.compile(r'^diff --git ("(?:[^"\\]|\\.)*"|.+?) ("(?:[^"\\]|\\.)*"|\S+)$')
_ESCAPE = re.compile(rb"\\([0-7]{3}|.)", re.DOTALL)
_ESCAPES = {b"n": b"\n", b"t": b"\t", b"r": b"\r", b"a": b"\a", b"b": b"\b", b"f": b"\f", b"v": b"\v"}
_PREFIXES = (("a/", "b/"), ("i/", "w/"), ("c/", "i/"), ("c/", "w/"), ("o/", "w/"))
_LINK, _MODULE = "120000", "160000"


def parse(diff: str, path: str | None = None) -> tuple[FilePatch, ...]:
    """Read a diff; hunks without a file's header belong to `path`.

    Raises `EditRejected` (`malformed`, `binary` or `link`) where it cannot be followed.
    """
    lines = [piece + "\n" for piece in _unfenced(diff).split("\n")]
    if lines[-1] == "\n":
        lines.pop()
    _refuse_special(lines)
    modes = _modes(lines)
    try:
        patches = tuple(_from_unidiff(PatchSet(lines)))
    except UnidiffParseError:
        patches = ()
    copies = any(line.startswith("copy from ") for line in lines)
    if not patches or copies or not _complete(lines, patches):
        patches = tuple(_lenient(lines, path))
    if not patches:
        raise EditRejected("The diff names no file.", remedy="Give a unified diff with --- and +++ lines.")
    return tuple(attrs.evolve(p, mode=modes.get(p.new or "", p.mode)) for p in patches)


def _complete(lines: Sequence[str], patches: Sequence[FilePatch]) -> bool:
    """Return whether unidiff kept every hunk: a stray line ends a file for it without an error."""
    return sum(line.startswith("@@ ") for line in lines) <= sum(len(p.hunks) for p in patches)


def _from_unidiff(files: PatchSet) -> Iterator[FilePatch]:
    for file in files:
        hunks = []
        for hunk in file:
            body: list[tuple[str, str]] = []
            for line in hunk:
                if line.line_type == "\\":
                    body[-1] = (body[-1][0], body[-1][1].removesuffix("\n"))
                elif line.line_type in (" ", "-", "+"):
                    body.append((line.line_type, line.value))
            hunks.append(PatchHunk(_start(hunk.source_start, hunk.source_length), tuple(body)))
        yield _named(file.source_file, file.target_file, tuple(hunks))


def _start(stated: int, length: int) -> int:
    """Return a 0-based start; an empty old side names the line before the insertion."""
    return stated if length == 0 else max(stated - 1, 0)


def _named(old_name: str, new_name: str, hunks: tuple[PatchHunk, ...]) -> FilePatch:
    old, new = _clean(old_name), _clean(new_name)
    if old is not None and new is not None:
        for one, other in _PREFIXES:
            if old.startswith(one) and new.startswith(other):
                old, new = old[2:], new[2:]
                break
    elif old is not None:
        old = old.removeprefix("a/")
    elif new is not None:
        new = new.removeprefix("b/")
    return FilePatch(old, new, hunks, moved=old is not None and new is not None and old != new)


def _clean(name: str) -> str | None:
    """Return a path without its timestamp and quotes; None for `/dev/null`."""
    name = name.rstrip("\r\n")
    name = _unquote(name) if name.startswith('"') else name.split("\t", 1)[0].rstrip()
    return None if name == "/dev/null" else name


def _unquote(name: str) -> str:
    """Undo git's C-style quoting."""
    inner = name[1 : name.rindex('"')].encode("utf-8", "surrogateescape")

    def plain(match: re.Match[bytes]) -> bytes:
        token = match.group(1)
        return bytes([int(token, 8) & 255]) if len(token) == 3 else _ESCAPES.get(token, token)

    return _ESCAPE.sub(plain, inner).decode("utf-8", "surrogateescape")


def _unfenced(diff: str) -> str:
    """Drop a Markdown fence around the whole diff, as models like to add."""
    match = re.fullmatch(r"\s*```[\w-]*\n(.*?)\n?```\s*", diff, re.DOTALL)
    return match.group(1) + "\n" if match else diff


def _refuse_special(lines: Sequence[str]) -> None:
    for line in lines:
        if line.startswith(("GIT binary patch", "Binary files ")):
            raise EditRejected("The diff changes a binary file.", remedy="Leave it out.", code="binary")
        if line.startswith(("new file mode ", "new mode ")) and line.split()[-1] in (_LINK, _MODULE):
            raise EditRejected(
                "The diff makes a symbolic link or a submodule.", remedy="Leave it out.", code="link"
            )


def _modes(lines: Sequence[str]) -> dict[str, int]:
    """Return the mode bits that git headers ask for, by new path."""
    modes: dict[str, int] = {}
    path = None
    for line in lines:
        match = _GIT.match(line.rstrip("\r\n"))
        if match:
            path = _named(match.group(1), match.group(2), ()).new
        elif path and line.startswith(("new file mode ", "new mode ")) and line.split()[-1].isdigit():
            modes[path] = int(line.split()[-1], 8) & 0o777
        elif line.startswith("@@"):
            path = None
    return modes


def _lenient(lines: Sequence[str], path: str | None) -> Iterator[FilePatch]:
    """Read without trusting counts: a hunk lasts as long as its lines look like one."""
    names: tuple[str, str] | None = None if path is None else (path, path)
    hunks: list[PatchHunk] = []
    in_git_header = False
    position = 0
    while position < len(lines):
        line = lines[position]
        git = _GIT.match(line.rstrip("\r\n"))
        if git or _is_header(lines, position):
            if git is None and names is not None and in_git_header and not hunks:
                names = (line[4:], lines[position + 1][4:])
            else:
                if names is not None:
                    yield _named(*names, tuple(hunks))
                names = (git[1], git[2]) if git else (line[4:], lines[position + 1][4:])
                hunks, in_git_header = [], git is not None
            position += 1 if git else 2
        elif line.startswith("@@") and names is not None:
            hunk, position = _lenient_hunk(lines, position)
            hunks.append(hunk)
        else:
            if names is not None and not hunks:
                names = _extended(line, names)
            position += 1
    if names is not None:
        yield _named(*names, tuple(hunks))


def _extended(line: str, names: tuple[str, str]) -> tuple[str, str]:
    """Follow one line of git's extended header."""
    if line.startswith("copy from "):
        raise EditRejected("The diff copies a file.", remedy="Create the new file with its whole text.")
    if line.startswith("new file mode "):
        return ("/dev/null", names[1])
    if line.startswith("deleted file mode "):
        return (names[0], "/dev/null")
    return names


def _is_header(lines: Sequence[str], position: int) -> bool:
    """Return whether `---` and `+++` begin a file; a hunk must follow, as they may be changed lines too."""
    if position + 1 >= len(lines):
        return False
    if not lines[position].startswith("--- ") or not lines[position + 1].startswith("+++ "):
        return False
    return position + 2 >= len(lines) or lines[position + 2].startswith(("@@", "diff ", "--- ", "\n"))


def _lenient_hunk(lines: Sequence[str], position: int) -> tuple[PatchHunk, int]:
    numbers = _HUNK.match(lines[position])
    start = None if numbers is None else _start(int(numbers[1]), int(numbers[2] or "1"))
    body: list[tuple[str, str]] = []
    position += 1
    blank = 0
    while position < len(lines):
        line = lines[position]
        if line.startswith(("@@", "diff --git ", "```")) or _is_header(lines, position):
            break
        kind = line[0]
        if kind == "\\":
            if body:
                body[-1] = (body[-1][0], body[-1][1].removesuffix("\n"))
        elif kind == " " or kind == "-" or kind == "+":
            body.append((kind, line[1:]))
            blank = 0
        elif line in ("\n", "\r\n"):
            body.append((" ", line))
            blank += 1
        else:
            raise EditRejected(f"The diff's line {position + 1} begins with no space, + or -.")
        position += 1
    # Blank lines at a hunk's end more likely part it from the next than belong to it.
    return PatchHunk(start, tuple(body[: len(body) - blank])), position
