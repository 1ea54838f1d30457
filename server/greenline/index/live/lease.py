"""Who may write the index: one process at a time, by a lease with a heartbeat in a small file beside it.

Invariant: a lease changes hands in one transaction, and only when its holder gave it back, is dead, or has
not renewed it for a while; a holder that finds another's name in it stops to write.
"""

from __future__ import annotations

import json
import logging
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import apsw
import attrs
import cattrs

from greenline.core.index_port import IndexStatus
from greenline.core.wire import from_json
from greenline.journal.owner import is_alive, process_owner

BEAT_S = 0.5
"""How often a holder renews its lease, and others look whether they can have it."""
STALE_S = 6.0
"""How long a lease that nobody renews is respected where its holder cannot be looked at."""
_BUSY_MS = 2000
_TABLE = (
    "CREATE TABLE IF NOT EXISTS lease (one INTEGER PRIMARY KEY CHECK (one = 1),"
    " host TEXT NOT NULL, owner TEXT NOT NULL, beat INTEGER NOT NULL, said TEXT NOT NULL)"
)
_PUT = "INSERT OR REPLACE INTO lease VALUES (1, ?, ?, ?, ?)"
_log = logging.getLogger(__name__)


@attrs.frozen
class Address:
    """Where other editors' workers call the holder of a lease."""

    name: str = ""
    """Of a socket; empty where there is none."""
    key: str = ""
    """What both sides prove to know, in hexadecimal digits."""


@attrs.frozen
class Said:
    """What a holder says of itself."""

    status: IndexStatus = attrs.field(factory=IndexStatus)
    door: Address = attrs.field(factory=Address)


@attrs.frozen
class Holder:
    """Who holds a lease."""

    host: str
    owner: str
    """Process id and start (`greenline.journal.owner`), and which of its leases."""
    beat: int
    said: str
    """What the holder last said of itself: a `Said` as JSON."""

    def what_it_said(self) -> Said:
        """Return what the holder said; nothing is known of what another version says."""
        try:
            return from_json(json.loads(self.said), Said)
        except (ValueError, TypeError, KeyError, cattrs.BaseValidationError):
            return Said()


class Lease:
    """One process's claim on an index; used by one thread."""

    def __init__(
        self, path: Path, clock: Callable[[], float] = time.monotonic, owner: str | None = None
    ) -> None:
        """Claim the index whose lease lies at `path`; takes nothing yet."""
        self._path = path
        self._clock = clock
        self._host = socket.gethostname()
        self._owner = process_owner() if owner is None else owner
        self._seen: tuple[str, str, int] | None = None
        self._seen_at = 0.0
        self._renewed_at = 0.0
        self._connection: apsw.Connection | None = None
        self.is_held = False
        """Whether the last `beat` had it."""
        self.holder: Holder | None = None
        """Who had it at the last `beat`, this process included."""

    def beat(self, said: str = "") -> bool:
        """Renew the lease, or take it where it is free; return whether it is held."""
        try:
            self.is_held = self._beat(said)
        except (apsw.Error, OSError) as error:
            _log.warning("the lease %s cannot be used: %s", self._path, error)
            self._close()
            # Nobody else can have taken it while it was not stale.
            self.is_held = self.is_held and self._clock() - self._renewed_at < STALE_S / 2
        return self.is_held

    def release(self) -> None:
        """Give the lease back, if it is held; idempotent."""
        try:
            if self.is_held:
                self._open().execute(
                    "DELETE FROM lease WHERE host = ? AND owner = ?", (self._host, self._owner)
                )
        except (apsw.Error, OSError) as error:
            _log.warning("the lease %s cannot be given back: %s", self._path, error)
        self.is_held = False
        self._close()

    def _beat(self, said: str) -> bool:
        connection = self._open()
        connection.execute("BEGIN IMMEDIATE")
        try:
            row = next(iter(connection.execute("SELECT host, owner, beat, said FROM lease")), None)
            holder = None if row is None else Holder(*row)
            if holder is None or self._may_replace(holder):
                beat = 0 if holder is None else holder.beat + 1
                self.holder = Holder(self._host, self._owner, beat, said)
                connection.execute(
                    "INSERT OR REPLACE INTO lease VALUES (1, ?, ?, ?, ?)", attrs.astuple(self.holder)
                )
                self._renewed_at = self._clock()
                mine = True
            else:
                self.holder = holder
                mine = False
        except BaseException:
            connection.execute("ROLLBACK")
            raise
        connection.execute("COMMIT")
        return mine

    def _may_replace(self, holder: Holder) -> bool:
        if (holder.host, holder.owner) == (self._host, self._owner):
            return True
        if holder.host == self._host and not is_alive(holder.owner):
            return True
        seen = (holder.host, holder.owner, holder.beat)
        if seen != self._seen:
            self._seen, self._seen_at = seen, self._clock()
        return self._clock() - self._seen_at >= STALE_S

    def _open(self) -> apsw.Connection:
        if self._connection is None:
            self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            # It holds the key to the door, whatever the folder's mode is; SQLite's own files follow its mode.
            self._path.touch(mode=0o600)
            connection = apsw.Connection(str(self._path))
            connection.set_busy_timeout(_BUSY_MS)
            try:
                # A heartbeat that a power cut loses is of no use afterwards.
                connection.execute("PRAGMA journal_mode = TRUNCATE; PRAGMA synchronous = OFF")
                connection.execute(_TABLE)
            except apsw.Error as error:
                connection.close()
                if isinstance(error, apsw.NotADBError | apsw.CorruptError):
                    self._path.unlink(missing_ok=True)
                raise
            self._connection = connection
        return self._connection

    def _close(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None


def lease_path(index: Path) -> Path:
    """Return where the lease of an index file lies."""
    return index.with_name(f"{index.name}.lease")


@contextmanager
def hold(index: Path) -> Iterator[Lease]:
    """Hold the lease of an index while the block runs, if nobody else does; a thread renews it."""
    lease = Lease(lease_path(index))
    ended = threading.Event()

    def renew() -> None:
        while not ended.wait(BEAT_S):
            lease.beat()
        lease.release()

    lease.beat()
    if not lease.is_held:
        yield lease
        lease.release()
        return
    thread = threading.Thread(target=renew, name="renew the lease", daemon=True)
    thread.start()
    try:
        yield lease
    finally:
        ended.set()
        thread.join()
