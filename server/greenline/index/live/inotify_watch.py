"""Watching on Linux: one inotify instance, one watch for each folder that can hold files of the index.

watchdog's own recursive watch has no way to leave out environments and ignored folders, which hold most of a
workspace's folders and would use up the system's limit; its `InotifyFD` underneath takes folders one by one.
Runs its callbacks on watchdog's thread.
"""

# Paths are strings here: they are keys of the index, and `Path` would respell some of them.
# ruff: noqa: PTH112, PTH113, PTH118, PTH120, PTH123

from __future__ import annotations

import errno
import os
import threading
from collections.abc import Iterable, Iterator, Sequence
from itertools import count

from watchdog.observers.inotify_c import (
    CallbackId,
    InotifyConstants,
    InotifyEvent,
    InotifyFD,
    Mask,
    WatchDescriptor,
)

from greenline.index.live.watch import Hearer, LeftOut, Unwatchable

_MASK = Mask(
    InotifyConstants.IN_MODIFY
    | InotifyConstants.IN_ATTRIB
    | InotifyConstants.IN_CLOSE_WRITE
    | InotifyConstants.IN_MOVED_FROM
    | InotifyConstants.IN_MOVED_TO
    | InotifyConstants.IN_CREATE
    | InotifyConstants.IN_DELETE
    | InotifyConstants.IN_DELETE_SELF
    | InotifyConstants.IN_MOVE_SELF
    | InotifyConstants.IN_ONLYDIR
    | InotifyConstants.IN_DONT_FOLLOW
    | InotifyConstants.IN_EXCL_UNLINK
)
_GIT_MASK = Mask(InotifyConstants.IN_MOVED_TO | InotifyConstants.IN_CLOSE_WRITE | InotifyConstants.IN_ONLYDIR)
_CAME = InotifyConstants.IN_CREATE | InotifyConstants.IN_MOVED_TO
_WENT = InotifyConstants.IN_DELETE | InotifyConstants.IN_MOVED_FROM
_SELF = InotifyConstants.IN_DELETE_SELF | InotifyConstants.IN_MOVE_SELF
_GIT_FILES = frozenset({b"index", b"HEAD"})


class InotifyWatch:
    """Watches roots by inotify."""

    def __init__(self, roots: Sequence[str], hearer: Hearer, left_out: LeftOut) -> None:
        """Watch before returning; raises `Unwatchable`."""
        self._hearer = hearer
        self._left_out = left_out
        self._roots = frozenset(roots)
        self._folders: dict[str, tuple[WatchDescriptor, CallbackId]] = {}
        # A folder that is moved keeps its watch: under an id of its own the new path outlives the old one.
        self._ids = count()
        self._lock = threading.RLock()
        self._has_ended = False
        try:
            self._events = InotifyFD()
        except OSError as error:
            raise Unwatchable(_problem(error)) from error
        self._events.start()
        try:
            for root in roots:
                self._add_tree(root)
                self._add_git(root)
        except Unwatchable:
            self.close()
            raise

    def __len__(self) -> int:
        return len(self._folders)

    def add(self, folders: Iterable[str]) -> None:
        """Watch these folders too; those on the way to them are watched already, or added here."""
        try:
            for folder in folders:
                self._add(folder)
        except Unwatchable as limit:
            self._limit(limit)

    def close(self) -> None:
        """Watch nothing any more; idempotent."""
        if self._has_ended:
            return
        self._has_ended = True
        self._events.stop()
        if self._events is not threading.current_thread():
            self._events.join()

    # --- folders ----------------------------------------------------------------------------------------

    def came(self, path: str) -> None:
        """Watch a folder that is new, with all below it; what was raced is found by looking at the folder."""
        try:
            if not self._left_out(path):
                self._add_tree(path)
        except Unwatchable as limit:
            self._limit(limit)

    def went(self, path: str) -> None:
        """Forget a folder, with all below it; it may live on elsewhere."""
        prefix = path + os.sep
        with self._lock:
            gone = [folder for folder in self._folders if folder == path or folder.startswith(prefix)]
            removed = [self._folders.pop(folder) for folder in gone]
        if removed and not self._has_ended:
            self._events.remove_callbacks(removed)

    def forget(self, path: str, wd: WatchDescriptor) -> None:
        """Note that the system ended a watch."""
        with self._lock:
            known = self._folders.get(path)
            if known is not None and known[0] == wd:
                del self._folders[path]

    def _add_tree(self, top: str) -> None:
        waiting = [top]
        while waiting:
            folder = waiting.pop()
            # The watch comes before the look: what appears in between is told, and what was there is seen.
            # One that is watched already may have been added alone, without what lies below it.
            if self._add(folder):
                waiting.extend(path for path in _subfolders(folder) if not self._left_out(path))

    def _add(self, folder: str) -> bool:
        """Watch one folder, unless it is watched already; False where it is gone."""
        with self._lock:
            if folder in self._folders:
                return True
            id_ = self._next_id()
            try:
                wd = self._events.add_callback(os.fsencode(folder), _MASK, _Folder(self, folder), id_)
            except OSError as error:
                if error.errno in (errno.ENOSPC, errno.EMFILE, errno.ENOMEM):
                    raise Unwatchable(_problem(error)) from error
                return False
            if wd == -1:
                # No permission: what lies inside cannot be read either.
                return False
            self._folders[folder] = (wd, id_)
            return True

    def _add_git(self, root: str) -> None:
        folder = git_folder(root)
        if folder is None:
            return
        for path in (folder, os.path.join(folder, "info")):
            try:
                callback = _GitFolder(self._hearer, root)
                self._events.add_callback(os.fsencode(path), _GIT_MASK, callback, self._next_id())
            except OSError as error:
                if error.errno == errno.ENOSPC:
                    raise Unwatchable(_problem(error)) from error

    def _next_id(self) -> CallbackId:
        return CallbackId(next(self._ids))

    def _limit(self, limit: Unwatchable) -> None:
        if not self._has_ended:
            self._hearer.on_limit(str(limit))

    @property
    def hearer(self) -> Hearer:
        """Who is told."""
        return self._hearer


