"""Work that yields to everything else on the machine, until somebody waits for it.

Priority belongs to threads, where the system can do that: only the thread that warms up is slowed, and the
threads that serve requests are not, since an ordinary user may lower a priority and never raise it again.
"""

from __future__ import annotations

import contextlib
import os
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

NICENESS = 10


@contextmanager
def lowered() -> Iterator[Callable[[], None]]:
    """Lower this thread's priority for good; yields what raises it again, from any thread, where that may be.

    For a thread that ends with the block: it cannot count on having its priority back.
    """
    if sys.platform != "linux":
        yield lambda: None
        return
    thread = threading.get_native_id()
    os.setpriority(os.PRIO_PROCESS, thread, NICENESS)

    def raise_again() -> None:
        # Without a privilege for it, the work goes on as it is.
        with contextlib.suppress(OSError):
            os.setpriority(os.PRIO_PROCESS, thread, 0)

    yield raise_again


def in_background(
    work: Callable[[], object], wait: Callable[[threading.Thread], None] = threading.Thread.join
) -> None:
    """Do work on a thread of low priority, and wait for it; what it raises is raised here.

    `wait` returns when the thread that it is given has ended.
    """
    failed: list[BaseException] = []

    def body() -> None:
        try:
            with lowered():
                work()
        except BaseException as error:  # noqa: BLE001  # it is raised again by whoever waits
            failed.append(error)

    thread = threading.Thread(target=body, name="background")
    thread.start()
    wait(thread)
    if failed:
        raise failed[0]
