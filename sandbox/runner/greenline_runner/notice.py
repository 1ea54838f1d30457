"""Which mutants single tests notice, among what the other tests leave behind; what the runners share.

The suite is gone through in its order. A test that is the patch's own runs as in any run, in this process,
and whatever it leaves behind stays. One that is asked about mutants runs in a forked process for each.
"""

import gc
import time

from greenline_runner.candidate import Written
from greenline_runner.live import Live
from greenline_runner.trial import forked, within

CONTROL = -1
"""The index of a test that ran without a mutant."""


class Asking:
    """Asks tests as `work` says; `send` gets a record for each answer."""

    def __init__(self, work, root, send):
        self._work = work
        self._send = send
        self._live = Live(root)
        self._ends = None
        self._is_settled = False
        self.asked = work["asked"]
        """Test id → indices of the candidates that it is asked about."""
        self.own = frozenset(work["own"])
        """Ids of the tests that run in this process."""

    def over(self):
        """Return whether the time is up, which begins with the first time that this is asked."""
        if self._ends is None:
            self._ends = time.monotonic() + self._work["wallS"]
        return time.monotonic() > self._ends

    def limit(self, test):
        """Return the processor time that a test may take, in seconds."""
        return self._work["limits"].get(test, self._work["limitS"])

    def has_run(self):
        """Be told that tests have run in this process, which may have imported and replaced anything."""
        self._is_settled = False

    def ask(self, test, run):
        """Ask one test about its mutants; `run(tell)` runs it in the forked process.

        Where it noticed one, it is asked without any as well.
        """
        self._settle()
        noticed = False
        for index in self.asked[test]:
            if self.over():
                return
            outcome = self._answer(test, index, run)
            noticed = noticed or outcome in ("failed", "error")
        if noticed:
            self._answer(test, CONTROL, run)

    def _answer(self, test, index, run):
        edits = self._work["candidates"][index] if index != CONTROL else []
        # None: the function is nowhere in the program, or its file is imported by the test itself.
        patches = self._live.patches(edits) or ()
        written = Written(index, edits) if edits else None

        def work(tell):
            for function, code in patches:
                function.__code__ = code
            run(tell)

        answers = forked(work, within(self._work["timeoutS"], self._ends))
        if written is not None:
            written.restore()
        outcome = _outcome(test, answers)
        self._send({"kind": "notice", "test": test, "index": index, "outcome": outcome})
        return outcome

    def _settle(self):
        if not self._is_settled:
            self._live.settle()
            gc.collect()
            gc.freeze()
            self._is_settled = True


def _outcome(test, answers):
    if "process" in answers:
        return "hung" if answers["process"] == "hung" else "died"
    if test in answers:
        return answers[test]
    # What is set up for its class or module ended badly.
    return "error" if answers else "died"