class _Folder:
    """Hears the events of one folder."""

    def __init__(self, watch: InotifyWatch, path: str) -> None:
        self._watch = watch
        self._path = path

    def on_event(self, event: InotifyEvent) -> None:
        """Tell of a file; follow folders that come and go."""
        if event.mask & _SELF:
            self._watch.hearer.on_paths([self._path])
            return
        if not event.name:
            return
        path = os.path.join(self._path, os.fsdecode(event.name))
        if event.mask & InotifyConstants.IN_ISDIR:
            if event.mask & _WENT:
                self._watch.went(path)
            elif event.mask & _CAME:
                self._watch.came(path)
            else:
                return
        self._watch.hearer.on_paths([path])

    def on_watch_deleted(self, wd: WatchDescriptor) -> None:
        """Forget the folder."""
        self._watch.forget(self._path, wd)

    def on_queue_overflow(self) -> None:
        """Say that events were lost."""
        self._watch.hearer.on_lost()


class _GitFolder:
    """Hears what happens in git's own folder."""

    def __init__(self, hearer: Hearer, root: str) -> None:
        self._hearer = hearer
        self._root = root

    def on_event(self, event: InotifyEvent) -> None:
        """Tell of the files that decide what is tracked and ignored."""
        if event.name in _GIT_FILES:
            self._hearer.on_git(self._root)
        elif event.name == b"exclude":
            # Other folders may have to be watched now.
            self._hearer.on_lost()

    def on_watch_deleted(self, wd: WatchDescriptor) -> None:
        """Do nothing: the folder above tells of it."""

    def on_queue_overflow(self) -> None:
        """Leave it to the folders."""


def git_folder(root: str) -> str | None:
    """Return git's own folder for a root, which may lie above it or elsewhere; None without git."""
    at = root
    while True:
        path = os.path.join(at, ".git")
        if os.path.isdir(path):
            return path
        if os.path.isfile(path):
            try:
                with open(path, encoding="utf-8", errors="surrogateescape") as file:
                    said = file.read(4096).strip()
            except OSError:
                return None
            return os.path.normpath(os.path.join(at, said.removeprefix("gitdir:").strip()))
        above = os.path.dirname(at)
        if above == at:
            return None
        at = above


def _subfolders(folder: str) -> Iterator[str]:
    try:
        with os.scandir(folder) as entries:
            yield from (entry.path for entry in entries if entry.is_dir(follow_symlinks=False))
    except OSError:
        return


def _problem(error: OSError) -> str:
    name = "fs.inotify.max_user_instances" if error.errno == errno.EMFILE else "fs.inotify.max_user_watches"
    return f"The system gives no more file watches; raise {name} with sysctl."
