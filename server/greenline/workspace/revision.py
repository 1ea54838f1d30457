"""Trees of git: a revision, the staged index, and what changed between one and the files as they are.

Only plumbing is used, so no filter, text conversion or hook of the repository ever runs.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence

from greenline.core.edit import EditSet, FileChange
from greenline.core.error import InvalidInput
from greenline.core.port import StagedFile, Tree
from greenline.workspace.git import git, git_or_raise
from greenline.workspace.line_end import as_written

_REVISION = re.compile(r"[A-Za-z0-9_./@^~{}+][A-Za-z0-9_./@^~{}+:-]*")
_LINK, _MODULE = "120000", "160000"


def tree_at(root: str, revision: str) -> Tree:
    """Return the files below `root` as a git revision has them; raises `InvalidInput`.

    Content is what git stores: no line-end conversion and no filters.
    """
    commit = _resolve(root, revision)
    listing = git_or_raise(
        root, ["ls-tree", "-r", "-z", commit, "--", "."], f"The tree of {revision} cannot be listed."
    )
    entries = []
    for record in _records(listing):
        meta, path = record.split("\t", 1)
        mode, _, name = meta.split(" ")[:3]
        entries.append((path, mode, name))
    return _load(root, entries)


def staged_tree(root: str) -> Tree:
    """Return the files below `root` as git's index has them; raises `InvalidInput`, also in a merge."""
    listing = git_or_raise(root, ["ls-files", "--stage", "-z"], f"{root} is in no git repository.")
    entries = []
    for record in _records(listing):
        meta, path = record.split("\t", 1)
        mode, name, stage = meta.split(" ")
        if stage != "0":
            raise InvalidInput(f"{path} has an unresolved merge.", remedy="Resolve it first.")
        entries.append((path, mode, name))
    return _load(root, entries)


def tree_changes(root: str, before: Tree, after: Tree) -> EditSet:
    """Return the EditSet that turns one tree into another; raises `InvalidInput` for changed links."""
    changes = []
    for relative in sorted(before.keys() | after.keys()):
        old, new = before.get(relative), after.get(relative)
        if old == new:
            continue
        if (old is not None and old.link is not None) or (new is not None and new.link is not None):
            if old is not None and new is not None and old.link == new.link:
                continue
            raise InvalidInput(
                f"{relative} is a symbolic link that was added, removed or changed.",
                remedy="Commit the link first, and verify the rest.",
                code="link",
            )
        mode = _changed_mode(old, new)
        old_bytes = None if old is None else old.content
        new_bytes = None if new is None else new.content
        if old_bytes != new_bytes or mode is not None:
            changes.append(FileChange(os.path.join(root, relative), old_bytes, new_bytes, mode=mode))  # noqa: PTH118
    return EditSet(tuple(sorted(changes, key=lambda change: change.path)))


def changes_since(root: str, revision: str, current: Tree, listed: Sequence[str]) -> tuple[Tree, EditSet]:
    """Return the base tree and the changes from `revision` to `current`, the files as they are now.

    `listed` are the files that are not ignored. Files of `current` outside it are in both trees, since an
    ignored file (a generated module) is no change, and the tests may need it. Raises `InvalidInput`.
    """
    stored = tree_at(root, revision)
    _check_work_tree(root)
    base = as_written(root, stored, current)
    kept = _without(set(listed), _modules(root, revision)) | base.keys()
    return _with_ignored(base, current, kept), tree_changes(
        root, base, {name: file for name, file in current.items() if name in kept}
    )


def staged_changes(root: str, current: Tree, listed: Sequence[str]) -> tuple[Tree, EditSet]:
    """Return the base tree and the changes from `HEAD` to git's index; raises `InvalidInput`."""
    _check_work_tree(root)
    base, index = tree_at(root, "HEAD"), staged_tree(root)
    kept = _without(set(listed), _modules(root, "HEAD")) | base.keys() | index.keys()
    return _with_ignored(base, current, kept), tree_changes(root, base, index)


def range_changes(root: str, given: str, current: Tree, listed: Sequence[str]) -> tuple[Tree, EditSet]:
    """Return the base tree and the changes of a range: `A..B`, `A...B` (since both parted), or a branch.

    A branch is compared with the commit at which it left `HEAD`. Raises `InvalidInput`.
    """
    old, dots, new = given.partition("...")
    if not dots:
        old, dots, new = given.partition("..")
    if not dots:
        old, dots, new = "HEAD", "...", given
    ends = _resolve(root, old or "HEAD"), _resolve(root, new or "HEAD")
    start = _merge_base(root, ends, given) if dots == "..." else ends[0]
    base, head = tree_at(root, start), tree_at(root, ends[1])
    kept = _without(set(listed), _modules(root, start)) | base.keys() | head.keys()
    return _with_ignored(base, current, kept), tree_changes(root, base, head)


