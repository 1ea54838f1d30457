"""The driver: forks the testing process, which forks a collecting one, and relays both to the reporter.

It is the only process that opens the FIFO and knows its secret, and it never imports project code.
The collecting process has ended, and its word is closed, before the testing process collects or runs a test.
The testing process forks it only after the runner's plugins are loaded, since loading them twice can cost
more than the tests.
"""

import argparse
import ctypes
import importlib.util
import json
import os
import secrets
import select
import signal
import sys
import time
import traceback

from greenline_runner.channel import Channel, drain, silence

_DUMPABLE = 4  # PR_SET_DUMPABLE
_GRACE_S = 5.0
_OWN_KINDS = frozenset({"hello", "missing", "roundEnd", "final", "intruder", "died"})
"""What only the driver and the reporter say."""


_EXTERNAL = {
    "node:test": "node_test_side",
    "go test": "go_test_side",
    "junit": "java_test_side",
    **dict.fromkeys(("jest", "mocha", "vitest"), "script_side"),
}
"""Runners that are programs of their own, and the modules that drive them."""


class Options:
    """What one run is to do."""

    def __init__(self, root, runner="pytest", selected=(), coverage=True, exit_first=False, test_s=0.0):
        self.root = root
        self.runner = runner
        self.selected = tuple(selected)
        self.coverage = coverage
        self.exit_first = exit_first
        self.test_s = test_s
        """How long one test may take; 0: no limit of its own."""


def main(argv, here):
    """Run as the command line says; return 0 once the final record is written."""
    arguments = _parse(argv, here)
    if arguments.folder:
        os.chdir(arguments.folder)
    report = Report(arguments.report)
    options = Options(
        os.getcwd(),
        arguments.runner,
        arguments.selected,
        arguments.coverage,
        arguments.exit_first,
        arguments.test_seconds,
    )
    if arguments.project:
        return _external(options, json.loads(arguments.project), report, arguments.rounds)
    side, whose = load_side(options.runner, arguments.toolbox)
    if side is None:
        report.write({"kind": "missing", "what": options.runner})
        report.write({"kind": "final"})
        return 0
    report.write({"kind": "hello", "runner": side.name() + whose, "python": sys.version.split()[0]})
    hide(True)
    started = time.monotonic()
    status = Child(options, side.run, collecting=True).relay(report.write)
    if arguments.rounds:

        def again():
            return Child(options, side.run).relay(report.write)

        status = _again(options, again, report, status, started)
    report.write({"kind": "final", "status": status})
    return 0


def _external(options, project, report, rounds):
    """Drive a runner that is a program of its own; this process stays hidden from what it starts."""
    side = importlib.import_module("greenline_runner." + _EXTERNAL[options.runner])
    project["runner"] = options.runner
    os.environ.pop("GREENLINE_REPORT", None)
    missing = side.missing(project, options.root)
    if missing:
        report.write({"kind": "missing", "what": options.runner, "why": missing})
        report.write({"kind": "final"})
        return 0
    report.write({"kind": "hello", "runner": side.name(project, options.root)})
    hide(True)
    started = time.monotonic()

    def run():
        code = side.run(options, project, report.write)
        report.write({"kind": "end", "exit": code})
        return code

    status = run()
    if rounds:
        status = _again(options, run, report, status, started)
    report.write({"kind": "final", "status": status})
    return 0


def _again(options, run, report, status, started):
    """Run the tests that each line of the standard input names, a JSON list, until it ends.

    These rounds measure no coverage, and collect no second time: they only show what repeats itself.
    """
    while True:
        seconds = round(time.monotonic() - started, 3)
        report.write({"kind": "roundEnd", "status": status, "seconds": seconds})
        line = sys.stdin.readline()
        if not line.strip():
            return status
        started = time.monotonic()
        options.selected, options.coverage = tuple(json.loads(line)), False
        status = run()


def load_side(runner, toolbox):
    """Import the runner before the fork: the project's own, or the toolbox's, which lies last on the path.

    Returns the module that drives it and whose it is, or None where there is none.
    """
    sys.dont_write_bytecode = False
    own = {name: importlib.util.find_spec(name) is not None for name in ("pytest", "coverage")}
    if os.path.isdir(toolbox):
        sys.path.append(toolbox)
    if runner == "unittest":
        from greenline_runner import unittest_side

        return unittest_side, ""
    try:
        from greenline_runner import pytest_side
    except ImportError:
        return None, ""
    return pytest_side, " (project)" if own["pytest"] else " (toolbox)"


def hide(hidden):
    """Keep the same user's other processes from this one's memory and descriptors, where Linux can."""
    try:
        ctypes.CDLL(None).prctl(_DUMPABLE, 0 if hidden else 1, 0, 0, 0)
    except (OSError, AttributeError):
        return


