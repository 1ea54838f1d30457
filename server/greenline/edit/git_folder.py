"""Tells whether a file is one of git's own records, whatever name leads there: a write could run code.

`.git` may be a folder, a link to one, or a file that names one; a folder that git would take for its own
counts too, as a `.git` elsewhere may lead to it.
"""

# Paths are strings here, as in the roots that they are compared with.
# ruff: noqa: PTH112, PTH113, PTH114, PTH118, PTH120, PTH123

from __future__ import annotations

import os
from collections.abc import Iterator

from greenline.workspace.root import Located

_READ = 4096
_KEPT = ("objects", "refs")
"""Folders that git's own has, beside its `HEAD`."""


def is_of_git(located: Located) -> bool:
    """Return whether an edit of a path would go to what git keeps."""
    root = os.path.normpath(located.root)
    for path in (located.path, located.target):
        if ".git" in path[len(root) :].lower().split("/"):
            return True
    real = os.path.realpath(located.target)
    real_root = os.path.realpath(root)
    for folder in _above(real, real_root):
        if folder != real_root and _is_git_folder(folder):
            return True
        own = _named(folder)
        if own is not None and own != real_root and real.startswith(f"{own}/"):
            return True
    return False


def _above(path: str, root: str) -> Iterator[str]:
    """Yield the folders that a path lies in, up to the root."""
    folder = os.path.dirname(path)
    while folder.startswith(root):
        yield folder
        if folder in (root, "/"):
            return
        folder = os.path.dirname(folder)


def _is_git_folder(folder: str) -> bool:
    is_one = os.path.lexists(os.path.join(folder, "HEAD"))
    return is_one and all(os.path.isdir(os.path.join(folder, name)) for name in _KEPT)


def _named(folder: str) -> str | None:
    """Return the folder that `.git` of a folder leads to by a link or a file; None where it does not."""
    path = os.path.join(folder, ".git")
    if os.path.islink(path):
        return os.path.realpath(path)
    if not os.path.isfile(path):
        return None
    try:
        with open(path, encoding="utf-8", errors="surrogateescape") as file:
            said = file.read(_READ)
    except OSError:
        return None
    name = said.partition("gitdir:")[2].strip()
    return os.path.realpath(os.path.join(folder, name)) if name and "\0" not in name else None
