"""Cancellation that crosses threads: one token a run, checked by loops and hooked by whoever can kill."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from greenline.core.error import Cancelled


class Cancellation:
    """A one-way switch; may be used from any thread."""

    def __init__(self) -> None:
        self._event = threading.Event()
        self._lock = threading.Lock()
        self._hooks: list[Callable[[], None]] = []

    @property
    def cancelled(self) -> bool:
        """Whether `cancel` was called."""
        return self._event.is_set()

    def cancel(self) -> None:
        """Set the switch and run every hook once, newest first."""
        with self._lock:
            if self._event.is_set():
                return
            self._event.set()
            hooks, self._hooks = self._hooks, []
        for hook in reversed(hooks):
            hook()

    def raise_if_cancelled(self) -> None:
        """Raise `Cancelled` once the switch is set."""
        if self._event.is_set():
            raise Cancelled("The run was cancelled.")

    def wait(self, timeout_s: float) -> bool:
        """Wait up to `timeout_s` for the switch; return whether it is set."""
        return self._event.wait(timeout_s)

    @contextmanager
    def hook(self, action: Callable[[], None]) -> Iterator[None]:
        """Run `action` if the switch is set while the block runs (at once if it already is)."""
        with self._lock:
            already = self._event.is_set()
            if not already:
                self._hooks.append(action)
        if already:
            action()
        try:
            yield
        finally:
            with self._lock:
                if action in self._hooks:
                    self._hooks.remove(action)
