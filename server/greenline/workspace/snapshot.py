"""A frozen view of the workspace: open buffers over the disk."""

# Paths are strings here: they are keys of the overlay, and `Path` would respell some of them.
# ruff: noqa: PTH115, PTH118

from __future__ import annotations

import errno
import os
import stat
from collections import Counter
from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import Protocol

import attrs

from greenline.core.error import EditRejected, InvalidInput, NotFound, OutsideWorkspace
from greenline.core.port import StagedFile, Tree
from greenline.workspace.document import OpenDocument
from greenline.workspace.encoding import TextFile, decode, encode
from greenline.workspace.listing import is_skipped_folder, list_root, walk
from greenline.workspace.regular import read_regular
from greenline.workspace.root import Located, locate

MAX_TREE_BYTES = 512 * 1024 * 1024
"""How much a staged tree may hold; the sandbox keeps it in memory."""
MAX_IGNORED_BYTES = 8 * 1024 * 1024
"""An ignored file is staged up to this size: generated modules are small, data sets and models are not."""


class StageGate(Protocol):
    """The part of the gate that staging asks."""

    def may_stage(self, relative: str) -> bool:
        """Return whether a file may enter a container."""


@attrs.frozen
class Snapshot:
    """The workspace as the editor sees it; holds the buffers by value and reads the disk when asked."""

    roots: tuple[str, ...]
    overlay: Mapping[str, OpenDocument] = attrs.field(factory=dict)
    """Absolute path → open document."""

    def locate(self, path: str) -> Located:
        """Return which root a path lies in; raises `OutsideWorkspace`."""
        return locate(path, self.roots)

    def read_bytes(self, path: str) -> bytes | None:
        """Return a file's bytes, the buffer's where it is open; None where there is no such file.

        A buffer's text is written in the encoding, and with the byte order mark, of its file on disk.
        """
        located = self.locate(path)
        document = self._document(located)
        disk = _read_regular(located.path)
        return disk if document is None else _encode_buffer(document.text, disk)

    def read_text(self, path: str) -> TextFile:
        """Return a file's text; raises `NotFound`, or `InvalidInput` (`binary`)."""
        data = self.read_bytes(path)
        if data is None:
            raise NotFound(f"There is no file {path}.", remedy="List the folder to see what is there.")
        return decode(data)

    def version(self, path: str) -> int | None:
        """Return the open buffer's version, or None where the file is not open."""
        document = self._document(self.locate(path))
        return None if document is None else document.version

    def list_files(self, root: str) -> list[str]:
        """Return a root's files that are not ignored, relative with `/`, sorted; open buffers included."""
        files = set(list_root(root, self.roots).files)
        files.update(relative for relative, _ in self._documents_in(root))
        return sorted(files)

    def tree(self, root: str, gate: StageGate, max_bytes: int = MAX_TREE_BYTES) -> Tree:
        """Return all that a container needs of a root: tracked, untracked and small ignored files.

        Links stay links; raises `InvalidInput` (`tooLarge`) where the files that are not ignored hold more
        than `max_bytes`. Ignored ones take what these leave, the smallest first.
        """
        listed = list_root(root, self.roots).files
        wanted: list[str] = []
        ignored: list[tuple[int, str]] = []
        sizes: Counter[str] = Counter()
        for relative in sorted(listed.union(walk(root))):
            path = os.path.join(root, relative)
            if not gate.may_stage(relative) or (status := _status(path)) is None:
                continue
            if relative in listed:
                # Counted before it is read: one file can be larger than the memory.
                sizes[relative.split("/", 1)[0]] += status.st_size
                if sizes.total() > max_bytes:
                    raise _too_large(root, sizes, max_bytes)
                wanted.append(relative)
            elif status.st_size <= MAX_IGNORED_BYTES:
                ignored.append((status.st_size, relative))
        wanted += _fitting(ignored, max_bytes - sizes.total())
        staged = ((relative, _stage(os.path.join(root, relative))) for relative in sorted(wanted))
        tree = {relative: file for relative, file in staged if file is not None}
        for relative, document in self._documents_in(root):
            if gate.may_stage(relative):
                old = tree.get(relative, StagedFile())
                disk = old.content if relative in tree else None
                tree[relative] = attrs.evolve(old, content=_encode_buffer(document.text, disk), link=None)
        return tree

    def _document(self, located: Located) -> OpenDocument | None:
        return self.overlay.get(located.path) or self._by_file.get(os.path.realpath(located.target))

    @cached_property
    def _by_file(self) -> dict[str, OpenDocument]:
        """The open documents by real path: an editor may spell a file another way than its root."""
        return {os.path.realpath(path): document for path, document in self.overlay.items()}

    def _documents_in(self, root: str) -> list[tuple[str, OpenDocument]]:
        """Return the open documents of a root by relative path; an empty buffer without a file is no file."""
        found = []
        for path, document in self.overlay.items():
            try:
                located = self.locate(path)
            except OutsideWorkspace:
                continue
            if located.root == root and not _in_environment(root, located.relative):
                target = os.path.relpath(located.target, os.path.normpath(root)).replace(os.sep, "/")
                if document.text or os.path.lexists(located.target):
                    found.append((target, document))
        return found


