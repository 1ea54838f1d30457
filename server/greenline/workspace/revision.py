"""Trees that git holds: a revision's, and the one that is staged."""

from __future__ import annotations

import os

from greenline.core.error import InvalidInput
from greenline.core.port import StagedFile, Tree
from greenline.workspace.git import git_or_raise

_LINK = "120000"
_FILES = frozenset({"100644", "100755", "100664", _LINK})


def tree_at(root: str, revision: str) -> Tree:
    """Return the files of a revision below `root`; raises `InvalidInput` where git does not know it."""
    if revision.startswith("-"):
        raise InvalidInput(f"{revision} is no revision.", remedy="Name a commit, a branch or a tag.")
    problem = f"git cannot read the revision {revision!r} in {root}."
    listing = git_or_raise(root, ["ls-tree", "-r", "-z", "--end-of-options", revision], problem)
    found: dict[str, tuple[str, str]] = {}
    for record in filter(None, listing.split(b"\0")):
        head, _, name = record.partition(b"\t")
        mode, _, object_id = head.decode().split(" ")
        found[os.fsdecode(name)] = (mode, object_id)
    return _read(root, found)


def staged_tree(root: str) -> Tree:
    """Return the files of git's index below `root`; raises `InvalidInput` where there is no git."""
    listing = git_or_raise(root, ["ls-files", "-s", "-z"], f"git cannot read what is staged in {root}.")
    found: dict[str, tuple[str, str]] = {}
    for record in filter(None, listing.split(b"\0")):
        head, _, name = record.partition(b"\t")
        mode, object_id, stage = head.decode().split(" ")
        if stage != "0":
            raise InvalidInput(
                f"{os.fsdecode(name)} is in conflict.", remedy="Resolve it and stage it first."
            )
        found[os.fsdecode(name)] = (mode, object_id)
    return _read(root, found)


def _read(root: str, found: dict[str, tuple[str, str]]) -> Tree:
    """Read objects in one call; submodules are left out."""
    wanted = {path: item for path, item in found.items() if item[0] in _FILES}
    if not wanted:
        return {}
    ids = "".join(f"{object_id}\n" for _, object_id in wanted.values()).encode()
    output = git_or_raise(root, ["cat-file", "--batch"], f"git cannot read the objects of {root}.", ids)
    tree: dict[str, StagedFile] = {}
    position = 0
    for path, (mode, object_id) in wanted.items():
        end = output.index(b"\n", position)
        head = output[position:end].split(b" ")
        if head[-1] == b"missing":
            raise InvalidInput(f"git does not hold {object_id} ({path}).", remedy="Fetch the whole history.")
        size = int(head[2])
        content = output[end + 1 : end + 1 + size]
        position = end + 1 + size + 1
        if mode == _LINK:
            tree[path] = StagedFile(mode=0o777, link=os.fsdecode(content))
        else:
            tree[path] = StagedFile(content, 0o755 if mode == "100755" else 0o644)
    return tree
