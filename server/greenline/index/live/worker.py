"""The index worker: keeps the index while it has the lease, and answers searches in any case.

Runs in a process of its own, over pipes; the front closing its pipe ends it.
"""

from __future__ import annotations

import gc
import json
import logging
import os
import threading
import time
from collections.abc import Callable, Mapping
from typing import Any, BinaryIO

import attrs

from greenline.core.cancel import Cancellation
from greenline.core.error import GreenlineError
from greenline.core.index_port import IndexAnswer, IndexStatus
from greenline.core.wire import to_json
from greenline.index.live.door import Door, Lender
from greenline.index.live.keeper import Keeper, Kept
from greenline.index.live.lease import BEAT_S, Address, Lease, Said, lease_path
from greenline.index.live.searcher import Finder, Searcher
from greenline.index.store import IndexStore
from greenline.process.priority import lowered
from greenline.process.server import PipeServer, take_pipes

_log = logging.getLogger(__name__)
_TELL_S = 0.25
"""Progress is told no oftener."""
_ANYTHING = "where does it begin"
_SETTLE_S = 0.15
"""How long a search waits for what was typed or saved just before."""
_LENT_S = 1.0
"""How long another editor's search may wait for what was typed there."""


def serve(kept: Kept, make_finder: Callable[[IndexStore], Finder]) -> int:
    """Serve the front on the real standard input and output until it goes away; return the exit code."""
    source, sink = take_pipes()
    IndexWorker(kept, sink, make_finder).run(source)
    logging.shutdown()
    os._exit(0)


class IndexWorker:
    """One process's part in keeping and searching one index."""

    def __init__(self, kept: Kept, sink: BinaryIO, make_finder: Callable[[IndexStore], Finder]) -> None:
        self._searcher = Searcher(kept.path, make_finder)
        self._keeper = Keeper(kept, self._tell)
        self._lease = Lease(lease_path(kept.path))
        self._door: Door | None = None
        self._lender = Lender()
        self._ended = threading.Event()
        self._telling = threading.Lock()
        self._told: IndexStatus | None = None
        self._told_at = 0.0
        self._is_warm = False
        self._pipe = PipeServer(
            {
                "search": self._search,
                "symbols": self._symbols,
                "status": lambda _, __: self.status(),
                "pause": lambda _, __: self._keeper.rest(paused=True),
                "resume": lambda _, __: self._keeper.rest(paused=False),
                "buffers": lambda params, _: self._put_buffers(params["texts"]),
                "changed": lambda params, _: self._keeper.on_paths(params["paths"]),
            },
            sink,
            "index",
        )

    def run(self, source: BinaryIO) -> None:
        """Serve lines until the pipe is closed; then commit what is read and give the lease back."""
        beating = threading.Thread(target=self._beat, name="renew the lease", daemon=True)
        self._keeper.start()
        beating.start()
        self._pipe.run(source)
        self._keeper.stop()
        self._ended.set()
        # A search that is under way only reads, and ends with the process.
        beating.join()

    def status(self) -> IndexStatus:
        """Return how far the index is, whoever keeps it."""
        if self._lease.is_held:
            return self._keeper.status()
        holder = self._lease.holder
        said = IndexStatus() if holder is None else holder.what_it_said().status
        return attrs.evolve(said, role="reader")

    def _beat(self) -> None:
        """Renew the lease, or try to get it, until the process ends."""
        while True:
            address = Address() if self._door is None else self._door.address
            held = self._lease.beat(json.dumps(to_json(Said(self._keeper.status(), address))))
            self._keeper.hold(held=held)
            self._meet(held=held)
            status = self.status()
            self._tell(status)
            if status.state == "ready" and not self._is_warm:
                self._is_warm = True
                threading.Thread(target=self._warm, name="warm the search", daemon=True).start()
            if self._ended.wait(BEAT_S):
                break
        self._lease.release()
        if self._door is not None:
            self._door.close()

    def _meet(self, *, held: bool) -> None:
        """Hear what other editors have open while the index is written here, or call at whoever writes it."""
        holder = self._lease.holder
        if not held and holder is not None:
            self._lender.call_at(holder.what_it_said().door)
            return
        self._lender.call_at(Address())
        if held and self._door is None:
            self._door = Door(self._take_lent, self._keeper.drop_buffers)

    def _put_buffers(self, texts: Mapping[str, str | None]) -> None:
        self._keeper.put_buffers(texts)
        self._lender.put(texts)

    def _take_lent(self, caller: int, texts: Mapping[str, str | None]) -> None:
        self._keeper.put_buffers(texts, caller)
        self._keeper.settle(_LENT_S)

    def _settle(self) -> None:
        """Wait a moment for what is known to have changed, here or at whoever writes the index."""
        self._keeper.settle(_SETTLE_S)
        self._lender.settle(_SETTLE_S)

    def _warm(self) -> None:
        """Read what searches need besides the index, such as git's history, before somebody waits for it."""
        try:
            with lowered():
                self._searcher.search(_ANYTHING, 1, (), "")
                # What is there now stays: a collection in the middle of a search need not look at it again.
                gc.collect()
                gc.freeze()
        except GreenlineError as error:
            _log.info("the search could not be warmed: %s", error)

    def _tell(self, status: IndexStatus) -> None:
        now = time.monotonic()
        with self._telling:
            told = self._told
            is_progress = told is not None and (told.state, told.role) == (status.state, status.role)
            if status == told or (is_progress and now - self._told_at < _TELL_S):
                return
            self._told, self._told_at = status, now
            self._pipe.tell({"status": to_json(status)})

    def _search(self, params: dict[str, Any], _: Cancellation) -> IndexAnswer:
        self._settle()
        status = self.status()
        self._keeper.searching(1)
        try:
            hits = self._searcher.search(params["query"], params["limit"], params["kinds"], params["glob"])
        finally:
            self._keeper.searching(-1)
        return IndexAnswer(tuple(hits), status.completeness, _note(status))

    def _symbols(self, params: dict[str, Any], _: Cancellation) -> list[Any]:
        self._settle()
        self._keeper.searching(1)
        try:
            return [*self._searcher.symbols(params["query"], params["limit"])]
        finally:
            self._keeper.searching(-1)


def _note(status: IndexStatus) -> str:
    """Return what a search should say of the index that it ran on."""
    if status.state == "failed":
        return status.note
    if status.completeness < 1:
        share = f"{min(status.completeness, 0.99):.0%}"
        return f"The index was {share} complete: {status.n_pending or 'more'} files were still to be read."
    if status.state in ("starting", "scanning"):
        return "The files were still being compared with the index."
    return ""
