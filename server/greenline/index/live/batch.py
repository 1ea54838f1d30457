"""Paths that changed, gathered until they are quiet: a save is soon through, a branch switch is one batch."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable

QUIET_S = 0.025
"""An editor's save is several events within a few milliseconds."""
LONGEST_S = 0.09
"""A change waits no longer than this, however many follow."""
STORM = 50
"""So many paths are no save any more."""
STORM_QUIET_S = 0.1
STORM_LONGEST_S = 2.0


class Batch:
    """Gathers paths; may be used from any thread."""

    def __init__(
        self, wake: Callable[[], None] = lambda: None, clock: Callable[[], float] = time.monotonic
    ) -> None:
        """Call `wake` whenever there is something new to wait for."""
        self._wake = wake
        self._clock = clock
        self._lock = threading.Lock()
        self._paths: dict[str, None] = {}
        self._first = self._last = 0.0

    def __len__(self) -> int:
        return len(self._paths)

    def add(self, paths: Iterable[str]) -> None:
        """Note that paths changed."""
        with self._lock:
            now = self._clock()
            if not self._paths:
                self._first = now
            self._last = now
            self._paths.update(dict.fromkeys(paths))
        self._wake()

    def due_in(self) -> float | None:
        """Return the seconds until the batch is due; None where it is empty."""
        with self._lock:
            if not self._paths:
                return None
            storm = len(self._paths) > STORM
            quiet, longest = (STORM_QUIET_S, STORM_LONGEST_S) if storm else (QUIET_S, LONGEST_S)
            return max(0.0, min(self._last + quiet, self._first + longest) - self._clock())

    def take(self) -> list[str]:
        """Return the paths, in the order in which they first changed, and begin anew."""
        with self._lock:
            paths, self._paths = list(self._paths), {}
        return paths
