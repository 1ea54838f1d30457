"""Collecting and running with pytest, each through a plugin of ours.

An outcome is read from what the test raised, seen before any other plugin's wrapper, and compared with the
report that came out in the end: a report that says `passed` over an exception counts as failed.
"""

import os
import time

import pytest

from greenline_runner.alarm import alarm_for
from greenline_runner.channel import end_collector, fork_collector, shorten
from greenline_runner.cover import Cover
from greenline_runner.plugins import Plugins
from greenline_runner.seal import Seal

_clock = time.perf_counter
_CHUNK = 500


def name():
    """Return the runner's name and version."""
    return "pytest " + pytest.__version__


def collect(options, channel):
    """Collect in this process; send `collected` and `collectError` records and return pytest's exit code."""
    plugin = _Collector(options, channel)
    code = pytest.main([*arguments(options), "--collect-only"], plugins=[plugin])
    plugin.send_ids(channel)
    return code


def run(options, channel, collecting=None):
    """Run the tests in this process; send `test` and `cov` records and return pytest's exit code.

    With `collecting`, a process forked once pytest is configured collects first and sends through it.
    """
    cover = Cover(options.root) if options.coverage else None
    plugin = Recorder(options, channel, cover, collecting)
    code = pytest.main(arguments(options), plugins=[plugin])
    if plugin.collects:
        plugin.end_collecting(code)
    plugin.finish()
    if cover is not None:
        for test_id, files in cover.stop().items():
            channel.send({"kind": "cov", "id": test_id, "files": files})
    return code


def arguments(options):
    """Return pytest's arguments: the selected ids' files, since one id that is gone stops all of pytest."""
    arguments = [
        "--rootdir=" + options.root,
        "-q",
        "--tb=short",
        "-p",
        "no:cacheprovider",
        "-p",
        "no:randomly",
    ]
    arguments += ["--maxfail=1" if options.exit_first else "--maxfail=0", "--continue-on-collection-errors"]
    if getattr(pytest, "version_tuple", (0,)) >= (7,):
        # Each outcome is sent with its message; some plugins import for a second to add a line of their own.
        arguments.append("--no-summary")
    if _has("pytest_cov"):
        arguments.append("--no-cov")
    files = dict.fromkeys(i.split("::")[0] for i in options.selected)
    return arguments + [f for f in files if os.path.exists(os.path.join(options.root, f))]


def _has(module):
    import importlib.util

    return importlib.util.find_spec(module) is not None


class _Plugin:
    """What collecting and running share."""

    def __init__(self, options, channel):
        self._channel = channel
        self._options = options
        self._selected = frozenset(options.selected)
        self._deselected = {}
        self._ids = []

    def pytest_addoption(self, parser):
        # `addopts` of many projects name plugins that only matter for people; without them pytest stops.
        if not _has("pytest_cov"):
            group = parser.getgroup("greenline")
            for option in ("--cov", "--cov-report", "--cov-config", "--cov-context", "--cov-fail-under"):
                group.addoption(option, action="append", nargs="?", dest="greenline_unused", default=[])
            for option in ("--cov-branch", "--cov-append", "--no-cov", "--no-cov-on-fail"):
                group.addoption(option, action="store_true", dest="greenline_unused_flag", default=False)
        if not _has("xdist"):
            group = parser.getgroup("greenline")
            for option in ("--numprocesses", "--dist", "--maxprocesses"):
                group.addoption(option, action="append", dest="greenline_unused", default=[])

    @pytest.hookimpl(hookwrapper=True, tryfirst=True)
    def pytest_cmdline_main(self, config):
        self.ready(config)
        # With xdist the tests would run in processes that this plugin does not see.
        for option, value in (("numprocesses", 0), ("dist", "no"), ("tx", [])):
            if hasattr(config.option, option):
                setattr(config.option, option, value)
        yield

    @pytest.hookimpl(hookwrapper=True, tryfirst=True)
    def pytest_collection_modifyitems(self, items):
        if self._selected:
            items[:] = [item for item in items if self._wanted(item.nodeid)]
        before = list(items)
        yield
        kept = {id(item) for item in items}
        for item in before:
            if id(item) not in kept:
                self._deselected[item.nodeid] = item

    def pytest_deselected(self, items):
        for item in items:
            if not self._selected or self._wanted(item.nodeid):
                self._deselected[item.nodeid] = item

    def pytest_collectreport(self, report):
        if report.failed:
            self._collect_channel().send(
                {"kind": "collectError", "id": report.nodeid, "message": shorten(str(report.longrepr))}
            )

    def pytest_collection_finish(self, session):
        self._ids = [item.nodeid for item in session.items]

    def ready(self, config):
        """Be told that pytest has loaded its plugins and is about to start."""

    def send_ids(self, channel):
        """Send the ids of all tests that were collected, deselected ones included."""
        known = set(self._ids)
        ids = self._ids + [i for i in self._deselected if i not in known]
        for start in range(0, len(ids), _CHUNK):
            channel.send({"kind": "collected", "ids": ids[start : start + _CHUNK]})

    def _wanted(self, nodeid):
        if nodeid in self._selected:
            return True
        function = nodeid.split("[")[0]
        while function:
            if function in self._selected:
                return True
            function = function.rpartition("::")[0]
        return False


