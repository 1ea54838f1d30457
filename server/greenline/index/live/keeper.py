"""The one thread that writes the index: it looks at what changed, and at everything when it must.

Invariants: it writes only while the lease is held; the most urgent work comes first (open buffers, then what
changed on the disk, then a look at everything, then vectors, then maintenance); and long work
yields to searches between two files.
"""

# Paths are strings here: they are keys of the index, and `Path` would respell some of them.
# ruff: noqa: PTH119

from __future__ import annotations

import logging
import os
import threading
import time
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

import apsw
import attrs

from greenline.core.error import GreenlineError
from greenline.core.index_port import IndexState, IndexStatus
from greenline.index.generation import condemn
from greenline.index.indexer import Indexer, Progress
from greenline.index.live.batch import Batch
from greenline.index.live.buffer import OWN, Buffers
from greenline.index.live.root_watch import RootWatch
from greenline.index.scope import RULE_FILES, IndexGate, Scope
from greenline.index.vector import Embedder
from greenline.process.priority import lowered

_log = logging.getLogger(__name__)
_LOOK_S = 1.0
"""How often roots are looked for, and how long git is left alone after it wrote."""
_POLL_S = 2.0
_REST = 20
"""A look at everything is followed by a rest of so many times what it took."""
_RETRY_S = 5.0
_INTERRUPT_S = 2.0
"""How long a look at everything goes on at least before a save comes first."""
_EMBED_FILES = 20
_IDLE_S = 10.0
_YIELD_S = 0.2
_DAMAGED = (apsw.ConstraintError, apsw.CorruptError, apsw.NotADBError)
"""What no file that is whole leads to."""


@attrs.frozen
class Kept:
    """Which index is kept, and with what."""

    path: Path
    roots: tuple[str, ...]
    make_gate: Callable[[], IndexGate]
    """Makes the gate anew, since ignore files change."""
    embedder: Embedder | None = None


class _Over(Exception):
    """The lease is lost, or the process ends."""


class _Interrupted(Exception):
    """Something more urgent waits."""


