"""Ctrl-C and SIGTERM as a cancellation: what is under way ends in good order, its containers removed."""

from __future__ import annotations

import os
import signal
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from greenline.core.cancel import Cancellation

STOPPED = 130
"""Exit code of a command that was stopped."""
_SIGNALS = (signal.SIGINT, signal.SIGTERM)
_GRACE_S = 10.0
"""How long work may take to notice that it is cancelled: twice what removing its containers takes at most."""


@contextmanager
def stoppable() -> Iterator[Cancellation]:
    """Yield a switch that Ctrl-C and SIGTERM set; a second one ends the process at once.

    So does work that has not ended `_GRACE_S` after the first. Only in the main thread; elsewhere the switch
    stays as it is.
    """
    cancellation = Cancellation()
    if threading.current_thread() is not threading.main_thread():
        yield cancellation
        return
    # A handler in Python runs when the main thread wakes up, which may wait for a test run's end; the byte
    # that the interpreter's own handler writes comes at once, whichever thread the signal reached.
    ours, theirs = socket.socketpair()
    theirs.setblocking(False)
    before = {number: signal.signal(number, _ignore) for number in _SIGNALS}
    woken = signal.set_wakeup_fd(theirs.fileno(), warn_on_full_buffer=False)
    overdue = threading.Timer(_GRACE_S, os._exit, [STOPPED])
    overdue.daemon = True
    watcher = threading.Thread(target=_watch, args=(ours, cancellation, overdue), name="stop", daemon=True)
    watcher.start()
    try:
        yield cancellation
    finally:
        signal.set_wakeup_fd(woken)
        for number, handler in before.items():
            signal.signal(number, handler)
        theirs.close()
        watcher.join()
        overdue.cancel()
        ours.close()


@contextmanager
def interruptible() -> Iterator[None]:
    """Let SIGTERM end a command as Ctrl-C does, until `stoppable` takes over; only in the main thread."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def _ignore(*_: object) -> None:
    """Stand where the default would end the process."""


def _watch(pipe: socket.socket, cancellation: Cancellation, overdue: threading.Timer) -> None:
    """Cancel at the first signal; the end of the pipe is the end of the work."""
    is_told = False
    while numbers := pipe.recv(1):
        if numbers[0] not in _SIGNALS:
            continue
        if is_told or cancellation.cancelled:
            os._exit(STOPPED)
        is_told = True
        overdue.start()
        # Hooks kill containers, which may take a moment; the next signal must not wait for it.
        threading.Thread(target=cancellation.cancel, name="cancel", daemon=True).start()
