"""What is left of a patch when one hunk is taken back, with those that need it; pure.

The links between hunks are those of a review, where a part of a proposal can be accepted. Hunks of tests
always stay: they are what is asked.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import attrs

from greenline.core.edit import EditSet, FileChange, Hunk
from greenline.core.error import EditRejected, InvalidInput
from greenline.core.port import Tree
from greenline.edit.hunk import apply_hunks
from greenline.edit.link import ChangedText, linked
from greenline.mutation.source import Candidate
from greenline.verify.tree import relative
from greenline.workspace.encoding import TextFile, decode, encode


@attrs.frozen
class TakenBack:
    """The files that differ from the patched tree without one hunk."""

    along: tuple[str, ...]
    """Ids of the hunks that need it, and are taken back with it."""
    contents: Mapping[str, bytes | None]
    """Relative path → content; None where the file is then not there."""

    def tree(self, base: Tree, patched: Tree) -> Tree:
        """Return the patched tree without the hunk."""
        found = dict(patched)
        for path, content in self.contents.items():
            file = patched.get(path) or base.get(path)
            if content is None or file is None:
                found.pop(path, None)
            else:
                found[path] = attrs.evolve(file, content=content)
        return found

    def edits(self, patched: Tree) -> tuple[Candidate, ...] | None:
        """Return it as edits of files of the patched tree; None where a file comes or goes."""
        found = []
        for path, content in sorted(self.contents.items()):
            file = patched.get(path)
            if file is None or file.link is not None or content is None:
                return None
            found.append(_edit(path, file.content, content))
        return tuple(found)


@attrs.frozen
class _File:
    """One file of a patch, cut into hunks that make up its change."""

    path: str
    change: FileChange
    before: TextFile | None
    after: TextFile | None
    hunks: tuple[Hunk, ...]

    def without(self, gone: set[str]) -> bytes | None:
        """Return the file's content when some of its hunks are taken back; raises `EditRejected`."""
        kept = [hunk for hunk in self.hunks if hunk.id not in gone]
        if self.before is None or self.after is None:
            return self.change.after if kept else self.change.before
        return encode(attrs.evolve(self.after, text=apply_hunks(self.before.text, kept)))


def taken_back(
    root: str, edit_set: EditSet, hunks: Sequence[Hunk], is_product: Callable[[str], bool]
) -> dict[str, TakenBack]:
    """Return hunk id → what is left without it, for the product hunks of files that the hunks make up."""
    files = [file for change in edit_set.changes if (file := _read(root, change, hunks)) is not None]
    texts = [
        ChangedText(
            file.change.path,
            None if file.before is None else file.before.text,
            None if file.after is None else file.after.text,
            file.hunks,
            file.change.moved_from,
        )
        for file in files
    ]
    needs = {hunk.id: hunk.needs for hunk in linked(texts)}
    product = {hunk.id for file in files if is_product(file.path) for hunk in file.hunks}
    users: dict[str, list[str]] = {name: [] for name in product}
    for user in sorted(product):
        for needed in needs[user]:
            users.get(needed, []).append(user)
    found = {}
    for name in product:
        gone = _closure(name, users)
        try:
            contents = {
                file.path: file.without(gone)
                for file in files
                if not gone.isdisjoint(hunk.id for hunk in file.hunks)
            }
        except EditRejected:
            continue
        found[name] = TakenBack(tuple(sorted(gone - {name})), contents)
    return found


def _read(root: str, change: FileChange, hunks: Sequence[Hunk]) -> _File | None:
    """Return a file with its hunks; None for one that is no text, or whose change they do not make up."""
    try:
        before = None if change.before is None else decode(change.before)
        after = None if change.after is None else decode(change.after)
        own = sorted(
            (hunk for hunk in hunks if hunk.path == change.path), key=lambda h: (h.start_line, h.end_line)
        )
        if not own or any(hunk.mode is not None and hunk.before == hunk.after for hunk in own):
            return None
        if before is not None and after is not None and apply_hunks(before.text, own) != after.text:
            return None
    except (EditRejected, InvalidInput):
        return None
    return _File(relative(root, change.path), change, before, after, tuple(own))


def _closure(name: str, users: Mapping[str, Sequence[str]]) -> set[str]:
    found, waiting = {name}, [name]
    while waiting:
        for user in users[waiting.pop()]:
            if user not in found:
                found.add(user)
                waiting.append(user)
    return found


def _edit(path: str, old: bytes, new: bytes) -> Candidate:
    """Return the one edit that makes a content of another: what both begin and end with stays."""
    rows, to_rows = old.splitlines(keepends=True), new.splitlines(keepends=True)
    head = _n_equal(rows, to_rows)
    tail = _n_equal(rows[head:][::-1], to_rows[head:][::-1])
    start, end = sum(map(len, rows[:head])), len(old) - sum(map(len, rows[len(rows) - tail :]))
    text = b"".join(to_rows[head : len(to_rows) - tail])
    return Candidate(path, start, end, text, "taken back", head + 1, 1.0)


def _n_equal(rows: Sequence[bytes], to_rows: Sequence[bytes]) -> int:
    pairs = zip(rows, to_rows, strict=False)
    return next((number for number, (a, b) in enumerate(pairs) if a != b), min(len(rows), len(to_rows)))