def _in_environment(root: str, relative: str) -> bool:
    parts = relative.split("/")
    return any(is_skipped_folder(os.path.join(root, *parts[:count])) for count in range(1, len(parts)))


def _encode_buffer(text: str, disk: bytes | None) -> bytes:
    """Write a buffer's text as its file is written; what that cannot hold becomes UTF-8, as editors do."""
    try:
        form = TextFile("") if disk is None else attrs.evolve(decode(disk), text="")
        return encode(attrs.evolve(form, text=text))
    except (EditRejected, InvalidInput):
        return text.encode("utf-8", "surrogatepass")


def _read_regular(path: str) -> bytes | None:
    """Read a file through links; None where it is missing, a folder, a pipe or a device."""
    try:
        return read_regular(path)
    except (FileNotFoundError, NotADirectoryError, IsADirectoryError):
        return None
    except OSError as error:
        if error.errno in (errno.ELOOP, errno.ENXIO):
            return None
        raise InvalidInput(
            f"{path} cannot be read: {error.strerror}.",
            remedy="Name a file that can be read, or change its permissions.",
            code="unreadable",
        ) from error


def _status(path: str) -> os.stat_result | None:
    """Return what is known of a regular file or a link; None where it is neither, or is gone."""
    try:
        status = os.lstat(path)
    except OSError:
        return None
    return status if stat.S_ISREG(status.st_mode) or stat.S_ISLNK(status.st_mode) else None


def _stage(path: str) -> StagedFile | None:
    """Return a file or link for the tree; None where it vanished or cannot be read."""
    try:
        status = os.lstat(path)
        if stat.S_ISLNK(status.st_mode):
            return StagedFile(mode=0o777, link=os.readlink(path))
        return StagedFile(read_regular(path), stat.S_IMODE(status.st_mode) & 0o777)
    except OSError:
        return None


def _fitting(files: list[tuple[int, str]], max_bytes: int) -> Iterator[str]:
    """Yield the files, given with their sizes, that fit together: as many as can be."""
    for size, relative in sorted(files):
        max_bytes -= size
        if max_bytes < 0:
            return
        yield relative


def _too_large(root: str, sizes: Mapping[str, int], max_bytes: int) -> InvalidInput:
    """Return an error that names the top folder, or file, that holds most."""
    largest = max(sizes, key=sizes.__getitem__)
    return InvalidInput(
        f"The files of {root} exceed {max_bytes // (1024 * 1024)} MB; {largest} alone holds "
        f"{sizes[largest] // (1024 * 1024)} MB.",
        remedy=f"Add {largest} to .gitignore, or open a smaller folder.",
        code="tooLarge",
    )
