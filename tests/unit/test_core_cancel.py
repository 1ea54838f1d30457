"""Cancellation: hooks run once, newest first, whichever side comes first."""

from __future__ import annotations

import threading

import pytest

from greenline.core.cancel import Cancellation
from greenline.core.error import Cancelled


def test_hooks_run_once_newest_first() -> None:
    cancellation = Cancellation()
    order: list[str] = []

    with cancellation.hook(lambda: order.append("outer")), cancellation.hook(lambda: order.append("inner")):
        cancellation.cancel()
        cancellation.cancel()

    assert order == ["inner", "outer"]


def test_a_hook_set_after_the_cancel_runs_at_once() -> None:
    cancellation = Cancellation()
    cancellation.cancel()
    ran: list[bool] = []

    with cancellation.hook(lambda: ran.append(True)):
        pass

    assert ran == [True]


def test_a_hook_that_was_left_does_not_run() -> None:
    cancellation = Cancellation()
    ran: list[bool] = []
    with cancellation.hook(lambda: ran.append(True)):
        pass

    cancellation.cancel()

    assert ran == []
    with pytest.raises(Cancelled):
        cancellation.raise_if_cancelled()


def test_another_thread_wakes_the_waiter() -> None:
    cancellation = Cancellation()
    threading.Thread(target=cancellation.cancel, name="canceller").start()

    assert cancellation.wait(10)