def _modules(root: str, revision: str) -> set[str]:
    """Return the folders below `root` that are submodules, in a revision or in the index."""
    found = set()
    for arguments in (
        ["ls-tree", "-r", "-z", _resolve(root, revision), "--", "."],
        ["ls-files", "--stage", "-z"],
    ):
        for record in _records(git(root, arguments) or b""):
            meta, path = record.split("\t", 1)
            if meta.startswith(_MODULE):
                found.add(path)
    return found


def _without(files: set[str], modules: set[str]) -> set[str]:
    """Return files but those in submodules, whose history is their own."""
    begins = tuple(f"{module}/" for module in modules)
    return {file for file in files if not file.startswith(begins)} if begins else files


def _check_work_tree(root: str) -> None:
    """Raise `InvalidInput` where git keeps no files beside its own, as if all had been deleted."""
    answer = git_or_raise(root, ["rev-parse", "--is-inside-work-tree"], f"{root} is in no git repository.")
    if answer.strip() != b"true":
        raise InvalidInput(
            f"{root} has no working files: it is a bare repository or git's own folder.",
            remedy="Clone it and verify the clone, or name commits with --range.",
        )


def _merge_base(root: str, ends: tuple[str, str], given: str) -> str:
    output = git_or_raise(
        root,
        ["merge-base", *ends],
        f"The ends of {given} have no commit in common; fetch more of the history.",
    )
    return output.decode("ascii", "replace").split()[0]


def _with_ignored(base: Tree, current: Tree, kept: set[str]) -> Tree:
    return {**{name: file for name, file in current.items() if name not in kept}, **base}


def _changed_mode(old: StagedFile | None, new: StagedFile | None) -> int | None:
    """Return new mode bits where the executable bit, the only one that git keeps, differs."""
    if new is None:
        return None
    was = 0 if old is None else old.mode & 0o100
    return new.mode if was != new.mode & 0o100 else None


def _resolve(root: str, revision: str) -> str:
    """Return the commit that a revision names; text that git could read as an option is refused."""
    problem = f"{revision!r} names no commit of {root}."
    if not _REVISION.fullmatch(revision):
        raise InvalidInput(problem, remedy="Give a branch, a tag or a commit.")
    name = git_or_raise(root, ["rev-parse", "--verify", "--quiet", f"{revision}^{{commit}}"], problem)
    return name.decode("ascii", "replace").strip()


def _records(listing: bytes) -> list[str]:
    records = (os.fsdecode(piece) for piece in listing.split(b"\0") if piece)
    return [r for r in records if not r.split("\t", 1)[1].startswith("../")]


def _load(root: str, entries: Sequence[tuple[str, str, str]]) -> Tree:
    """Read the blobs of all entries through one `git cat-file`; submodules are left out."""
    wanted = [entry for entry in entries if entry[1] != _MODULE]
    names = list(dict.fromkeys(name for _, _, name in wanted))
    if not names:
        return {}
    output = git_or_raise(
        root,
        ["cat-file", "--batch"],
        "Git's objects cannot be read.",
        "".join(f"{n}\n" for n in names).encode(),
    )
    blobs = _blobs(output)
    missing = [path for path, _, name in wanted if name not in blobs]
    if missing:
        raise InvalidInput(f"Git has no content of {missing[0]}.", remedy="Fetch the missing objects first.")
    return {path: _staged(mode, blobs[name]) for path, mode, name in wanted}


def _staged(mode: str, content: bytes) -> StagedFile:
    if mode == _LINK:
        return StagedFile(mode=0o777, link=os.fsdecode(content))
    return StagedFile(content, int(mode, 8) & 0o777)


def _blobs(output: bytes) -> Mapping[str, bytes]:
    """Read the answers of `git cat-file --batch`."""
    blobs: dict[str, bytes] = {}
    position = 0
    while position < len(output):
        end = output.index(b"\n", position)
        header = output[position:end].decode("ascii", "replace").split(" ")
        position = end + 1
        if len(header) == 3 and header[2].isdigit():
            size = int(header[2])
            blobs[header[0]] = output[position : position + size]
            position += size + 1
    return blobs