class _Collector(_Plugin):
    """Only collects."""

    def _collect_channel(self):
        return self._channel


class Recorder(_Plugin):
    """Sends one record a test, drawn from what each of its phases raised."""

    def __init__(self, options, channel, cover, collecting):
        super().__init__(options, channel)
        self._cover = cover
        self._collecting = collecting
        self._state = None
        self._seal = Seal()
        self._plugins = None
        self.alarm = alarm_for(options.test_s)
        self.collects = False
        """Whether this process is the collecting one."""

    def ready(self, config):
        if self._collecting is not None:
            self.collects = fork_collector(self._collecting)
            if self.collects:
                config.option.collectonly = True
                return
        if self._cover is not None:
            self._cover.start()
        named = getattr(config.option, "plugins", None) or ()
        self._plugins = Plugins(config.pluginmanager, self._options.root, named)

    def _look(self, now=False, last=False):
        if self._plugins is not None:
            self._seal.look(self._plugins.strange(), now, last)

    def pytest_collection_finish(self, session):
        super().pytest_collection_finish(session)
        self._look(now=True)
        modules = (getattr(item, "module", None) for item in session.items)
        self._seal.watch({id(module): module for module in modules}.values())

    @pytest.hookimpl(trylast=True)
    def pytest_configure(self, config):
        if self.collects:
            # pytest keeps a descriptor of its own for its output, which pointing 1 and 2 at nothing misses.
            config.get_terminal_writer()._file = open(os.devnull, "w")  # noqa: SIM115

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionfinish(self, exitstatus):
        # What comes now is for people: the collecting process has said what it has to.
        if self.collects:
            self.end_collecting(exitstatus)

    def end_collecting(self, code):
        """End this process, the collecting one, with the ids that it found."""
        self.send_ids(self._collecting)
        end_collector(self._collecting, code)

    def _collect_channel(self):
        return (
            _Mute if self._collecting is not None and not self.collects else self._collecting or self._channel
        )

    @pytest.hookimpl(hookwrapper=True, tryfirst=True)
    def pytest_runtest_protocol(self, item):
        # A plugin that reruns failures goes through this once and through the phases several times.
        self._state = _State()
        self.alarm.rung = False
        start = _clock()
        if self._cover is not None:
            self._cover.switch(item.nodeid)
        yield
        if self._cover is not None:
            self._cover.switch("")
        self._send(item, self._state.outcome(), _clock() - start, self._state.message)
        if self._state.is_rewritten():
            for file in self._plugins.rewriters():
                self._seal.note(f"outcome of a failed test in {file}")
        self._look()

    @pytest.hookimpl(hookwrapper=True, tryfirst=True)
    def pytest_runtest_setup(self):
        with self.alarm:
            yield

    @pytest.hookimpl(hookwrapper=True, tryfirst=True)
    def pytest_runtest_call(self):
        with self.alarm:
            yield

    @pytest.hookimpl(hookwrapper=True, tryfirst=True)
    def pytest_runtest_teardown(self):
        with self.alarm:
            yield

    @pytest.hookimpl(hookwrapper=True, tryfirst=True)
    def pytest_runtest_makereport(self, item, call):
        excinfo, when = call.excinfo, call.when
        outcome = yield
        report = outcome.get_result()
        if self._state is not None:
            self._state.add(when, excinfo, report)

    @pytest.hookimpl(trylast=True)
    def pytest_runtest_logreport(self, report):
        # A wrapper around ours may have put another report in the place of the one that we saw.
        if self._state is not None:
            self._state.told(report)

    def finish(self):
        self._look(now=True, last=True)
        self._seal.send(self._channel)
        for item in self._deselected.values():
            self._send(item, "deselected", 0.0, "")

    def _send(self, item, outcome, duration, message):
        path, line = item.location[0], item.location[1]
        record = {"kind": "test", "id": item.nodeid, "outcome": outcome, "duration": round(duration, 6)}
        record["file"] = path.replace(os.sep, "/")
        if line is not None:
            record["line"] = line + 1
        if message:
            record["message"] = shorten(message)
        if self.alarm.rung:
            record["timedOut"] = True
        self._channel.send(record)


