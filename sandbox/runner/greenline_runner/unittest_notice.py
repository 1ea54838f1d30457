"""Asking tests about mutants with unittest, discovered once."""

import unittest

from greenline_runner import unittest_side
from greenline_runner.notice import Asking
from greenline_runner.trial import Stop
from greenline_runner.unittest_trial import _Result


def host(options, channel, work):
    """Go through the suite, and send one `notice` record for each answer."""
    tests = unittest_side._discover(options.root)
    asking = Asking(work, options.root, channel.send)

    def run(test, tell):
        result = _Answer(asking, tell, Stop(False, is_control=True), options.test_s)
        unittest.TestSuite([test]).run(result)

    for test in tests:
        if asking.over():
            break
        if test.id() in asking.asked:
            asking.ask(test.id(), lambda tell, test=test: run(test, tell))
        elif test.id() in asking.own:
            asking.has_run()
            run(test, lambda name, outcome: None)
    return 0


class _Answer(_Result):
    """Tells a test that raised something else from one whose assertion failed."""

    def addError(self, test, err):
        super().addError(test, err)
        if hasattr(test, "_testMethodName"):
            self._outcome = "error"
