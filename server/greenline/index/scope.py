"""Which files of the workspace belong to the index: as git lists them, and as the one gate lets through."""

# Paths are strings here: they are keys of the index, and `Path` would respell some of them.
# ruff: noqa: PTH110, PTH112, PTH114, PTH118

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Sequence
from typing import Protocol

import attrs

from greenline.index.chunk import SkipReason
from greenline.index.source import Refused, too_large
from greenline.workspace.git import git_paths
from greenline.workspace.ignore import IgnoreRules
from greenline.workspace.listing import SKIPPED_FOLDERS, is_skipped_folder, list_root
from greenline.workspace.root import relative_to

RULE_FILES = frozenset({".gitignore", ".greenlineignore", "pyvenv.cfg"})
"""A change of one of these can change what belongs to the index anywhere below."""
_MAX_ASKED = 400


class IndexGate(Protocol):
    """The part of the one gate that the index asks."""

    def refusal(self, root: str, relative: str) -> str | None:
        """Return `secret` or `ignored` for a listed file that is withheld, or None."""


@attrs.frozen
class Disk:
    """What the disk says of a file without reading it; any change of the file changes it."""

    size: int
    mtime_ns: int
    ctime_ns: int
    inode: int


UNKNOWN = Disk(-1, -1, -1, -1)
"""Never equal to a file's: its content has to be read to know."""


@attrs.frozen
class Found:
    """A file of the workspace, to be read or refused."""

    path: str
    """Relative to its root, with `/`."""
    disk: Disk
    refused: Refused | None = None


class Scope:
    """The workspace's folders; a folder inside another one owns its files."""

    def __init__(self, roots: Sequence[str], gate: IndexGate) -> None:
        self.roots = tuple(dict.fromkeys(os.path.normpath(root) for root in roots))
        self._gate = gate

    def locate(self, path: str) -> tuple[str, str] | None:
        """Return the innermost root that holds an absolute path, and the path in it; follows no links."""
        normal = os.path.normpath(path)
        for root in sorted(self.roots, key=len, reverse=True):
            relative = relative_to(normal, root)
            if relative is not None:
                return root, relative
        return None

    def list(self, root: str) -> list[str]:
        """Return a root's files that are not ignored, relative to it and sorted."""
        inner = self._inner(root)
        return sorted(path for path in list_root(root, self.roots).files if not path.startswith(inner))

    def listed(self, root: str, relatives: Iterable[str]) -> set[str]:
        """Return which of these paths, files or folders, or files below them, are not ignored.

        Asks git for these alone where they are few and lie in no repository of their own.
        """
        asked = list(dict.fromkeys(relatives))
        if not asked:
            return set()
        inner = self._inner(root)
        return {path for path in self._listed(root, asked) if not path.startswith(inner)}

    def _listed(self, root: str, asked: Sequence[str]) -> set[str]:
        if len(asked) <= _MAX_ASKED and not any(self._in_nested(root, path) for path in asked):
            cached = git_paths(root, ["ls-files", "-z", "--cached", "--", *asked], self.roots)
            others = git_paths(
                root, ["ls-files", "-z", "--others", "--exclude-standard", "--", *asked], self.roots
            )
            if cached is not None and others is not None:
                found = {*cached, *(path for path in others if not self._in_environment(root, path))}
                # A folder in git's answer is a repository of its own, which lists its files itself.
                if not any(_is_folder(os.path.join(root, path)) for path in found):
                    return found
        files = list_root(root, self.roots).files
        wanted = {path for path in asked if path in files}
        folders = tuple(f"{path}/" for path in asked if path not in files)
        if "." in asked:
            return set(files)
        return wanted | {path for path in files if path.startswith(folders)}

    def look(self, root: str, relative: str) -> Found | None:
        """Return what the disk and the gate say of a listed file; None where there is no such file."""
        full = os.path.join(root, relative)
        try:
            status = os.lstat(full)
        except OSError:
            return None
        disk = Disk(status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_ino)
        reason = self._gate.refusal(root, relative)
        if reason is not None:
            return Found(relative, disk, Refused(SkipReason(reason)))
        if stat.S_ISLNK(status.st_mode):
            # Where it leads may change without the link: `describe_link` says it when it is asked.
            return Found(relative, disk, Refused(SkipReason.LINK, "links are not followed"))
        if not stat.S_ISREG(status.st_mode):
            return None
        return Found(relative, disk, too_large(status.st_size))

    def may_buffer(self, root: str, relative: str) -> bool:
        """Return whether an open buffer may be indexed where no file is, as a new one there would be."""
        if os.path.lexists(os.path.join(root, relative)) or self._is_behind_link(root, relative):
            return False
        if self._gate.refusal(root, relative) or self._in_environment(root, relative):
            return False
        return not IgnoreRules(root).ignored(relative)

    def describe_link(self, full: str) -> Refused:
        """Say where a link leads; links are never followed, so that each real file is indexed once."""
        if not os.path.exists(full):
            return Refused(SkipReason.LINK, "it leads nowhere")
        target = os.path.realpath(full)
        if os.path.isdir(target):
            return Refused(SkipReason.LINK, "it leads to a folder")
        for root in self.roots:
            relative = relative_to(target, os.path.realpath(root))
            if relative is not None:
                return Refused(SkipReason.ALIAS, relative)
        return Refused(SkipReason.LINK, "it leads out of the workspace")

    def _in_nested(self, root: str, relative: str) -> bool:
        """Return whether a path lies in (or is) a repository of its own below the root."""
        parts = relative.split("/")
        return relative != "." and any(
            os.path.lexists(os.path.join(root, *parts[:count], ".git")) for count in range(1, len(parts) + 1)
        )

    def _in_environment(self, root: str, relative: str) -> bool:
        parts = relative.split("/")
        return parts[-1] in SKIPPED_FOLDERS or any(
            is_skipped_folder(os.path.join(root, *parts[:count])) for count in range(1, len(parts))
        )

    def _is_behind_link(self, root: str, relative: str) -> bool:
        parts = relative.split("/")
        return any(os.path.islink(os.path.join(root, *parts[:count])) for count in range(1, len(parts)))

    def _inner(self, root: str) -> tuple[str, ...]:
        """Return the folders of a root that are roots of their own, each with a `/` at its end."""
        found = (relative_to(other, root) for other in self.roots)
        return tuple(f"{relative}/" for relative in found if relative not in (None, "."))


def _is_folder(path: str) -> bool:
    return os.path.isdir(path) and not os.path.islink(path)
