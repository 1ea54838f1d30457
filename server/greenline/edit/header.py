"""Reads the paths in a diff's headers: prefixes, timestamps, quotes, and git's extended lines."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

import attrs

from greenline.core.error import EditRejected
from greenline.edit.name import clean, unstamped
from greenline.edit.operation import FilePatch, PatchHunk

_GIT = re.compile(r'^diff --git ("(?:[^"\\]|\\.)*"|.+?) ("(?:[^"\\]|\\.)*"|\S+)$')
_PREFIXES = (("a/", "b/"), ("i/", "w/"), ("c/", "i/"), ("c/", "w/"), ("o/", "w/"))
_COMBINED = re.compile(r"diff --(?:cc|combined) |@@@+ -\d+(?:,\d+)? -\d+")
_SUFFIX = re.compile(r"\w\.\w{1,10}$")
_LINK, _MODULE = "120000", "160000"
_NAMING = ("--- ", "+++ ", "diff --git ", "rename ", "copy ")

Names = tuple[str, str]
"""Old and new path as the header has them."""


def git_names(line: str) -> Names | None:
    """Return the paths of a `diff --git` line; None for any other line."""
    text = line.rstrip("\r\n")
    match = _GIT.match(text)
    if match is None:
        return None
    both = text.removeprefix("diff --git ")
    middle = len(both) // 2
    # Without quotes a path with a blank can be told only where both are the same.
    if both[:1] != '"' and both[middle : middle + 1] == " " and both[:middle][2:] == both[middle + 1 :][2:]:
        return both[:middle], both[middle + 1 :]
    return match[1], match[2]


def extended(line: str, names: Names) -> Names:
    """Follow one line of git's extended header."""
    text = line.rstrip("\r\n")
    if text.startswith("copy from "):
        raise EditRejected("The diff copies a file.", remedy="Create the new file with its whole text.")
    if text.startswith("rename from "):
        return ("a/" + clean(text[12:]), names[1])
    if text.startswith("rename to "):
        return (names[0], "b/" + clean(text[10:]))
    if text.startswith("new file mode "):
        return ("/dev/null", names[1])
    if text.startswith("deleted file mode "):
        return (names[0], "/dev/null")
    return names


def named(names: Names, hunks: tuple[PatchHunk, ...], git: Names | None = None) -> FilePatch:
    """Return the patch of one file, without the prefixes that diff programs put before paths.

    `git` are the names of its `diff --git` line.
    """
    old, new = _path(names[0]), _path(names[1])
    is_stamped = not any("\t" in name.rstrip() or name.startswith('"') for name in names) and not all(
        path is None or (git is not None and path in map(clean, git)) for path in (old, new)
    )
    if old is not None and new is not None:
        for one, other in _PREFIXES:
            if old.startswith(one) and new.startswith(other):
                old, new = old[2:], new[2:]
                break
    elif old is not None:
        old = old.removeprefix("a/")
    elif new is not None:
        new = new.removeprefix("b/")
    moved = old is not None and new is not None and old != new
    return FilePatch(old, new, hunks, moved=moved, may_be_stamped=is_stamped)


def settled(patch: FilePatch, exists: Callable[[str], bool]) -> FilePatch:
    """Return a patch without what its header adds to the names, where only then its file is there.

    A file that is made is named without it where its name would have a blank behind its suffix.
    """
    if not patch.may_be_stamped:
        return patch
    old, new = (name and unstamped(name) for name in (patch.old, patch.new))
    if (old, new) == (patch.old, patch.new):
        return patch
    if old is None:
        is_added = new is not None and _SUFFIX.search(new) is not None and not exists(patch.new or "")
    else:
        is_added = not exists(patch.old or "") and exists(old)
    if not is_added:
        return patch
    return attrs.evolve(patch, old=old, new=new, moved=old is not None and new is not None and old != new)


def modes(lines: Sequence[str]) -> dict[str, int]:
    """Return the mode bits that git headers ask for, by new path."""
    found: dict[str, int] = {}
    path = None
    for line in lines:
        names = git_names(line) if line.startswith("diff --git ") else None
        if names:
            path = named(names, ()).new
        elif path and line.startswith("rename to "):
            path = clean(line.rstrip("\r\n")[10:])
        elif path and line.startswith(("new file mode ", "new mode ")):
            found[path] = _mode(line, path)
        elif line.startswith("@@"):
            path = None
    return found


def _mode(line: str, path: str) -> int:
    digits = line.split()[-1]
    if not re.fullmatch("[0-7]{3,7}", digits):
        raise EditRejected(
            f"The diff asks for the mode {digits!r}, which is none.",
            remedy="Write it as git does: 100644, or 100755 for a program.",
            path=path,
        )
    return int(digits, 8) & 0o777


def refuse_special(lines: Sequence[str]) -> None:
    """Raise `EditRejected` (`binary`, `link`, `malformed`) for what no text edit can do."""
    for line in lines:
        if _COMBINED.match(line):
            raise EditRejected(
                "The diff of a merge compares with several files at once, so its lines have several marks.",
                remedy="Give the diff against one of its parents, as `git diff PARENT` does.",
            )
        if line.startswith(("GIT binary patch", "Binary files ")):
            raise EditRejected("The diff changes a binary file.", remedy="Leave it out.", code="binary")
        if line.startswith(("new file mode ", "new mode ")) and line.split()[-1] in (_LINK, _MODULE):
            raise EditRejected(
                "The diff makes a symbolic link or a submodule.", remedy="Leave it out.", code="link"
            )


def refuse_unreadable(lines: Sequence[str]) -> None:
    """Raise `EditRejected` (`malformed`) for a quoted name that is none, and a hunk without a first line."""
    for number, line in enumerate(lines, 1):
        if line.startswith("\\") and number > 1 and lines[number - 2].startswith("@@"):
            raise EditRejected(
                f"The hunk at line {number - 1} begins with a note about the line before, and there is none.",
                remedy="Begin the hunk with the lines that it is about.",
            )
        if line.startswith(_NAMING) and '"' in line and not _is_text(line):
            raise EditRejected(
                f"The quoted name at line {number} holds half of a character.",
                remedy="Write the name as it is, or as git quotes it.",
            )


def _is_text(line: str) -> bool:
    try:
        line.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return False
    return True


def _path(name: str) -> str | None:
    path = clean(name)
    return None if unstamped(path) == "/dev/null" else path
