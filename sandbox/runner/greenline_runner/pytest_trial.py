"""Trying candidates with pytest, started and configured once.

Most candidates are tried in forks of a process that has collected the base's tests; those that change what
an import does, in forks of one that is about to collect.
"""

import gc
import importlib
import os
import sys

import pytest
from _pytest.assertion import util

from greenline_runner import pytest_side
from greenline_runner.alarm import Alarm
from greenline_runner.bare import bare_call
from greenline_runner.candidate import Written
from greenline_runner.group import Group
from greenline_runner.live import Live
from greenline_runner.trial import Trials, forked

_LIVE = 0.75
"""The share of the time after which those candidates are tried that a running program cannot take."""
_SETTINGS = ["--tb=no", "--capture=no", "--no-header", "--no-summary"]


def host(options, channel, work):
    """Try all candidates of `work`; send one `candidate` record each, or `unfit` where this way is unfit.

    A candidate is unfit where its file was imported before pytest began to collect.
    """
    plugin = _Host(options, channel, work)
    return pytest.main([*pytest_side.arguments(options), *_SETTINGS], plugins=[plugin])


class _Host(pytest_side.Recorder):
    """The plugin of the configured process and of every one that is forked from it."""

    def __init__(self, options, channel, work):
        super().__init__(options, channel, None, None)
        self.alarm = Alarm(options.test_s)
        self._work = work
        self._trials = Trials(work, channel.send)
        self._live = Live(options.root)
        self._is_live = False
        self._broken_files = False
        self._tell = None
        self._stop = None

    @pytest.hookimpl(tryfirst=True)
    def pytest_collection(self, session):
        if self._tell is not None:
            return
        if self._fork_live(session):
            return
        imported = _imported()
        _warm()
        # A collection would touch, and so copy, every page that the candidates share.
        gc.collect()
        gc.freeze()
        gc.disable()
        self._trials.serve(lambda index: self._import(session, index, imported))
        self._channel.send({"kind": "end", "exit": 0})
        os._exit(0)

    def _fork_live(self, session):
        """Fork the process that collects the base's tests and tries candidates; return whether this is it."""
        reader, writer = os.pipe()
        pid = os.fork()
        if pid == 0:
            os.close(reader)
            self._channel.own()
            self._is_live = True
            self._trials.tell(writer)
            sys.dont_write_bytecode = False
            self._live.watch()
            return True
        os.close(writer)
        self._trials.heed(reader)
        os.waitpid(pid, 0)
        return False

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session):
        if not self._is_live:
            return
        self._live.settle()
        self._items = {item.nodeid: item for item in session.items}
        if not self._broken_files and all(test in self._items for test in self._work["failing"]):
            group = Group(self._trials, self._live, self._plain(failing=True), self.alarm, self._work)
            if not self._trials.asks_each:
                group.measure(self._plain(failing=False))
            gc.collect()
            gc.freeze()
            gc.disable()
            self._trials.shorten(_LIVE)
            self._trials.serve_live(group, self._live, self._patched)
            if not self._trials.asks_each:
                self._trials.look(group, self._live)
        os._exit(0)

    def _plain(self, failing):
        """Return test id → call for the failing or the sound tests that are plain calls."""
        root, found = os.path.realpath(os.getcwd()), {}
        for test in self._work["failing"] if failing else self._items:
            is_wanted = failing or test not in self._work["failing"]
            call = bare_call(self._items[test], root) if is_wanted else None
            if call is not None:
                found[test] = call
        return found

    def _patched(self, index, patches):
        """Try a candidate in forks that have its code put into the running program."""
        everything = self._trials.order(index, list(self._items))
        # The tests may start another Python on the file, or import it again.
        written = Written(index, self._work["candidates"][index])
        answer = self._trials.judge(
            lambda whole: forked(
                lambda tell: self._run(
                    patches,
                    everything if whole else self._work["failing"],
                    self._trials.stop(index, whole),
                    tell,
                ),
                self._trials.within(self._work["timeoutS"]),
            )
        )
        written.restore()
        return answer

    def _run(self, patches, ids, stop, tell):
        self._tell, self._stop = tell, stop
        for function, code in patches:
            function.__code__ = code
        items = [self._items[test] for test in ids]
        for item in items:
            item.repr_failure = item._repr_failure_py = _brief
        for place, item in enumerate(items, 1):
            following = items[place] if place < len(items) else None
            item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
            if item.session.shouldstop:
                return

    def pytest_collection_finish(self, session):
        # What fails anyway is not asked for, and might hang.
        broken = set(self._work["broken"])
        session.items[:] = [item for item in session.items if item.nodeid not in broken]

    def _import(self, session, index, imported):
        """Try a candidate in forks that import it."""
        edits = self._work["candidates"][index]
        if any(os.path.realpath(edit[0]) in imported for edit in edits):
            self._channel.send({"kind": "unfit", "index": index})
            return None
        written = Written(index, edits)
        answer = self._trials.judge(
            lambda whole: forked(
                lambda tell: self._collect(
                    session,
                    self._trials.own(index) if whole else self._work["failing"],
                    self._trials.stop(index, whole),
                    tell,
                ),
                self._trials.within(self._work["timeoutS"]),
            )
        )
        written.restore()
        return answer

    def _collect(self, session, tests, stop, tell):
        """Collect and run tests; none: the whole suite."""
        self._tell, self._stop = tell, stop
        config = session.config
        self._selected = frozenset(tests)
        if tests:
            files = dict.fromkeys(test.split("::")[0] for test in tests)
            config.args = [name for name in files if os.path.exists(name)] or config.args
        try:
            config.hook.pytest_collection(session=session)
            config.hook.pytest_runtestloop(session=session)
        except (session.Interrupted, session.Failed):
            # The tests were stopped since enough is known.
            return

    def _collect_channel(self):
        return self

    def send(self, record):
        """Take what collecting says: a module that cannot be imported is an error of this candidate.

        One that could not be imported before is none, and says nothing.
        """
        if record["id"] in self._work["broken"]:
            return
        if self._tell is None:
            self._broken_files = True
        else:
            self._tell(record["id"] or "collection", "error")

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_logstart(self, nodeid):
        self.alarm.cpu_s = self._trials.limit(nodeid)
        # Nobody reads why an assertion fails, and the telling can take longer than the test.
        util._reprcompare = None

    def _send(self, item, outcome, duration, message):
        if self.alarm.rang:
            outcome = "hung"
        self._tell(item.nodeid, outcome)
        if self._stop.after(outcome):
            item.session.shouldstop = "enough is known"


def _brief(*_, **__):
    return "failed"


def _imported():
    """Return the files that are modules already."""
    files = (getattr(module, "__file__", None) for module in list(sys.modules.values()))
    return {os.path.realpath(file) for file in files if file}


def _warm():
    """Import what every candidate's tests are likely to import."""
    for module in (
        "unittest.mock",
        "decimal",
        "datetime",
        "random",
        "logging",
        "asyncio",
        "difflib",
        "typing",
    ):
        try:
            importlib.import_module(module)
        except Exception:  # noqa: BLE001 - whatever it raises, the candidate's own run will meet it
            continue
