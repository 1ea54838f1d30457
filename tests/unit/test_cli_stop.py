"""Signals as a cancellation, also while the main thread waits for something else."""

from __future__ import annotations

import subprocess
import sys
import threading

import pytest

from greenline.cli.stop import stoppable

PROGRAM = """
import os, signal, sys, threading
from greenline.cli.stop import stoppable

with stoppable() as cancellation:
    waiting = threading.Event()
    with cancellation.hook(waiting.set):
        for _ in range(int(sys.argv[1])):
            # Sent to another thread, the signal leaves the main one asleep.
            sender = threading.Thread(target=lambda: signal.raise_signal(signal.SIGTERM))
            sender.start()
            sender.join()
        print(waiting.wait(60) and cancellation.cancelled, flush=True)
print(signal.getsignal(signal.SIGTERM) is signal.SIG_DFL)
"""


def test_signal_sets_the_switch_wherever_it_arrives() -> None:
    done = subprocess.run(
        [sys.executable, "-P", "-c", PROGRAM, "1"], capture_output=True, text=True, timeout=50, check=True
    )

    assert done.stdout.split() == ["True", "True"]


def test_work_that_nobody_stops_is_not_cancelled() -> None:
    with stoppable() as cancellation:
        pass

    assert not cancellation.cancelled


def test_other_threads_have_a_switch_that_no_signal_sets() -> None:
    found: list[bool] = []

    def work() -> None:
        with stoppable() as cancellation:
            found.append(cancellation.cancelled)

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()

    assert found == [False]


@pytest.mark.timeout(60)
def test_second_signal_ends_a_process_that_does_not_stop() -> None:
    program = (
        "import os, signal, time\n"
        "from greenline.cli.stop import stoppable\n"
        "with stoppable() as cancellation:\n"
        "    with cancellation.hook(lambda: time.sleep(600)):\n"
        "        os.kill(os.getpid(), signal.SIGINT)\n"
        "        while not cancellation.cancelled:\n"
        "            time.sleep(0.01)\n"
        "        os.kill(os.getpid(), signal.SIGINT)\n"
        "        time.sleep(600)\n"
    )

    done = subprocess.run([sys.executable, "-P", "-c", program], check=False)

    assert done.returncode == 130


@pytest.mark.timeout(60)
def test_work_that_never_looks_is_ended_after_a_while() -> None:
    program = (
        "import os, signal\n"
        "from greenline.cli import stop\n"
        "stop._GRACE_S = 0.2\n"
        "with stop.stoppable():\n"
        "    os.kill(os.getpid(), signal.SIGTERM)\n"
        "    while True:\n"
        "        pass\n"
    )

    done = subprocess.run([sys.executable, "-P", "-c", program], check=False)

    assert done.returncode == 130


EARLY = """
import signal, sys
import greenline.app
from greenline.cli import main

greenline.app.open_journal = lambda *_: signal.raise_signal(signal.SIGTERM)
code = main(["runs"])
assert signal.getsignal(signal.SIGTERM) is signal.SIG_DFL
sys.exit(code)
"""


def test_sigterm_before_the_work_begins_is_as_good_as_ctrl_c() -> None:
    done = subprocess.run(
        [sys.executable, "-P", "-c", EARLY], capture_output=True, text=True, timeout=50, check=False
    )

    assert (done.returncode, done.stdout, done.stderr) == (130, "", "greenline: stopped\n")
