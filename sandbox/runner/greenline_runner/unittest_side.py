"""Collecting and running with unittest, through its own loader and a result class of ours."""

import inspect
import os
import platform
import sys
import time
import unittest

from greenline_runner.alarm import alarm_for
from greenline_runner.channel import end_collector, fork_collector, shorten
from greenline_runner.cover import Cover
from greenline_runner.seal import Seal

_clock = time.perf_counter
_CHUNK = 500


def name():
    """Return the runner's name and version."""
    return "unittest " + platform.python_version()


def collect(options, channel):
    """Discover in this process; send `collected` and `collectError` records."""
    tests = _wanted(_discover(options.root), options.selected)
    broken = [test for test in tests if _failed_to_load(test)]
    for test in broken:
        channel.send({"kind": "collectError", "id": _broken_id(test), "message": _load_error(test)})
    ids = [test.id() for test in tests if not _failed_to_load(test)]
    for start in range(0, len(ids), _CHUNK):
        channel.send({"kind": "collected", "ids": ids[start : start + _CHUNK]})
    return 2 if broken else 0


def run(options, channel, collecting=None):
    """Run the tests in this process; send `test` and `cov` records; return 0, 1, 2 or 5 as pytest does.

    With `collecting`, a forked process collects first and sends through that channel.
    """
    if collecting is not None and fork_collector(collecting):
        end_collector(collecting, collect(options, collecting))
    seal = Seal()
    cover = Cover(options.root) if options.coverage else None
    if cover is not None:
        cover.start()
    tests = _wanted(_discover(options.root), options.selected)
    good = [test for test in tests if not _failed_to_load(test)]
    result = _Result(options, channel, cover, good)
    result.failfast = options.exit_first
    seal.look(now=True)
    seal.watch([sys.modules.get(name) for name in {type(test).__module__ for test in good}])
    unittest.TestSuite(good).run(result)
    seal.look(now=True, last=True)
    seal.send(channel)
    if cover is not None:
        for test_id, files in cover.stop().items():
            channel.send({"kind": "cov", "id": test_id, "files": files})
    if len(good) < len(tests):
        return 2
    if not good:
        return 5
    return 0 if result.wasSuccessful() else 1


def _discover(root):
    """Return what `python -m unittest` finds in the root, and in test folders that are no package."""
    starts = [root]
    for entry in sorted(os.listdir(root)):
        folder = os.path.join(root, entry)
        is_package = os.path.exists(os.path.join(folder, "__init__.py"))
        if entry in ("test", "tests") and os.path.isdir(folder) and not is_package:
            starts.append(folder)
    seen, found = set(), []
    for start in starts:
        loader = unittest.TestLoader()
        for test in _flatten(loader.discover(start, top_level_dir=start)):
            if test.id() not in seen:
                seen.add(test.id())
                found.append(test)
    return found


def _flatten(suite):
    for test in suite:
        if isinstance(test, unittest.TestSuite):
            yield from _flatten(test)
        else:
            yield test


def _wanted(tests, selected):
    if not selected:
        return tests
    return [t for t in tests if any(t.id() == s or t.id().startswith(s + ".") for s in selected)]


def _failed_to_load(test):
    return type(test).__module__ == "unittest.loader" and type(test).__name__ == "_FailedTest"


def _broken_id(test):
    return test.id().replace("unittest.loader._FailedTest.", "", 1)


def _load_error(test):
    return shorten(str(getattr(test, "_exception", "could not be imported")))


class _Result(unittest.TestResult):
    """Sends one record a test when it has stopped."""

    def __init__(self, options, channel, cover, tests):
        super().__init__()
        self._root = options.root
        self._channel = channel
        self._cover = cover
        self._tests = tests
        self._alarm = alarm_for(options.test_s)
        self._sent = set()
        self._outcome = None
        self._message = ""
        self._start = 0.0

    def startTest(self, test):
        super().startTest(test)
        self._outcome, self._message, self._start = None, "", _clock()
        if self._cover is not None:
            self._cover.switch(test.id())
        self._alarm.rung = False
        self._alarm.__enter__()

    def stopTest(self, test):
        self._alarm.__exit__(None, None, None)
        if self._cover is not None:
            self._cover.switch("")
        self._send(test, self._outcome or "error", _clock() - self._start)
        super().stopTest(test)

    def addSuccess(self, test):
        super().addSuccess(test)
        self._outcome = self._outcome or "passed"

    def addFailure(self, test, err):
        super().addFailure(test, err)
        self._set(test, "failed", err)

    def addError(self, test, err):
        super().addError(test, err)
        self._set(test, "error" if _is_holder(test) else "failed", err)

    def addSubTest(self, test, subtest, err):
        super().addSubTest(test, subtest, err)
        if err is not None:
            self._set(test, "failed", err)

    def addSkip(self, test, reason):
        super().addSkip(test, reason)
        if _is_holder(test):
            self._spread(test, "skipped", reason)
        elif self._outcome is None:
            self._outcome, self._message = "skipped", reason

    def addExpectedFailure(self, test, err):
        super().addExpectedFailure(test, err)
        self._outcome, self._message = "xfailed", str(err[1])

    def addUnexpectedSuccess(self, test):
        super().addUnexpectedSuccess(test)
        self._outcome = "failed"
        self._message = "Unexpected success."

    def _set(self, test, outcome, err):
        message = self._exc_info_to_string(err, test)
        sys.stderr.write(f"{outcome.upper()}: {test.id()}\n{message}\n")
        if _is_holder(test):
            self._spread(test, outcome, message)
        else:
            self._outcome, self._message = outcome, message

    def _spread(self, holder, outcome, message):
        """Give the outcome of a class's or module's fixture to each of its tests that has none yet."""
        owner = holder.id().partition("(")[2].rstrip(")")
        for test in self._tests:
            if test.id().startswith(owner + ".") and test.id() not in self._sent:
                self._message = message
                self._send(test, outcome, 0.0)

    def _send(self, test, outcome, duration):
        self._sent.add(test.id())
        record = {"kind": "test", "id": test.id(), "outcome": outcome, "duration": round(duration, 6)}
        record.update(_place(test, self._root))
        if self._message:
            record["message"] = shorten(self._message)
        if self._alarm.rung:
            record["timedOut"] = True
        self._channel.send(record)


def _is_holder(test):
    return type(test).__name__ == "_ErrorHolder"


def _place(test, root):
    method = getattr(type(test), getattr(test, "_testMethodName", ""), None)
    try:
        code = inspect.unwrap(method).__code__
    except (AttributeError, ValueError):
        return {}
    path = os.path.realpath(code.co_filename)
    prefix = os.path.realpath(root) + os.sep
    if not path.startswith(prefix):
        return {}
    return {"file": path[len(prefix) :].replace(os.sep, "/"), "line": code.co_firstlineno}
