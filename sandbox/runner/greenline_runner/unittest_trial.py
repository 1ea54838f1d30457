"""Trying candidates with unittest, in forks of a process that has loaded the base's tests."""

import gc
import sys
import unittest

from greenline_runner import unittest_side
from greenline_runner.alarm import Alarm
from greenline_runner.bare import case_call
from greenline_runner.candidate import Written
from greenline_runner.group import Group
from greenline_runner.live import Live
from greenline_runner.trial import Trials, forked


def host(options, channel, work):
    """Try the candidates of `work` that a running program can take; send one `candidate` record each."""
    sys.dont_write_bytecode = False
    live = Live(options.root)
    live.watch()
    tests = {test.id(): test for test in unittest_side._discover(options.root)}
    live.settle()
    trials = Trials(work, channel.send)
    if not all(test in tests for test in work["failing"]):
        return 0
    gc.collect()
    gc.freeze()
    gc.disable()

    def attempt(index, patches):
        everything = trials.order(index, [test for test in tests if test not in work["broken"]])
        written = Written(index, work["candidates"][index])

        def run(whole, tell):
            for function, code in patches:
                function.__code__ = code
            result = _Result(trials, tell, trials.stop(index, whole), options.test_s)
            chosen = everything if whole else work["failing"]
            unittest.TestSuite(tests[test] for test in chosen).run(result)

        answer = trials.judge(
            lambda whole: forked(lambda tell: run(whole, tell), trials.within(work["timeoutS"]))
        )
        written.restore()
        return answer

    calls = {test: case_call(type(case), case._testMethodName) for test, case in tests.items()}
    calls = {test: call for test, call in calls.items() if call is not None}
    wanted = {test: calls[test] for test in work["failing"] if test in calls}
    group = Group(trials, live, wanted, Alarm(options.test_s), work)
    if not trials.asks_each:
        group.measure({test: call for test, call in calls.items() if test not in wanted})
    trials.serve_live(group, live, attempt)
    if not trials.asks_each:
        trials.look(group, live)
    return 0


class _Result(unittest.TestResult):
    """Tells how each test ended."""

    def __init__(self, trials, tell, stop, test_s):
        super().__init__()
        self._trials, self._tell, self._stop = trials, tell, stop
        self._alarm = Alarm(test_s)
        self._outcome = None

    def startTest(self, test):
        super().startTest(test)
        self._outcome = None
        self._alarm.cpu_s = self._trials.limit(test.id())
        self._alarm.__enter__()

    def stopTest(self, test):
        self._alarm.__exit__(None)
        outcome = "hung" if self._alarm.rang else self._outcome or "error"
        self._tell(test.id(), outcome)
        if self._stop.after(outcome):
            self.stop()
        super().stopTest(test)

    def addSuccess(self, test):
        self._outcome = self._outcome or "passed"

    def addFailure(self, test, err):
        self._outcome = "failed"

    def addError(self, test, err):
        self._outcome = "failed"
        if not hasattr(test, "_testMethodName"):
            # A class's or a module's fixture failed, and so does each of its tests.
            self._tell(test.id(), "error")
            self.stop()

    def addSubTest(self, test, subtest, err):
        if err is not None:
            self._outcome = "failed"

    def addSkip(self, test, reason):
        self._outcome = self._outcome or "skipped"

    def addExpectedFailure(self, test, err):
        self._outcome = "xfailed"

    def addUnexpectedSuccess(self, test):
        self._outcome = "failed"
