"""Runners that are programs of their own: each runs in processes that the driver starts, watches and ends.

A process gets two descriptors: one from which it reads a secret, once, and one for its records, JSON lines
that begin with it. Only the driver's process holds the other ends, and it imports nothing of the project.
"""

import json
import os
import secrets
import select
import signal
import subprocess
import threading
import time

from greenline_runner.channel import drain

_GRACE_S = 5.0


class Told:
    """What one process reported, and how it ended."""

    def __init__(self):
        self.records = []
        self.is_complete = False
        """Whether its last record came."""
        self.n_intruders = 0
        self.exit_code = None
        """None also where it had to be killed once it had said all."""


def environment(extra):
    """Return the environment of a project's process: nothing in it leads to the report."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("GREENLINE_")}
    return {**kept, "NO_COLOR": "1", **extra}


def report_of(argv, variables, folder):
    """Run a process that reports through a channel of its own; return what it told.

    Once its last record has come, it has some seconds to end; what it leaves behind is killed.
    """
    told = Told()
    secret = secrets.token_hex(16).encode()
    secret_reader, secret_writer = os.pipe()
    reader, writer = os.pipe()
    os.write(secret_writer, secret)
    os.close(secret_writer)
    channel = f"{secret_reader},{writer}"
    process = subprocess.Popen(
        argv,
        stdin=subprocess.DEVNULL,
        pass_fds=(secret_reader, writer),
        env={**environment(variables), "GREENLINE_CHANNEL": channel},
        cwd=folder,
        start_new_session=True,
    )
    os.close(secret_reader)
    os.close(writer)
    _follow(process, reader, secret, told)
    return told


def _end_group(pid):
    """Kill what a process left running: it must not disturb a later run in this container."""
    try:
        os.killpg(pid, signal.SIGKILL)
    except OSError:
        return


def _follow(process, reader, secret, told):
    """Read records until the process and its heirs have closed the channel, or its grace is over."""
    wake_reader, wake_writer = os.pipe()

    def wait():
        process.wait()
        os.write(wake_writer, b"!")

    waiter = threading.Thread(target=wait, name="runner-wait", daemon=True)
    waiter.start()
    os.set_blocking(reader, False)
    rest, deadline, closed, has_ended, was_killed = b"", None, False, False, False
    while True:
        timeout = None if deadline is None else max(0.0, deadline - time.monotonic())
        # What is at its end is always ready, and would keep the deadline from being noticed.
        watched = ([] if closed else [reader]) + ([] if has_ended else [wake_reader])
        ready, _, _ = select.select(watched, [], [], timeout)
        if wake_reader in ready:
            has_ended = True
            # What it started may hold the channel open, and has nothing to say.
            _end_group(process.pid)
        rest, closed = drain(reader, rest, lambda line: _take(line, secret, told))
        if closed and has_ended:
            break
        if not ready and deadline is not None:
            if has_ended:
                break
            was_killed = True
            deadline = time.monotonic() + _GRACE_S
            _end_group(process.pid)
            process.kill()
        if deadline is None and (told.is_complete or has_ended or closed):
            deadline = time.monotonic() + _GRACE_S
    waiter.join()
    if rest:
        told.n_intruders += 1
    # A server that a test left open keeps its process from ending: that says nothing of the tests.
    told.exit_code = None if was_killed else process.returncode
    for descriptor in (reader, wake_reader, wake_writer):
        os.close(descriptor)


def _take(line, secret, told):
    said, _, text = line.partition(b" ")
    record = None
    if said == secret:
        try:
            record = json.loads(text.decode("utf-8", "replace"))
        except ValueError:
            record = None
    # After the last record nothing more can be said.
    if not isinstance(record, dict) or told.is_complete or record.get("kind") == "intruder":
        told.n_intruders += 1
    elif record.get("kind") == "end":
        told.is_complete = True
        told.records.append(record)
    else:
        told.records.append(record)
