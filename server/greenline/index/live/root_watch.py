"""The roots of a workspace as they are watched: which are there, what is left out, how changes show."""

# Paths are strings here: they are keys of the index, and `Path` would respell some of them.
# ruff: noqa: PTH116, PTH118, PTH120

from __future__ import annotations

import logging
import os
from collections.abc import Sequence
from typing import Literal

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
        self._kept: dict[str, frozenset[str]] = {}
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
        self._rules = {root: IgnoreRules(root) for root in scope.roots}

        def left_out(path: str) -> bool:
            located = scope.locate(path)
            if located is None:
                return True
            root, relative = located
            if relative in self._kept.get(root, ()):
                return False
            return is_skipped_folder(path) or self._rules[root].matches(relative, folder=True)

        self._present = {root: _identity(root) for root in scope.roots}
        if not self._refused:
            present = [root for root in scope.roots if self._present[root] is not None]
            try:
                self._watch = open_watch(present, self._hearer, left_out)
            except Unwatchable as error:
                self.refuse(str(error))

    def reread(self) -> None:
        """Ask the ignore files anew from here on: some come and go with a folder that is moved."""
        self._rules = {root: IgnoreRules(root) for root in self._rules}

    def refuse(self, problem: str) -> None:
        """Note that the system gives no more watches; the next `open` watches nothing."""
        self._refused = problem
        _log.warning("%s", problem)

    def keep(self, root: str, files: Sequence[str]) -> None:
        """Watch the folders of a root's files, whatever the rules say: git tracks some that they name.

        These files and folders are not ignored from then on, until the next call says what the root has.
        """
        folders: set[str] = set()
        for file in files:
            folder = os.path.dirname(file)
            while folder and folder not in folders:
                folders.add(folder)
                folder = os.path.dirname(folder)
        # What `came` asks on the watch's thread is always whole, and is known before anything is watched.
        self._kept[root] = frozenset(folders).union(files)
        if self._watch is not None:
            self._watch.add(os.path.join(root, folder) for folder in sorted(folders))

    def ignores(self, root: str, relative: str) -> bool:
        """Return whether the ignore files of a root name a path that git does not track all the same."""
        if relative in self._kept.get(root, ()):
            return False
        rules = self._rules.get(root)
        return rules is not None and rules.ignored(relative)

    def roots_changed(self) -> bool:
        """Return whether a root was deleted, moved away, replaced or brought back since `open`."""
        return any(_identity(root) != known for root, known in self._present.items())

    def end(self) -> None:
        """Watch nothing any more, and try again at the next `open`."""
        self._close()
        self._refused = ""
        self._kept = {}
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
