"""What the folders that a container sees hold, as one hash: by what `stat` says, without reading a file.

Invariant: a file that was added, removed, replaced or written to changes the hash, whatever its times were
set to afterwards: the time of its last change is the kernel's own.
Of the system's folders, which a package manager looks after, only the upper levels, the places where
packages of Python and Node are installed, and the package manager's own records are looked at.
"""

# Paths are strings here: a project's environment has tens of thousands of files.
# ruff: noqa: PTH116

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Iterator

_SYSTEM = ("/usr", "/bin", "/lib", "/lib64")
_SYSTEM_LEVELS = 3
_PACKAGES = ("python3", "dist-packages", "site-packages", "node_modules")
"""How the names of folders begin that are looked at as a whole, wherever they lie in the system's."""
_RECORDS = ("/var/lib/dpkg/status", "/var/lib/rpm", "/lib/apk/db/installed", "/var/lib/pacman/local")
_CACHES = frozenset({"__pycache__"})
"""What a Python on the host writes beside its sources: made of them, and checked against them."""
_EVERYTHING = 1 << 30


def folders_fingerprint(folders: Iterable[str], modules: str = "") -> str:
    """Return the hash of what folders hold; `modules` is one of them whose lower levels never change."""
    digest = hashlib.blake2b(digest_size=20)
    for folder in sorted(set(folders)):
        levels = _EVERYTHING
        if folder in _SYSTEM:
            levels = _SYSTEM_LEVELS
        elif folder == modules:
            # Go's modules lie at `HOST/OWNER/NAME@VERSION`, and what a version holds is fixed by `go.sum`.
            levels = _SYSTEM_LEVELS
        digest.update(f"{folder}\0".encode("utf-8", "surrogateescape"))
        digest.update("\n".join(_facts(folder, levels)).encode("utf-8", "surrogateescape"))
    for record in _RECORDS:
        digest.update(f"\0{record}\0{_of_path(record)}".encode())
    return digest.hexdigest()


def _facts(folder: str, levels: int) -> Iterator[str]:
    """Yield a line for each file, link and folder below one, down to a number of levels.

    A folder says by its name alone that it is there, as long as its own content is looked at: its times
    change with every cache that is written into it.
    """
    left = [(folder, "", levels)]
    while left:
        path, below, levels = left.pop()
        for entry in _entries(path):
            name = below + entry.name
            if not entry.is_dir(follow_symlinks=False):
                yield f"{name}\0{_of_entry(entry)}"
            elif entry.name not in _CACHES:
                whole = entry.name.startswith(_PACKAGES)
                if levels > 1 or whole:
                    yield f"{name}/"
                    left.append((entry.path, f"{name}/", _EVERYTHING if whole else levels - 1))
                else:
                    yield f"{name}/\0{_of_entry(entry)}"


def _entries(path: str) -> list[os.DirEntry[str]]:
    """Return what a folder holds, sorted by name; nothing where it is gone or cannot be read."""
    try:
        with os.scandir(path) as scan:
            return sorted(scan, key=lambda entry: entry.name)
    except OSError:
        return []


def _of_entry(entry: os.DirEntry[str]) -> str:
    try:
        return _of_status(entry.stat(follow_symlinks=False))
    except OSError:
        # An installer that is at work removes what was listed a moment ago.
        return "none"


def _of_path(path: str) -> str:
    try:
        return _of_status(os.stat(path))
    except OSError:
        return "none"


def _of_status(status: os.stat_result) -> str:
    return (
        f"{status.st_mode:o} {status.st_size} {status.st_mtime_ns} {status.st_ctime_ns} "
        f"{status.st_ino} {status.st_dev}"
    )
