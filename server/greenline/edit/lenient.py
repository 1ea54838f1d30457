"""Reads diffs that no diff program made: counts are not believed, prose is passed over, no change is lost."""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence

import attrs

from greenline.core.error import EditRejected
from greenline.edit.header import Names, extended, git_names, named
from greenline.edit.name import clean, unstamped
from greenline.edit.naming import named_in
from greenline.edit.operation import FilePatch, PatchHunk

_NUMBERS = re.compile(r"^@@+ -(\d+)(?:,(\d+))?(?: \+(\d+)(?:,(\d+))?)?")
_HEAD = re.compile(r"^@@+(?P<inner>.*?)(?: ?@@+(?P<heading>.*))?$")
_BULLET = re.compile(r"^[-+] \S")
_SENTENCE = re.compile(r"^[-+] \w\S*(?: \S+){2,}$")
_PROSE = re.compile(r"[A-Z]\S*(?: \S+){2,}[.!?:]$")
_WORDS = re.compile(r"[^=(){}\[\];<>_/\\]*\w \w[^=(){}\[\];<>_/\\]* \w[^=(){}\[\];<>_/\\]*")
"""A line of words without anything that only code has."""
_SIGNATURE = re.compile(r"-- ?\r?\n?")
_FENCE = ("```", "~~~")
_FILE = re.compile(
    r"\.(?:pyi?|[cm]?[jt]sx?|go|rs|rb|java|kts?|c|h|cc|cpp|hpp|cs|php|swift|lua|md|rst|txt|json|ya?ml|toml|ini"
    r"|cfg|html?|s?css|sh|sql|vue)$"
)


def read(
    lines: Sequence[str], path: str | None, *, torn: bool, closed: bool = False
) -> tuple[FilePatch, ...]:
    """Read a diff's lines; hunks before any header belong to `path`.

    `torn` says that the last line had no end, so that it may be cut off; `closed`, that a fence ended the
    diff, so that nothing is.
    Raises `EditRejected` (`malformed`).
    """
    return _Reader(lines, path, torn, closed).read()


