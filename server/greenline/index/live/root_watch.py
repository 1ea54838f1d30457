"""The roots of a workspace as they are watched: which are there, what is left out, how changes show."""

# Paths are strings here: they are keys of the index, and `Path` would respell some of them.
# ruff: noqa: PTH116, PTH118, PTH120

from __future__ import annotations

import logging
import os
from collections.abc import Iterable
from typing import Literal

from greenline.index.chunk import File
from greenline.index.live.watch import Hearer, Unwatchable, Watch, open_watch
from greenline.index.scope import Scope
from greenline.workspace.ignore import IgnoreRules
from greenline.workspace.listing import is_skipped_folder

_log = logging.getLogger(__name__)


class RootWatch:
    """Watches the roots of one scope at a time; used by the keeper's thread, but for `refuse`."""

    def __init__(self, hearer: Hearer) -> None:
        self._hearer = hearer
        self._watch: Watch | None = None
        self._rules: dict[str, IgnoreRules] = {}
        self._present: dict[str, tuple[int, int] | None] = {}
        self._refused = ""

    @property
    def mode(self) -> Literal["events", "polling", ""]:
        """How changes are noticed; empty while nothing is watched."""
        if self._watch is not None:
            return "events"
        return "polling" if self._refused else ""

    @property
    def note(self) -> str:
        """What is not as it should be."""
        missing = [root for root, identity in self._present.items() if identity is None]
        if missing:
            return f"The folder {missing[0]} is not there."
        return f"{self._refused} Changes are looked for every few seconds instead." if self._refused else ""

    def open(self, scope: Scope) -> None:
        """Watch the roots that are there, or note why that cannot be; closes what was watched before."""
        self._close()
        rules = self._rules = {root: IgnoreRules(root) for root in scope.roots}

        def left_out(path: str) -> bool:
            located = scope.locate(path)
            if located is None or is_skipped_folder(path):
                return True
            return rules[located[0]].matches(located[1], folder=True)

        self._present = {root: _identity(root) for root in scope.roots}
        if not self._refused:
            present = [root for root in scope.roots if self._present[root] is not None]
            try:
                self._watch = open_watch(present, self._hearer, left_out)
            except Unwatchable as error:
                self.refuse(str(error))

    def refuse(self, problem: str) -> None:
        """Note that the system gives no more watches; the next `open` watches nothing."""
        self._refused = problem
        _log.warning("%s", problem)

    def add(self, files: Iterable[File]) -> None:
        """Watch the folders of these files too: git tracks some in folders that the rules leave out."""
        if self._watch is None:
            return
        folders: set[str] = set()
        for file in files:
            folder = os.path.dirname(os.path.join(file.root, file.path))
            while folder not in folders and len(folder) >= len(file.root):
                folders.add(folder)
                folder = os.path.dirname(folder)
        self._watch.add(folders)

    def ignores(self, root: str, relative: str) -> bool:
        """Return whether the ignore files of a root name a path; git may track it all the same."""
        rules = self._rules.get(root)
        return rules is not None and rules.ignored(relative)

    def roots_changed(self) -> bool:
        """Return whether a root was deleted, moved away, replaced or brought back since `open`."""
        return any(_identity(root) != known for root, known in self._present.items())

    def end(self) -> None:
        """Watch nothing any more, and try again at the next `open`."""
        self._close()
        self._refused = ""
        self._present = {}

    def _close(self) -> None:
        watch, self._watch = self._watch, None
        if watch is not None:
            watch.close()


def _identity(root: str) -> tuple[int, int] | None:
    """Return what tells a folder from another one at the same path; None where there is none."""
    try:
        status = os.stat(root)
    except OSError:
        return None
    return (status.st_dev, status.st_ino)
