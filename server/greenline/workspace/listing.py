"""Which files a root holds: git's word where there is git, its ignore files where there is none."""

# Paths are strings here: they are keys of the overlay, and `Path` would respell some of them.
# ruff: noqa: PTH112, PTH113, PTH114, PTH118, PTH119

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence

import attrs

from greenline.workspace.git import git_paths
from greenline.workspace.ignore import IgnoreRules

SKIPPED_FOLDERS = frozenset(
    {
        ".git",
        ".hg",
        ".svn",
        ".venv",
        "node_modules",
        "__pycache__",
        ".tox",
        ".nox",
        ".mypy_cache",
        ".pytest_cache",
        ".ruff_cache",
        ".hypothesis",
    }
)
"""Folders that are environments, caches or version control; never listed or staged unless tracked."""


@attrs.frozen
class Listing:
    """The files of a root, relative with `/`, by how git sees them."""

    tracked: frozenset[str]
    """In git's index and on disk; empty where there is no git."""
    untracked: frozenset[str]
    """Not ignored and not tracked; without git, all that the ignore files let through."""

    @property
    def files(self) -> frozenset[str]:
        """All files that are not ignored."""
        return self.tracked | self.untracked


def list_root(root: str, roots: Sequence[str] = ()) -> Listing:
    """List a root's files and links; starts git with nothing of the workspace's configuration.

    `roots` are all roots of the workspace: no program in one of them is started.
    """
    tracked = git_paths(root, ["ls-files", "-z", "--cached"], roots)
    others = git_paths(root, ["ls-files", "-z", "--others", "--exclude-standard"], roots)
    if tracked is None or others is None:
        return Listing(frozenset(), frozenset(_visible(root, IgnoreRules(root))))
    all_roots = (root, *roots)
    present = frozenset(p for p in _expand(root, tracked, all_roots))
    skipped: dict[str, bool] = {}
    untracked = (p for p in _expand(root, others, all_roots) if not _in_skipped(root, p, skipped))
    return Listing(present, frozenset(untracked) - present)


def walk(root: str) -> Iterator[str]:
    """Yield every file and link below a root, relative with `/`, without environments, caches and `.git`.

    Links are never followed; sockets, pipes and devices are left out. No tree is too deep.
    """
    folders = [""]
    while folders:
        below = folders.pop()
        for entry in _entries(os.path.join(root, below) if below else root):
            relative = f"{below}/{entry.name}" if below else entry.name
            if entry.is_symlink():
                if entry.name not in SKIPPED_FOLDERS:
                    yield relative
            elif entry.is_dir(follow_symlinks=False):
                if not is_skipped_folder(entry.path):
                    folders.append(relative)
            elif entry.is_file(follow_symlinks=False):
                yield relative


def _visible(root: str, rules: IgnoreRules) -> Iterator[str]:
    """Yield what the rules let through; an ignored folder is not entered."""
    folders = [""]
    while folders:
        below = folders.pop()
        for entry in _entries(os.path.join(root, below) if below else root):
            relative = f"{below}/{entry.name}" if below else entry.name
            folder = entry.is_dir(follow_symlinks=False)
            if rules.matches(relative, folder=folder) or (folder and is_skipped_folder(entry.path)):
                continue
            if folder:
                folders.append(relative)
            elif entry.is_file(follow_symlinks=False) or (
                entry.is_symlink() and entry.name not in SKIPPED_FOLDERS
            ):
                yield relative


def _entries(folder: str) -> list[os.DirEntry[str]]:
    """Return what a folder holds, sorted by name; nothing where it cannot be read."""
    try:
        with os.scandir(folder) as scan:
            return sorted(scan, key=lambda entry: entry.name)
    except OSError:
        return []


def is_skipped_folder(path: str) -> bool:
    """Return whether a folder is an environment, a cache or version control."""
    if os.path.basename(path) in SKIPPED_FOLDERS:
        return True
    return os.path.isfile(os.path.join(path, "pyvenv.cfg"))


def _expand(root: str, paths: list[str], roots: Sequence[str]) -> Iterator[str]:
    """Yield the paths that exist; a nested repository's files are listed in turn."""
    for path in paths:
        full = os.path.join(root, path)
        if os.path.islink(full) or os.path.isfile(full):
            yield path
        elif os.path.isdir(full):
            inner = path.rstrip("/")
            if os.path.lexists(os.path.join(full, ".git")):
                yield from (f"{inner}/{name}" for name in list_root(full, roots).files)


def _in_skipped(root: str, path: str, known: dict[str, bool]) -> bool:
    """Return whether one of a path's folders is skipped; `known` remembers folders."""
    parts = path.split("/")
    if parts[-1] in SKIPPED_FOLDERS:
        return True
    for count in range(1, len(parts)):
        folder = "/".join(parts[:count])
        if folder not in known:
            known[folder] = is_skipped_folder(os.path.join(root, folder))
        if known[folder]:
            return True
    return False