class _Reader:
    """One pass over the lines of a diff."""

    def __init__(self, lines: Sequence[str], path: str | None, torn: bool, closed: bool) -> None:
        self._lines = lines
        self._closed = closed
        self._torn = torn
        self._names: Names | None = None if path is None else (path, path)
        self._git: Names | None = None
        self._is_announced = False
        self._in_git_header = False
        self._has_mode = False
        self._hunks: list[PatchHunk] = []
        self._after = 0
        """The line below the last hunk."""
        self._patches: list[FilePatch] = []

    def read(self) -> tuple[FilePatch, ...]:
        """Return the patches in order."""
        position = 0
        while position < len(self._lines):
            position = self._step(position)
        self._close()
        return tuple(self._patches)

    def _step(self, position: int) -> int:
        """Read what begins at a line outside hunks; return the next line to read."""
        line = self._lines[position]
        git = git_names(line) if line.startswith("diff --git ") else None
        if git:
            if self._torn and not self._closed and position == len(self._lines) - 1:
                raise _cut_off(line[11:].strip())
            self._open(git)
            self._git = git
            self._in_git_header = True
            return position + 1
        if line.startswith("diff --git "):
            raise _cut_off(line[11:].strip())
        names, size = self._header(position)
        if names is not None:
            if self._in_git_header and not self._hunks:
                self._names = names
                self._in_git_header = False
            else:
                self._open(names)
            return position + size
        if line.startswith("@@") and self._names is not None:
            self._refuse_other_file(position, self._names)
            hunk, position = self._hunk(position)
            self._after = position
            if not hunk.lines:
                raise _cut_off(named(self._names, ()).new or "")
            self._hunks.append(hunk)
            return position
        if line.startswith("@@") and _NUMBERS.match(line):
            raise _malformed(f"No header above the hunk at line {position + 1} names its file.")
        if self._names is not None and self._in_git_header:
            self._refuse_other_name(line, self._names)
            self._names = extended(line, self._names)
            self._has_mode = self._has_mode or line.startswith("new mode ")
        return position + 1

    def _refuse_other_file(self, position: int, names: Names) -> None:
        """Refuse a hunk below words that are about another file than the header's."""
        patch = named(names, ())
        stated = [name for name in (patch.old, patch.new) if name is not None]
        own = {form.rpartition("/")[2] for name in stated for form in (name, unstamped(name))}
        for line in self._lines[self._after : position] if self._hunks else ():
            found = {name.rpartition("/")[2] for name in named_in(line) if _FILE.search(name)}
            if found and not found & own:
                raise _malformed(
                    f"The hunk at line {position + 1} has no header, and words about {min(found)} above it."
                )

    def _refuse_other_name(self, line: str, names: Names) -> None:
        """Refuse a rename to another name than the header's, where the diff ends in it."""
        is_last = self._torn and not self._closed and line is self._lines[-1]
        if is_last and line.startswith("rename to ") and named(names, ()).new != clean(line[10:]):
            raise _cut_off(clean(line[10:]))

    def _open(self, names: Names) -> None:
        self._close()
        self._names = names
        self._git = None
        self._is_announced = True
        self._in_git_header = self._has_mode = False

    def _close(self) -> None:
        if self._names is not None:
            patch = named(self._names, tuple(self._hunks), self._git)
            if patch.hunks or self._does_something(patch):
                self._patches.append(patch)
            elif self._is_announced:
                raise _cut_off(patch.new or patch.old or "")
        self._hunks = []

    def _does_something(self, patch: FilePatch) -> bool:
        """Return whether a patch without hunks can be whole: git's headers move, delete and set modes."""
        return self._in_git_header and (
            self._has_mode or patch.moved or patch.old is None or patch.new is None
        )

    def _header(self, position: int) -> tuple[Names | None, int]:
        """Return the paths of a header and its size in lines; one of its two lines may be missing."""
        if is_header(self._lines, position):
            return (self._lines[position][4:], self._lines[position + 1][4:]), 2
        line = self._lines[position]
        follows = position + 1 < len(self._lines) and self._lines[position + 1].startswith("@@")
        if line.startswith(("--- ", "+++ ")) and follows and len(line) > 5:
            name = line[4:]
            for prefix in ("a/", "b/"):
                name = name.removeprefix(prefix)
            return (name, name), 1
        return None, 0

    def _hunk(self, position: int) -> tuple[PatchHunk, int]:
        """Read a hunk; return it and the line after it."""
        hunk = _head(self._lines[position])
        body: list[tuple[str, str]] = []
        position += 1
        n_blank = 0
        while position < len(self._lines):
            line = self._lines[position]
            if line.startswith(_FENCE) and self._is_shown_fence(hunk, body, position):
                body.append((" ", line))
                n_blank = 0
                position += 1
                continue
            if line.startswith(("@@", "diff --git ", *_FENCE)) or is_header(self._lines, position):
                break
            if self._is_torn_header(hunk, body, n_blank, position):
                raise EditRejected(
                    "The diff ends inside a line that begins another file: it was cut off.",
                    remedy="Give the whole diff, or smaller ones.",
                )
            if line[0] in "＋－" or (line[0] == "\\" and line[1:3] == "  "):
                raise _malformed(f"Line {position + 1} of the diff has a mark that is none: {line[0]!r}.")
            if line[0] == "\\":
                if body:
                    body[-1] = (body[-1][0], body[-1][1].removesuffix("\n"))
            elif line[0] in "-+" and self._is_over(hunk, body, n_blank, position):
                break
            elif line[0] in " -+":
                body.append((line[0], line[1:]))
                n_blank = 0
            elif self._is_added(hunk, body, n_blank, position):
                body.append(("+", line))
            elif self._ends_here(hunk, body, n_blank, position):
                below = tuple(self._unmarked(position)) if not n_blank else ()
                hunk = attrs.evolve(hunk, below=below)
                break
            else:
                body.append((" ", line))
                n_blank = n_blank + 1 if not line.strip() else 0
            position += 1
        # Blank lines at a hunk's end more likely part it from the next than belong to it.
        hunk = attrs.evolve(hunk, lines=tuple(body[: len(body) - n_blank]))
        last = not self._closed and not any(line.strip() for line in self._lines[position:])
        torn = self._torn and position == len(self._lines) and n_blank == 0
        return attrs.evolve(hunk, last=last, torn=torn), position

    def _is_torn_header(
        self, hunk: PatchHunk, body: Sequence[tuple[str, str]], n_blank: int, position: int
    ) -> bool:
        """Return whether the diff ends inside what begins a file, below a hunk that is whole."""
        text = self._lines[position].rstrip("\n")
        if not self._torn or self._closed or not text or position < len(self._lines) - 1:
            return False
        is_whole = hunk.claimed in (counts(body), counts(body[: len(body) - n_blank]))
        return is_whole and ("--- ".startswith(text) or "diff --git ".startswith(text))

    def _is_shown_fence(self, hunk: PatchHunk, body: Sequence[tuple[str, str]], position: int) -> bool:
        """Return whether a fence is a line of the file, which lost its blank: the counts reach beyond it.

        Raises `EditRejected` (`malformed`) where changed lines follow and no count says whose they are.
        """
        old, new = counts(body)
        seen: list[str] = []
        for line in self._lines[position:]:
            if hunk.claimed == (old, new):
                break
            if not line.startswith((" ", "+", "-", "\\", *_FENCE)) and line.strip():
                break
            old += not line.startswith(("+", "\\"))
            new += not line.startswith(("-", "\\"))
            seen.append(line)
        if hunk.claimed == (old, new) and any(line.startswith(("+", "-")) for line in seen):
            return True
        changed = [line for line in self._section(position + 1) if not _BULLET.match(line)]
        if not self._closed and {"+", "-"} <= {line[0] for line in changed}:
            raise _malformed(f"The hunk ends at a fence in line {position + 1}, and changed lines follow it.")
        return False

    def _is_over(self, hunk: PatchHunk, body: Sequence[tuple[str, str]], n_blank: int, position: int) -> bool:
        """Return whether a whole hunk ends before a mail's signature, or a list that is prose."""
        if hunk.claimed is None or counts(body[: len(body) - n_blank]) != hunk.claimed:
            return False
        if _SIGNATURE.fullmatch(self._lines[position]):
            return True
        if self._closed:
            # In the diff's own fence is no list beside it.
            return False
        marked = [line for line in self._section(position) if line.startswith(("+", "-"))]
        if not all(_SENTENCE.match(line.rstrip()) for line in marked):
            return False
        if not n_blank:
            raise _malformed(
                f"Line {position + 1} is one more than its hunk counts: a change, or a list below it."
            )
        return True

    def _section(self, position: int) -> list[str]:
        """Return the lines up to the next hunk, file or fence."""
        found = []
        for number in range(position, len(self._lines)):
            line = self._lines[number]
            if line.startswith(("@@", "diff --git ", *_FENCE)) or is_header(self._lines, number):
                break
            found.append(line)
        return found

    def _unmarked(self, position: int) -> list[str]:
        """Return the lines without a mark from here to the next blank or marked one."""
        found: list[str] = []
        for line in self._section(position):
            if not line.strip() or line[0] in " +-\\":
                break
            found.append(line)
        return found

    def _is_added(
        self, hunk: PatchHunk, body: Sequence[tuple[str, str]], n_blank: int, position: int
    ) -> bool:
        """Return whether a line lost its `+`: right below an added one, and the counts say so.

        Raises `EditRejected` (`malformed`) where it may be and no count tells.
        """
        line = self._lines[position].strip()
        if n_blank or not line or not body or body[-1][0] != "+" or hunk.claimed is None:
            return False
        here = self._unmarked(position)
        below = itertools.takewhile(
            lambda other: other.startswith((" ", "+", "-")), self._lines[position + len(here) :]
        )
        rest = [(other[0], other) for other in below]
        old, new = counts([*body, *rest])
        added, kept = (old, new + len(here)), (old + len(here), new + len(here))
        if hunk.claimed == added != kept:
            return True
        if hunk.claimed == kept or hunk.claimed[1] <= counts(body)[1] or _WORDS.fullmatch(line):
            return False
        if rest or hunk.claimed[1] - hunk.claimed[0] > counts(body)[1] - counts(body)[0]:
            raise _malformed(f"Line {position + 1} of the diff has no mark, and may be an added one.")
        return False

    def _ends_here(
        self, hunk: PatchHunk, body: Sequence[tuple[str, str]], n_blank: int, position: int
    ) -> bool:
        """Return whether a line without a mark is prose after the hunk, not context without its blank."""
        later = self._section(position)
        marked = [line for line in later if line.startswith(("+", "-"))]
        if hunk.claimed is not None and counts(body[: len(body) - n_blank]) == hunk.claimed:
            return all(_BULLET.match(line) for line in marked)
        if hunk.claimed is not None and not marked:
            old, new = counts(body)
            here = self._unmarked(position)
            is_missing = (old + len(here), new + len(here)) == hunk.claimed
            if here and is_missing and not any(_PROSE.match(line.strip()) for line in here):
                # The header counts these lines, and as many as there are.
                return False
        if not later[0].strip() and any(line.startswith((" ", "+", "-")) for line in later):
            return False
        return not marked and bool(later[0].strip())


