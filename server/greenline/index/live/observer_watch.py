"""Watching by watchdog's own observer: for systems whose events cover a folder with all below it."""

# Paths are strings here: they are keys of the index, and `Path` would respell some of them.

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from pathlib import Path

from watchdog.events import FileSystemEvent, FileSystemEventHandler
from watchdog.observers import Observer

from greenline.index.live.watch import Hearer, Unwatchable
from greenline.workspace.listing import SKIPPED_FOLDERS

_SILENT = frozenset({"opened", "closed_no_write"})
_GIT_FILES = frozenset({"index", "HEAD"})


class ObserverWatch:
    """Watches whole roots; what lies in environments and caches is not told of."""

    def __init__(self, roots: Sequence[str], hearer: Hearer) -> None:
        self._observer = Observer()
        try:
            for root in roots:
                self._observer.schedule(_Handler(root, hearer), root, recursive=True)
            self._observer.start()
        except OSError as error:
            raise Unwatchable(f"The folders cannot be watched ({error.strerror}).") from error

    def add(self, folders: Iterable[str]) -> None:
        """Do nothing: all folders are watched."""

    def close(self) -> None:
        """Stop."""
        if self._observer.is_alive():
            self._observer.stop()
            self._observer.join()


class _Handler(FileSystemEventHandler):
    def __init__(self, root: str, hearer: Hearer) -> None:
        self._root = root
        self._hearer = hearer

    def on_any_event(self, event: FileSystemEvent) -> None:
        """Tell of both ends of a move; a folder that was only modified says nothing new."""
        if event.event_type in _SILENT or (event.is_directory and event.event_type == "modified"):
            return
        told = [path for end in (event.src_path, event.dest_path) if (path := self._told(os.fsdecode(end)))]
        if told:
            self._hearer.on_paths(told)

    def _told(self, path: str) -> str:
        parts = Path(path[len(self._root) :].strip(os.sep)).parts
        if not parts or parts[0] == ".git":
            if len(parts) == 2 and parts[1] in _GIT_FILES:
                self._hearer.on_git(self._root)
            return ""
        return "" if SKIPPED_FOLDERS.intersection(parts) else path
