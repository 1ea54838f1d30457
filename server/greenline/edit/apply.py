"""Turns a diff, or single edits, into an EditSet: whole or not at all, and never outside the root."""

from __future__ import annotations

from collections.abc import Callable

import attrs

from greenline.core.edit import EditSet, FileChange
from greenline.core.error import EditRejected
from greenline.edit.match import find_lines, merge
from greenline.edit.text import dominant_end
from greenline.edit.unified import FilePatch, PatchHunk, parse
from greenline.workspace.encoding import TextFile, decode, encode
from greenline.workspace.root import locate

Read = Callable[[str], bytes | None]
"""Absolute path → bytes, or None where there is no such file."""


def edit_set_from_diff(diff: str, read: Read, root: str) -> EditSet:
    """Return what a unified diff does to the files below `root`; nothing is written.

    Raises `EditRejected` (`no-match`, `ambiguous`, `malformed`, `exists`, `binary`, `link`, `protected`,
    `unencodable`) or `OutsideWorkspace`, and then no part of the diff counts.
    """
    staging = Staging(read, root)
    for patch in parse(diff):
        staging.apply(patch)
    return staging.edit_set()


def writable_path(path: str, root: str) -> str:
    """Return the absolute path that an edit of `path` goes to, links resolved.

    Raises `OutsideWorkspace`, or `EditRejected` (`protected`) inside `.git`, where a write could run code.
    """
    located = locate(path, (root,))
    parts = [part.lower() for part in located.target[len(root) :].split("/")]
    if ".git" in parts or located.relative == ".":
        raise EditRejected(
            f"{path} must not be edited: git keeps its own records there.",
            remedy="Edit the project's files instead.",
            code="protected",
        )
    return located.target


class Staging:
    """Collects changes over `read`; later changes see earlier ones. One thread at a time."""

    def __init__(self, read: Read, root: str) -> None:
        self._read = read
        self._root = root
        self._changes: dict[str, FileChange] = {}

    def current(self, path: str) -> bytes | None:
        """Return a file's bytes with the changes so far."""
        return self._changes[path].after if path in self._changes else self._read(path)

    def put(
        self, path: str, after: bytes | None, mode: int | None = None, moved_from: str | None = None
    ) -> None:
        """Record a file's new bytes, None to delete it."""
        old = self._changes.get(path)
        before = self._read(path) if old is None else old.before
        if old is not None:
            mode = old.mode if mode is None else mode
            moved_from = moved_from or old.moved_from
        self._changes[path] = FileChange(path, before, after, moved_from, mode)

    def edit_set(self) -> EditSet:
        """Return the changes so far, sorted by path, without those that change nothing."""
        kept = (c for c in self._changes.values() if c.before != c.after or c.mode is not None)
        return EditSet(tuple(sorted(kept, key=lambda c: c.path)))

    def apply(self, patch: FilePatch) -> None:
        """Apply the patch of one file."""
        if patch.new is None:
            self._delete(patch)
        elif patch.old is None:
            self._create(patch, patch.new)
        else:
            self._edit(patch, patch.old, patch.new)

    def _delete(self, patch: FilePatch) -> None:
        path = self._path(patch.old or "")
        data = self.current(path)
        if data is None:
            raise _missing(patch.old or "")
        if patch.hunks and apply_patch_hunks(decode(data).text, patch.hunks):
            raise EditRejected(
                f"The diff deletes {patch.old}, but the file holds more than the diff shows.",
                remedy="Read the file again, and show all of it or delete it without a diff.",
                code="no-match",
            )
        self.put(path, None)

    def _create(self, patch: FilePatch, name: str) -> None:
        path = self._path(name)
        if self.current(path):
            raise EditRejected(
                f"The diff creates {name}, but there is such a file.",
                remedy="Give a diff against the file as it is.",
                code="exists",
            )
        text = "".join(line for hunk in patch.hunks for line in hunk.target)
        self.put(path, encode(TextFile(text)), patch.mode)

    def _edit(self, patch: FilePatch, old: str, new: str) -> None:
        source = self._path(old)
        data = self.current(source)
        target = self._path(new)
        if data is None and patch.moved and self.current(target) is not None:
            # Names that differ in a prefix alone are one file, named carelessly.
            source, data = target, self.current(target)
        if data is None:
            if all(not hunk.source for hunk in patch.hunks) and patch.hunks:
                self._create(patch, new)
                return
            raise _missing(old)
        after = data
        if patch.hunks:
            file = decode(data)
            after = encode(attrs.evolve(file, text=apply_patch_hunks(file.text, patch.hunks)))
        if source == target:
            self.put(source, after, patch.mode)
            return
        if self.current(target) is not None:
            raise EditRejected(
                f"The diff moves {old} to {new}, but there is such a file.",
                remedy="Choose a new name.",
                code="exists",
            )
        self.put(source, None, moved_from=source)
        self.put(target, after, patch.mode, moved_from=source)

    def _path(self, name: str) -> str:
        """Resolve a path of the diff; a leading `a/` or `b/` is dropped where only that names a file."""
        path = writable_path(name, self._root)
        if self.current(path) is None and name.startswith(("a/", "b/")):
            shorter = writable_path(name[2:], self._root)
            if self.current(shorter) is not None:
                return shorter
        return path


def apply_patch_hunks(text: str, hunks: tuple[PatchHunk, ...]) -> str:
    """Return the text with a file's hunks applied, in order, each nearest to the line that it states."""
    lines = _newline_lines(text)
    end = dominant_end(lines)
    result: list[str] = []
    floor = 0
    drift = 0
    for hunk in hunks:
        source, target = hunk.source, hunk.target
        near = None if hunk.start is None else hunk.start + drift
        if not source:
            start = len(lines) if near is None else near
            if start > len(lines) or start < floor:
                raise EditRejected(
                    f"The diff inserts after line {start}, but the file has {len(lines)} lines.",
                    code="no-match",
                )
            # Nothing shows how the file ends its lines here, so only a diff without \r takes the file's ends.
            stop, level = start, int(bool(lines) and not any("\r" in line for line in target))
        else:
            match = find_lines(lines, source, near, floor)
            start, stop, level = match.start, match.end, match.level
        merged = merge(lines[start:stop], source, target, level, end) if target else []
        result.extend(lines[floor:start])
        if merged and result and start == len(lines) and not result[-1].endswith(("\n", "\r")):
            result[-1] += end
        result.extend(merged)
        drift = start - hunk.start if hunk.start is not None else drift
        floor = stop
    result.extend(lines[floor:])
    return "".join(result)


def _newline_lines(text: str) -> list[str]:
    """Split on the newline alone, as the numbers of a diff count."""
    pieces = text.split("\n")
    return [piece + "\n" for piece in pieces[:-1]] + ([pieces[-1]] if pieces[-1] else [])


def _missing(name: str) -> EditRejected:
    return EditRejected(
        f"The diff changes {name}, but there is no such file.",
        remedy="List the folder and name the file by its path from the root.",
        code="no-match",
    )