class Child:
    """One forked process that runs `work` in the project's root and sends records.

    `work` is called with the options and a channel, and where `collecting` with the collector's channel too.
    """

    def __init__(self, options, work, quiet=False, collecting=False):
        self._secret = secrets.token_hex(16).encode()
        self._collector_secret = secrets.token_hex(16).encode() if collecting else None
        self._reader, writer = os.pipe()
        self._wake, wake_writer = os.pipe()
        os.set_blocking(wake_writer, False)
        sys.stdout.flush()
        sys.stderr.flush()
        signal.signal(signal.SIGCHLD, lambda *_: None)
        signal.set_wakeup_fd(wake_writer, warn_on_full_buffer=False)
        self.pid = os.fork()
        if self.pid == 0:
            signal.set_wakeup_fd(-1)
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            os.closerange(3, min(writer, 64))
            channels = [Channel(writer, self._secret)]
            if self._collector_secret is not None:
                channels.append(Channel(writer, self._collector_secret))
            _live(options, work, channels, quiet)
        self._wake_writer = wake_writer
        os.close(writer)

    def relay(self, write):
        """Hand each record of the child to `write` until the child has gone; return its wait status."""
        status, rest, deadline = None, b"", None
        os.set_blocking(self._reader, False)
        while status is None:
            timeout = None if deadline is None else max(0.0, deadline - time.monotonic())
            ready, _, _ = select.select([self._reader, self._wake], [], [], timeout)
            if self._wake in ready:
                os.read(self._wake, 512)
            pid, state = os.waitpid(self.pid, os.WNOHANG)
            if pid:
                status = state
            elif deadline is not None and time.monotonic() >= deadline:
                os.kill(self.pid, signal.SIGKILL)
                deadline += _GRACE_S
            rest, ended = self._drain(rest, write)
            if ended and deadline is None:
                deadline = time.monotonic() + _GRACE_S
        self._close()
        return status

    def _drain(self, rest, write):
        """Write all complete records that are there; return what is left, and whether the last one came."""
        ended = False

        def take(line):
            nonlocal ended
            text = self._check(line)
            write({"kind": "intruder", "where": "pipe"} if text is None else text)
            ended = ended or (text is not None and _kind(text) == "end")

        rest, closed = drain(self._reader, rest, take)
        return rest, ended or closed

    def _check(self, line):
        """Return a line's record, or None where its sender may not send it (any more)."""
        secret, _, text = line.partition(b" ")
        kind = _kind(text)
        if not kind or kind in _OWN_KINDS:
            return None
        collects = kind in ("collected", "collectError", "collectionEnd")
        if secret == self._secret:
            # Once there is a collector, only its word says which tests there are.
            return None if collects and self._collector_secret is not None else text
        if not self._collector_secret or secret != self._collector_secret or not collects:
            return None
        if kind == "collectionEnd":
            self._collector_secret = b""
        return text

    def _close(self):
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        for fd in (self._reader, self._wake, self._wake_writer):
            os.close(fd)
        try:
            # What the tests left running must not disturb a later run in this container.
            os.killpg(self.pid, signal.SIGKILL)
        except OSError:
            return


def _kind(text):
    """Return what a record says that it is, as the reporter will read it; empty where it is none."""
    try:
        kind = json.loads(text)["kind"]
    except (ValueError, TypeError, KeyError):
        return ""
    return kind if isinstance(kind, str) else ""


def _live(options, work, channels, quiet):
    """Be the child: never returns."""
    code = 70
    try:
        os.setpgid(0, 0)
        hide(False)
        silence((0, 1, 2) if quiet else (0,))
        os.environ.pop("GREENLINE_REPORT", None)
        sys.path.insert(0, options.root)
        code = work(options, *channels)
        channels[0].send({"kind": "end", "exit": int(code)})
    except BaseException:  # noqa: BLE001 -- the last boundary of a process
        traceback.print_exc()
    finally:
        try:
            sys.stdout.flush()
            sys.stderr.flush()
        finally:
            os._exit(min(int(code), 255))


class Report:
    """The FIFO, opened once and held until the end; standard output where there is none."""

    def __init__(self, path):
        self._fd = os.open(path, os.O_WRONLY) if path else 1
        self._secret = secrets.token_hex(16).encode() if path else b""
        if path:
            self._put(self._secret + b"\n")

    def write(self, record):
        """Write a record, given as JSON values or as the JSON text that a child sent."""
        if not isinstance(record, bytes):
            record = json.dumps(record, separators=(",", ":")).encode()
        self._put(self._secret + b" " + record + b"\n")

    def _put(self, data):
        view = memoryview(data)
        while view:
            view = view[os.write(self._fd, view) :]


def _parse(argv, here):
    parser = argparse.ArgumentParser(prog="run_tests.py")
    parser.add_argument("--runner", choices=("pytest", "unittest", *_EXTERNAL), default="pytest")
    parser.add_argument("--project", default="")
    parser.add_argument("--folder", default="")
    parser.add_argument("--no-coverage", dest="coverage", action="store_false")
    parser.add_argument("--exitfirst", dest="exit_first", action="store_true")
    parser.add_argument("--test-seconds", type=float, default=0.0)
    parser.add_argument("--rounds", action="store_true")
    parser.add_argument("--toolbox", default=os.path.join(os.path.dirname(here), "toolbox"))
    parser.add_argument("--report", default=os.environ.get("GREENLINE_REPORT", ""))
    parser.add_argument("--ids", default="")
    parser.add_argument("selected", nargs="*")
    arguments = parser.parse_args(argv)
    if arguments.ids:
        with open(arguments.ids, encoding="utf-8") as file:
            arguments.selected += [line.rstrip("\n") for line in file if line.strip()]
    return arguments
