"""Several candidates in one forked process, as long as the tests leave no trace in it."""

from greenline_runner.state import Unknown, state
from greenline_runner.trial import Stop, forked

_SIZE = 20
_ON_DISK = (b"open(", b"write_", b"mkdir", b"unlink", b"shutil", b"tempfile", b"sqlite3", b"subprocess")


class Group:
    """Runs those of the failing tests that are plain calls; `calls` is test id → call."""

    def __init__(self, trials, live, calls, alarm, timeout_s):
        self._trials = trials
        self._calls = calls
        self._alarm = alarm
        self._timeout_s = timeout_s
        self._modules = list(live.loaded.values())
        self._files = list(live.loaded)
        self.size = _SIZE if calls and self._is_traceless() else 1
        """How many candidates to give at once; 1: there is nothing to win."""

    def _is_traceless(self):
        for path in self._files:
            with open(path, "rb") as file:
                text = file.read()
            if any(word in text for word in _ON_DISK):
                return False
        try:
            return state(self._modules) == state(self._modules)
        except Unknown:
            return False

    def run(self, candidates):
        """Return index → (tests that pass, whether one hung) for the candidates, or for the first few.

        A candidate is an index and its (function, code) pairs.
        """
        told = forked(lambda tell: self._run(candidates, tell), self._timeout_s + len(candidates))
        order = list(self._calls)
        found = {}
        for index, _ in candidates:
            marks = told.get(str(index))
            if marks is None:
                break
            passed = [test for test, mark in zip(order, marks) if mark == "+"]  # noqa: B905
            found[index] = passed, "h" in marks
        return found

    def _run(self, candidates, tell):
        before = state(self._modules)
        for index, patches in candidates:
            old = [(function, function.__code__) for function, _ in patches]
            for function, code in patches:
                function.__code__ = code
            marks = self._marks()
            tell(str(index), marks)
            for function, code in old:
                function.__code__ = code
            try:
                if "h" in marks or state(self._modules) != before:
                    return
            except Unknown:
                return

    def _marks(self):
        """Return a mark for each test that was asked: + passed, - failed, h did not end."""
        stop, marks = Stop(False), ""
        for test, call in self._calls.items():
            outcome = timed(call, self._alarm, self._trials.limit(test))
            marks += {"passed": "+", "hung": "h"}.get(outcome, "-")
            if stop.after(outcome):
                break
        return marks


def timed(call, alarm, cpu_s):
    """Run a plain call and return its outcome."""
    alarm.cpu_s = cpu_s
    try:
        with alarm:
            call()
    except BaseException:  # noqa: BLE001 - whatever it raises, the test has failed
        return "hung" if alarm.rang else "failed"
    return "hung" if alarm.rang else "passed"
