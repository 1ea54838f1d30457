"""Trying candidates with pytest, configured once and forked for each of them just before it collects.

A candidate costs a fork, the import of what the tests import, and the tests; not pytest's own start.
"""

import gc
import os
import signal
import sys
import time

import pytest

from greenline_runner import pytest_side
from greenline_runner.candidate import Written

_SETTINGS = ["--tb=no", "--no-header", "--no-summary"]


def host(options, channel, work):
    """Try all candidates of `work`; send one `candidate` record each, or `unfit` where this way is unfit.

    A candidate is unfit where its file was imported before pytest began to collect.
    """
    plugin = _Host(options, channel, work)
    code = pytest.main([*pytest_side.arguments(options), *_SETTINGS], plugins=[plugin])
    plugin.leave()
    return code


class _Host(pytest_side.Recorder):
    """The plugin of the configured process and, after a fork, of a candidate's."""

    def __init__(self, options, channel, work):
        super().__init__(options, channel, None, None)
        self._work = work
        self._is_child = False
        self._whole = False
        self._outcomes = {}
        self._result = None

    @pytest.hookimpl(tryfirst=True)
    def pytest_collection(self, session):
        # Byte code of the base's files, and of the tests as pytest rewrites them, serves every candidate.
        if self._fork(session, whole=False, warm=True) is None:
            return
        imported = _imported()
        # A collection would touch, and so copy, every page that the candidates share.
        gc.collect()
        gc.freeze()
        gc.disable()
        ends = time.monotonic() + self._work["wallS"]
        for index in self._work["wanted"]:
            edits = self._work["candidates"][index]
            if time.monotonic() > ends:
                break
            if any(os.path.realpath(edit[0]) in imported for edit in edits):
                self._channel.send({"kind": "unfit", "index": index})
                continue
            written = Written(index, edits)
            passed, whole = self._try(session)
            if passed is None:
                return
            written.restore()
            if whole:
                ends = min(ends, time.monotonic() + self._work["settleS"])
            self._channel.send({"kind": "candidate", "index": index, "passed": passed, "whole": whole})
        self._channel.send({"kind": "end", "exit": 0})
        os._exit(0)

    def _try(self, session):
        """Return the failing tests that pass, and whether all do; None in the process that is to run them."""
        failing = self._work["failing"]
        outcomes = self._fork(session, whole=False)
        if outcomes is None:
            return None, False
        passed = [test for test in failing if outcomes.get(test) == "passed"]
        if len(passed) < len(failing):
            return passed, False
        outcomes = self._fork(session, whole=True)
        if outcomes is None:
            return None, False
        bad = [test for test, outcome in outcomes.items() if outcome in ("failed", "error")]
        return passed, bool(outcomes) and not bad and all(outcomes.get(test) == "passed" for test in passed)

    def _fork(self, session, whole, warm=False):
        """Fork a process that runs tests and return their outcomes; return None in that process."""
        reader, writer = os.pipe()
        pid = os.fork()
        if pid:
            os.close(writer)
            return _outcomes(pid, reader, self._work["timeoutS"])
        os.close(reader)
        os.setpgid(0, 0)
        sys.dont_write_bytecode = not warm
        self._is_child, self._whole, self._result = True, whole, writer
        self._selected = frozenset(() if whole else self._work["failing"])
        if not whole:
            files = dict.fromkeys(test.split("::")[0] for test in self._work["failing"])
            session.config.args = [name for name in files if os.path.exists(name)] or session.config.args
        return None

    def _collect_channel(self):
        return self

    def send(self, record):
        """Take what collecting says: a module that cannot be imported is an error of this candidate."""
        self._outcomes[record["id"] or "collection"] = "error"

    def _send(self, item, outcome, duration, message):
        known = self._outcomes.get(item.nodeid)
        self._outcomes[item.nodeid] = outcome if known is None else "error"
        if outcome in ("failed", "error") and (self._whole or self.alarm.rang):
            item.session.shouldstop = "enough is known"

    @pytest.hookimpl(hookwrapper=True, tryfirst=True)
    def pytest_runtestloop(self):
        yield
        self.leave()

    def leave(self):
        """End a candidate's process with its outcomes; do nothing in the configured one."""
        if not self._is_child:
            return
        lines = "".join(f"{outcome} {test}\n" for test, outcome in self._outcomes.items())
        with os.fdopen(self._result, "w", encoding="utf-8", errors="backslashreplace") as file:
            file.write(lines + "done\n")
        os._exit(0)


def _imported():
    """Return the files that are modules already."""
    files = (getattr(module, "__file__", None) for module in list(sys.modules.values()))
    return {os.path.realpath(file) for file in files if file}


def _outcomes(pid, reader, timeout_s):
    """Return test id → outcome as a candidate's process tells it; killed or silent, it has an error."""
    import select

    ends, data = time.monotonic() + timeout_s, b""
    while True:
        ready, _, _ = select.select([reader], [], [], max(0.0, ends - time.monotonic()))
        piece = os.read(reader, 1 << 16) if ready else b""
        data += piece
        if not piece:
            break
    os.close(reader)
    try:
        os.killpg(pid, signal.SIGKILL)
    except OSError:
        os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)
    lines = data.decode("utf-8", "replace").splitlines()
    outcomes = {}
    for line in lines:
        outcome, _, test = line.partition(" ")
        if test:
            outcomes[test] = outcome
    if lines[-1:] != ["done"]:
        outcomes["process"] = "error"
    return outcomes
