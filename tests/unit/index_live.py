"""A live index over a folder of a test, and whether it says what one built from nothing says."""

from __future__ import annotations

import contextlib
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from index_dump import WordEmbedder, dump

from greenline.core.index_port import IndexStatus
from greenline.guard.gate import Gate
from greenline.index.indexer import Indexer
from greenline.index.live.keeper import Keeper, Kept
from greenline.index.schema import connect
from greenline.index.store import IndexStore

DEADLINE_S = 20.0


class Live:
    """A keeper that has the lease, and its roots."""

    def __init__(self, home: Path, *roots: Path, embedder: WordEmbedder | None = None) -> None:
        self.roots = [str(root) for root in roots]
        self.path = home / "index.db"
        self._home = home
        self._embedder = embedder
        self.told: list[IndexStatus] = []
        kept = Kept(self.path, tuple(self.roots), lambda: Gate(self.roots), embedder)
        self.keeper = Keeper(kept, self.told.append)
        self._n_fresh = 0

    def is_ready(self) -> bool:
        """Return whether nothing is left to do."""
        status = self.keeper.status()
        return status.state == "ready" and status.n_pending == 0

    def start(self) -> None:
        """Keep the index, and wait until it is whole."""
        self.keeper.start()
        self.keeper.hold(held=True)
        until(self.is_ready)

    def equals_fresh(self, buffers: dict[str, str] | None = None) -> bool:
        """Return whether the index says what a new one says of the files as they are."""
        self._n_fresh += 1
        path = self._home / f"fresh{self._n_fresh}.db"
        fresh = Indexer(path, self.roots, Gate(self.roots), self._embedder and WordEmbedder())
        try:
            fresh.scan()
            fresh.set_buffers(buffers or {})
            wanted = dump(fresh.store)
        finally:
            fresh.close()
        # Looking at the words takes a table of its own for a moment, which a reader may not make.
        store = IndexStore(self.path, connect(self.path, writable=True))
        try:
            return dump(store) == wanted
        except KeyError:
            # It was written between two questions; whoever waits asks again.
            return False
        finally:
            store.close()

    def files(self) -> list[str]:
        """Return the paths of the live files."""
        store = IndexStore(self.path)
        try:
            return [file.path for file in store.files()]
        finally:
            store.close()

    def defines(self, name: str) -> bool:
        """Return whether some live file defines a name."""
        store = IndexStore(self.path)
        try:
            return bool(store.symbols_named(name))
        finally:
            store.close()


@contextlib.contextmanager
def live(home: Path, *roots: Path, embedder: WordEmbedder | None = None) -> Iterator[Live]:
    """Keep the index of some folders while the block runs."""
    kept = Live(home, *roots, embedder=embedder)
    kept.start()
    try:
        yield kept
    finally:
        kept.keeper.stop()


def until(condition: Callable[[], bool], deadline_s: float = DEADLINE_S) -> None:
    """Poll a condition; fails where it does not come true."""
    end = time.monotonic() + deadline_s
    while not condition():
        assert time.monotonic() < end, "it did not come true in time"
        time.sleep(0.02)


def git(root: Path, *arguments: str) -> None:
    """Run the real git in a folder."""
    identity = ["-c", "user.name=t", "-c", "user.email=t@t.test", "-c", "commit.gpgsign=false"]
    subprocess.run(["git", *identity, *arguments], cwd=root, check=True, capture_output=True)
