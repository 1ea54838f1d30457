"""Asking tests about mutants with pytest, configured and collected once."""

import os

import pytest
from _pytest.assertion import util

from greenline_runner import pytest_side
from greenline_runner.alarm import Alarm
from greenline_runner.notice import Asking
from greenline_runner.pytest_trial import _brief


def host(options, channel, work):
    """Go through the suite, and send one `notice` record for each answer."""
    plugin = _Asker(options, channel, work)
    return pytest.main(pytest_side.arguments(options), plugins=[plugin])


class _Asker(pytest_side.Recorder):
    def __init__(self, options, channel, work):
        super().__init__(options, channel, None, None)
        self._asking = Asking(work, options.root, channel.send)
        self._tell = None
        self._has_asserted = True

    def ready(self, config):
        """Look for nothing that was replaced: the runs of the verification have done that."""

    def pytest_collection_finish(self, session):
        pass

    def _collect_channel(self):
        return pytest_side._Mute

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session):
        asking = self._asking
        for item in session.items:
            if asking.over():
                break
            if item.nodeid in asking.asked:
                asking.ask(item.nodeid, lambda tell, item=item: self._run(item, tell))
            elif item.nodeid in asking.own:
                asking.has_run()
                self._run(item, None)
        os._exit(0)

    def _run(self, item, tell):
        self._tell = tell
        self.alarm = Alarm(self._options.test_s)
        if tell is not None:
            # Nobody reads why an assertion fails, and the telling can take longer than the test.
            util._reprcompare = None
            item.repr_failure = item._repr_failure_py = _brief
        # What is set up for the session stays: the tests that follow in a run have it too.
        item.config.hook.pytest_runtest_protocol(item=item, nextitem=item.session)

    @pytest.hookimpl(hookwrapper=True, tryfirst=True)
    def pytest_runtest_protocol(self, item):
        self.alarm.cpu_s = self._asking.limit(item.nodeid)
        self._has_asserted = True
        yield from super().pytest_runtest_protocol(item)

    @pytest.hookimpl(hookwrapper=True, tryfirst=True)
    def pytest_runtest_makereport(self, item, call):
        if call.excinfo is not None:
            is_assertion = isinstance(call.excinfo.value, (AssertionError, pytest.fail.Exception))
            self._has_asserted = self._has_asserted and is_assertion
        yield from super().pytest_runtest_makereport(item, call)

    def finish(self):
        pass

    def _send(self, item, outcome, duration, message):
        if self._tell is None:
            return
        if self.alarm.rang:
            outcome = "hung"
        elif outcome == "failed" and not self._has_asserted:
            outcome = "error"
        self._tell(item.nodeid, outcome)