class _Mute:
    """Takes what the collecting process has already said."""

    @staticmethod
    def send(record):
        del record


class _State:
    """The phases of one test."""

    def __init__(self):
        self._phases = {}
        self._raised = []
        self._raising = {}
        self.message = ""

    def is_rewritten(self):
        """Return whether a report of what raised says `passed` by now."""
        return any(report.outcome == "passed" for report in self._raised)

    def told(self, report):
        """Take a report that goes to whoever shows it."""
        if self._raising.get(report.when):
            self._raised.append(report)

    def add(self, when, excinfo, report):
        outcome = _phase_outcome(excinfo, report)
        self._raising[when] = excinfo is not None
        if excinfo is not None:
            self._raised.append(report)
        # The last attempt of a rerun counts, as pytest's own report does.
        self._phases[when] = outcome
        if outcome != "passed":
            self.message = str(report.longrepr or getattr(report, "wasxfail", "") or "")
            if isinstance(report.longrepr, tuple):
                self.message = str(report.longrepr[-1])
            if outcome == "failed" and not self.message and excinfo is not None:
                self.message = str(excinfo.exconly())

    def outcome(self):
        """Return the test's outcome: an error in set-up or tear-down is one, whatever the call did."""
        phases = self._phases
        if phases.get("setup") != "passed":
            setup = phases.get("setup", "failed")
            return "error" if setup == "failed" else setup
        if phases.get("teardown") != "passed":
            return "failed" if phases.get("call") == "failed" else "error"
        return phases.get("call", "error")


def _phase_outcome(excinfo, report):
    """Return one phase's outcome; the exception outweighs a friendlier report."""
    xfail = hasattr(report, "wasxfail")
    if excinfo is None:
        if report.outcome == "failed":
            return "failed"
        if report.outcome == "skipped":
            return "skipped"
        return "xpassed" if xfail else "passed"
    if isinstance(excinfo.value, pytest.xfail.Exception):
        return "xfailed"
    if report.outcome == "passed":
        return "failed"
    if xfail:
        return "xfailed"
    if _is_skip(excinfo.value):
        return "skipped"
    # An exception under a report that says skipped was made to look harmless.
    return "failed"


def _is_skip(exception):
    import unittest

    return isinstance(exception, (pytest.skip.Exception, unittest.SkipTest))