class Keeper:
    """Keeps one index while it may; its methods may be called from any thread."""

    def __init__(self, kept: Kept, on_status: Callable[[IndexStatus], None]) -> None:
        """Tell `on_status`, on the keeper's thread, whenever the state or the progress changes."""
        self._kept = kept
        self._on_status = on_status
        self._changed = threading.Condition()
        self.batch = Batch(self._wake)
        self._buffers = Buffers()
        self._new_buffers: dict[str, str | None] = {}
        self._is_held = self._is_stopped = self._is_paused = False
        self._n_searching = 0
        self._n_taken = 0
        self._n_left = 0
        self._n_files = 0
        self._state: IndexState = "starting"
        self._problem = ""
        self._watch = RootWatch(self)
        self._must_watch = self._must_scan = True
        self._git_at: float | None = None
        self._scan_at = 0.0
        self._scan_s = 0.0
        self._may_interrupt_at: float | None = None
        self._has_vectors = False
        self._idle_since: float | None = None
        self._thread = threading.Thread(target=self._run, name="keep the index", daemon=True)

    # --- for other threads ------------------------------------------------------------------------------

    def start(self) -> None:
        """Begin to wait for the lease."""
        self._thread.start()

    def stop(self) -> None:
        """End after the file under way, with everything committed; returns when that is done."""
        self._is_stopped = True
        self._wake()
        self._thread.join()

    def hold(self, *, held: bool) -> None:
        """Say whether the lease is held."""
        if held != self._is_held:
            self._is_held = held
            self._wake()

    def rest(self, *, paused: bool) -> None:
        """Pause after the file under way, or go on."""
        self._is_paused = paused
        self._wake()

    def put_buffers(self, texts: Mapping[str, str | None], owner: int = OWN) -> None:
        """Let the texts of an editor's open buffers lie over the disk; None gives a path back to it."""
        with self._changed:
            self._new_buffers.update(self._buffers.put(texts, owner))
            self._changed.notify_all()

    def drop_buffers(self, owner: int) -> None:
        """Let the buffers of an editor that is gone lie over nothing any more."""
        with self._changed:
            self._new_buffers.update(self._buffers.drop(owner))
            self._changed.notify_all()

    def searching(self, step: int) -> None:
        """Say that a search begins (1) or ends (-1)."""
        with self._changed:
            self._n_searching += step
            self._changed.notify_all()

    def settle(self, timeout_s: float) -> None:
        """Wait until what is known to have changed is in the index, but no longer than `timeout_s`."""
        with self._changed:
            self._changed.wait_for(lambda: not self._is_busy(), timeout_s)

    def _is_busy(self) -> bool:
        """Return whether a change is known that is about to be in the index."""
        is_due = bool(self._new_buffers or self._n_taken or len(self.batch))
        return is_due and self._is_held and self._state == "ready"

    def status(self) -> IndexStatus:
        """Return how far the index is; of use while the lease is held."""
        n_pending = self._n_left + self._n_taken + len(self.batch) + len(self._new_buffers)
        state = self._state
        whole = self._n_files + n_pending
        is_blank = self._n_files == 0 and state in ("starting", "scanning")
        return IndexStatus(
            state=state,
            role="writer",
            completeness=0.0 if is_blank else self._n_files / whole if whole else 1.0,
            n_files=self._n_files,
            n_pending=n_pending,
            watching=self._watch.mode,
            note=self._problem or self._watch.note,
        )

    # --- what a watch tells -----------------------------------------------------------------------------

    def on_paths(self, paths: Iterable[str]) -> None:
        """Look at these soon."""
        self.batch.add(paths)

    def on_lost(self) -> None:
        """Look at everything."""
        self._must_watch = True
        self._wake()

    def on_git(self, root: str) -> None:
        """Look at everything once git is done."""
        self._git_at = time.monotonic() + _LOOK_S
        self._wake()

    def on_limit(self, problem: str) -> None:
        """Look now and then from here on."""
        self._watch.refuse(problem)
        self._must_watch = True
        self._wake()

    # --- the thread -------------------------------------------------------------------------------------

    def _run(self) -> None:
        with lowered():
            self._wait_and_lead()

    def _wait_and_lead(self) -> None:
        while not self._is_stopped:
            with self._changed:
                self._changed.wait_for(lambda: self._is_stopped or self._is_held)
            try:
                self._lead()
            except _Over:
                _log.info("the index is not kept here any more")
            except (GreenlineError, apsw.Error, OSError) as error:
                _log.exception("the index %s cannot be kept", self._kept.path)
                self._problem = f"The index cannot be kept: {error}"
                self._say("failed")
                if isinstance(error, _DAMAGED):
                    condemn(self._kept.path)
                with self._changed:
                    self._changed.wait_for(lambda: self._is_stopped, _RETRY_S)

    def _lead(self) -> None:
        """Keep the index until that is over."""
        self._between()
        self._say("starting")
        kept = self._kept
        indexer = Indexer(kept.path, kept.roots, kept.make_gate(), kept.embedder)
        indexer.pause = self._between
        indexer.on_listed = self._watch.keep
        self._must_watch = self._must_scan = True
        self._scan_at = 0.0
        self._problem = ""
        self._has_vectors = False
        self._count(indexer)
        with self._changed:
            self._new_buffers = {**self._new_buffers, **self._buffers.all()}
        try:
            while True:
                self._between()
                try:
                    self._step(indexer)
                except _Interrupted:
                    continue
                finally:
                    self._may_interrupt_at = None
                    with self._changed:
                        self._n_taken = 0
                        self._changed.notify_all()
        finally:
            self._watch.end()
            indexer.close()

    def _step(self, indexer: Indexer) -> None:
        """Do the most urgent thing, or wait until there is one."""
        now = time.monotonic()
        if self._new_buffers:
            self._take_buffers(indexer)
        elif self.batch.due_in() == 0:
            self._update(indexer, self.batch.take())
        elif self._must_watch:
            self._must_watch, self._must_scan = False, True
            self._watch.open(indexer.scope)
        elif self._scan_is_due(now):
            self._scan(indexer)
        elif not self._has_vectors:
            self._may_interrupt_at = 0.0
            self._has_vectors = indexer.embed_pending(_EMBED_FILES)
        elif self._idle_since is not None and now - self._idle_since > _IDLE_S:
            self._idle_since = None
            indexer.maintain()
        else:
            self._say("ready")
            self._wait()
            self._look_for_roots()

    def _wait(self) -> None:
        with self._changed:
            due = self.batch.due_in()
            if self._new_buffers or self._is_stopped or self._must_watch or self._must_scan:
                return
            self._changed.wait(_LOOK_S if due is None else min(due, _LOOK_S))

    def _take_buffers(self, indexer: Indexer) -> None:
        with self._changed:
            texts, self._new_buffers = self._new_buffers, {}
        self._n_taken = len(texts)
        indexer.set_buffers(texts)
        self._done(indexer)

    def _update(self, indexer: Indexer, paths: list[str]) -> None:
        self._n_taken = len(paths)
        if any(os.path.basename(path) in RULE_FILES for path in paths):
            # What is ignored changes with it, and so do the folders to watch; the look at everything follows.
            indexer.scope = Scope(self._kept.roots, self._kept.make_gate())
            self._must_watch = True
            self._scan_at = 0.0
            return
        self._watch.reread()
        wanted = [path for path in paths if self._is_wanted(indexer, path)]
        if wanted:
            indexer.update(wanted)
            self._done(indexer)

    def _is_wanted(self, indexer: Indexer, path: str) -> bool:
        """Return whether a path may belong to the index; what is ignored changes often, while tests run."""
        located = indexer.scope.locate(path)
        if located is None:
            return False
        root, relative = located
        if relative == ".":
            self._look_for_roots()
            return False
        if os.path.basename(relative) == ".git":
            self._must_watch = True
            return False
        return not self._watch.ignores(root, relative) or indexer.knows(root, relative)

    def _look_for_roots(self) -> None:
        if self._watch.roots_changed():
            self._must_watch = True
            self._scan_at = 0.0

    def _scan_is_due(self, now: float) -> bool:
        if self._must_scan and now >= self._scan_at:
            return True
        rested = now >= self._scan_at + self._scan_s * _REST
        if self._git_at is not None and now >= self._git_at and rested:
            return True
        return self._watch.mode == "polling" and now >= self._scan_at + max(_POLL_S, self._scan_s * _REST)

    def _scan(self, indexer: Indexer) -> None:
        """Compare all files with the index."""
        began = time.monotonic()
        is_first = self._must_scan
        self._may_interrupt_at = began + _INTERRUPT_S
        self._git_at = None
        if is_first:
            self._say("scanning")

        def show(progress: Progress) -> None:
            self._n_left = progress.n_total - progress.n_done
            self._count(indexer)
            self._say("scanning")

        self._must_scan = True
        report = indexer.scan(show)
        self._must_scan = False
        self._n_left = 0
        self._scan_at = time.monotonic()
        if not report.paths:
            # What is read takes its time once; only looking is done again and again.
            self._scan_s = self._scan_at - began
        self._count(indexer)
        if report.paths or is_first:
            self._has_vectors = False
            self._idle_since = self._scan_at

    def _done(self, indexer: Indexer) -> None:
        self._n_taken = 0
        self._count(indexer)
        self._idle_since = time.monotonic()

    def _count(self, indexer: Indexer) -> None:
        self._n_files = int(indexer.store.connection.execute("SELECT count(*) FROM files WHERE live").get)

    # --- between two files ------------------------------------------------------------------------------

    def _between(self) -> None:
        """Stop, rest or yield where that is asked for."""
        # A save is soon through, and whoever searches may be looking for it: only long work yields.
        if self._is_paused or (self._n_searching and self._may_interrupt_at is not None):
            self._yield()
        if self._is_stopped or not self._is_held:
            raise _Over
        if self._may_interrupt_at is None or time.monotonic() < self._may_interrupt_at:
            return
        if self._new_buffers or self.batch.due_in() == 0:
            raise _Interrupted

    def _yield(self) -> None:
        before = self._state
        if self._is_paused:
            self._say("paused")
        with self._changed:
            self._changed.wait_for(lambda: not self._n_searching, _YIELD_S)
            self._changed.wait_for(lambda: not self._is_paused or self._is_stopped or not self._is_held)
        self._say(before)

    # --- helpers ----------------------------------------------------------------------------------------

    def _say(self, state: IndexState) -> None:
        if state != self._state or state == "scanning":
            self._state = state
            self._on_status(self.status())

    def _wake(self) -> None:
        with self._changed:
            self._changed.notify_all()