def counts(body: Sequence[tuple[str, str]]) -> tuple[int, int]:
    """Return how many old and new lines a hunk's body has."""
    return sum(kind != "+" for kind, _ in body), sum(kind != "-" for kind, _ in body)


def _head(line: str) -> PatchHunk:
    numbers = _NUMBERS.match(line)
    head = _HEAD.match(line.rstrip())
    heading = ((head["heading"] or "") if head else "").strip()
    if numbers is None:
        inner = head["inner"].strip() if head else ""
        named_here = inner.strip(". ") if "..." in inner or not heading else inner
        return PatchHunk(None, (), heading or named_here)
    claimed = None
    if numbers[3] is not None:
        claimed = (int(numbers[2] or "1"), int(numbers[4] or "1"))
    stated, length = int(numbers[1]), int(numbers[2] or "1")
    start = stated if length == 0 else max(stated - 1, 0)
    new_start = None if numbers[3] is None else max(int(numbers[3]) - 1, 0)
    return PatchHunk(start, (), heading, claimed, new_start=new_start)


def is_header(lines: Sequence[str], position: int) -> bool:
    """Return whether `---` and `+++` begin a file; a hunk must follow, as they may be changed lines too."""
    if position + 1 >= len(lines):
        return False
    if not lines[position].startswith("--- ") or not lines[position + 1].startswith("+++ "):
        return False
    return position + 2 >= len(lines) or lines[position + 2].startswith(("@@", "diff ", "--- ", "\n"))


def _cut_off(name: str) -> EditRejected:
    return EditRejected(
        f"The diff names {name} and shows no change of it: it was cut off.",
        remedy="Give the whole diff, or smaller ones.",
    )


def _malformed(message: str) -> EditRejected:
    return EditRejected(message, remedy="Give a unified diff with --- and +++ lines.")
