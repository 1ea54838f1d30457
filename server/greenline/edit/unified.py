"""Reads unified diffs: unidiff where they are well formed, a lenient reading where they are not.

A diff is split on the newline alone, so a form feed, U+2028 or a lone carriage return stays in its line.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

import attrs
from unidiff.errors import UnidiffParseError
from unidiff.patch import PatchedFile, PatchSet

from greenline.core.error import EditRejected
from greenline.edit import header
from greenline.edit.lenient import is_header, read
from greenline.edit.operation import FilePatch, PatchHunk

_FENCED = re.compile(r"\s*```[\w-]*\n(.*?)\n?```\s*", re.DOTALL)


def parse(diff: str, path: str | None = None) -> tuple[FilePatch, ...]:
    """Read a diff; hunks without a file's header belong to `path`.

    Raises `EditRejected` (`malformed`, `binary` or `link`) where it cannot be followed.
    """
    fenced = _FENCED.fullmatch(diff)
    if fenced:
        diff = fenced[1] + "\n"
    lines = [piece + "\n" for piece in diff.split("\n")]
    if diff.endswith("\n"):
        lines.pop()
    header.refuse_special(lines)
    header.refuse_unreadable(lines)
    # A text without an end may be cut off inside its last line, which unidiff does not ask.
    torn = not diff.endswith("\n")
    patches = (() if torn else _well_formed(lines)) or read(lines, path, torn=torn, closed=fenced is not None)
    if not patches:
        raise EditRejected("The diff changes no file.", remedy="Give a unified diff with --- and +++ lines.")
    modes = header.modes(lines)
    return tuple(attrs.evolve(p, mode=modes.get(p.new or "", p.mode)) for p in patches)


def _well_formed(lines: Sequence[str]) -> tuple[FilePatch, ...]:
    """Return what unidiff reads; nothing where it would leave out a line that a hunk could own."""
    if any(line.startswith("copy from ") for line in lines):
        return ()
    try:
        files = PatchSet(lines)
    except UnidiffParseError:
        return ()
    patches = tuple(_from_unidiff(files))
    if _names_more(lines, files, patches):
        return ()
    if sum(is_header(lines, number) for number in range(len(lines))) > len(files):
        # Counts that are too large have made a hunk of the next file's header.
        return ()
    n_body = sum(line.startswith((" ", "+", "-", "@@", "\\")) for line in lines)
    n_read = sum(1 + len(hunk) for file in files for hunk in file)
    n_headers = sum(line.startswith(("--- ", "+++ ")) for line in lines)
    return patches if n_body <= n_read + n_headers else ()


def _names_more(lines: Sequence[str], files: PatchSet, patches: Sequence[FilePatch]) -> bool:
    """Return whether the diff names a file and shows no change of it, as one that was cut off does."""
    modes = header.modes(lines)
    for patch in patches:
        stays = patch.old is not None and patch.new is not None and not patch.moved
        if stays and not patch.hunks and patch.new not in modes:
            return True
    if not files or not files[-1]:
        return False
    last = files[-1][-1][-1].diff_line_no or len(lines)
    return any(line.startswith("--- ") for line in lines[last:][-1:])


def _from_unidiff(files: PatchSet) -> Iterator[FilePatch]:
    for file in files:
        hunks = []
        for hunk in file:
            body: list[tuple[str, str]] = []
            for line in hunk:
                if line.line_type == "\\" and body:
                    body[-1] = (body[-1][0], body[-1][1].removesuffix("\n"))
                elif line.line_type in (" ", "-", "+"):
                    body.append((line.line_type, line.value))
            start = hunk.source_start if hunk.source_length == 0 else max(hunk.source_start - 1, 0)
            new_start = max(hunk.target_start - 1, 0)
            heading = hunk.section_header.strip()
            hunks.append(PatchHunk(start, tuple(body), heading, new_start=new_start))
        yield header.named(_names(file), tuple(hunks), _git_names(file))


def _names(file: PatchedFile) -> header.Names:
    """Return a file's names as the header has them, with a tab where a timestamp stood behind one."""
    old = file.source_file + ("\t" + file.source_timestamp if file.source_timestamp else "")
    return old, file.target_file + ("\t" + file.target_timestamp if file.target_timestamp else "")


def _git_names(file: PatchedFile) -> header.Names | None:
    lines = (line for line in file.patch_info or () if line.startswith("diff --git "))
    return next((names for line in lines if (names := header.git_names(line))), None)
