"""Several candidates in one forked process, as long as the tests leave no trace in it."""

from time import monotonic, process_time

from greenline_runner.alarm import Alarm
from greenline_runner.state import Unknown, state
from greenline_runner.trial import Stop, forked

_SIZE = 20
_SPARE_S = 0.04
_TIMES = 10
_VARIANTS = 240
_LOOK_S = 1.0
_LOOK_EACH_S = 0.05
_LOOK_WAIT_S = 0.5
"""How long one variant may take by the clock."""
_LOOK_LOST_S = 1.0
"""How long the variants of one test that did not end may have taken before it is left out."""
_WAITS_S = 0.25
"""A test that takes longer by the clock is not varied: most of that is waiting."""
_MEASURED = 40
"""How many sound tests are measured."""
_ON_DISK = (b"open(", b"write_", b"mkdir", b"unlink", b"shutil", b"tempfile", b"sqlite3", b"subprocess")


class Group:
    """Runs those of the failing tests that are plain calls; `calls` is test id → call."""

    def __init__(self, trials, live, calls, alarm, work):
        self._trials = trials
        self._live = live
        self.calls = calls
        """Failing test id → call."""
        self._alarm = alarm
        self._timeout_s = work["timeoutS"]
        self._patience = work["patience"]
        self._broken = set(work["broken"])
        self._sound = {}
        self._longest = 0.01
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

    def measure(self, calls):
        """Let what sound tests take on the base say how long a test may take; `calls` is test id → call."""

        calls = dict([item for item in calls.items() if item[0] not in self._broken][:_MEASURED])

        def work(tell):
            for test, call in calls.items():
                begun, entered = process_time(), monotonic()
                if timed(call, self._alarm, self._trials.limit(test)) == "hung":
                    return
                tell(test, f"{process_time() - begun} {monotonic() - entered}")

        answers = forked(work, self._trials.within(self._timeout_s))
        told = {test: tuple(map(float, s.split())) for test, s in answers.items() if test in calls}
        # What was not measured would take too long as well.
        self._sound = {test: calls[test] for test, (_, wall_s) in told.items() if wall_s < _WAITS_S}
        if told:
            longest = self._longest = max(cpu_s for cpu_s, _ in told.values())
            for test in self.calls:
                self._trials.limits[test] = self._patience * (_SPARE_S + _TIMES * longest)

    def run(self, candidates):
        """Return index → (tests that pass, whether one hung) for the candidates, or for the first few.

        A candidate is an index and its (function, code) pairs.
        """
        timeout_s = self._trials.within(self._timeout_s + len(candidates))
        told = forked(lambda tell: self._run(candidates, tell), timeout_s)
        order = list(self.calls)
        found = {}
        for index, _ in candidates:
            marks = told.get(str(index))
            if marks is None:
                break
            passed = [test for test, mark in zip(order, marks) if mark == "+"]  # noqa: B905
            found[index] = passed, "h" in marks
        return found

    def look(self, patches):
        """Return what a candidate does near its tests: a digest for each variant of a test."""
        from greenline_runner import probe

        calls = {**self.calls, **self._sound}
        plain = {test: call.plain for test, call in calls.items() if hasattr(call, "plain")}
        n_variants = int(min(_VARIANTS, max(_VARIANTS / 10, _LOOK_S / max(self._longest, 0.001))))

        def work(tell):
            for function, code in patches:
                function.__code__ = code
            alarm, lost_s = Alarm(_LOOK_WAIT_S), {}
            for test, number, variant in probe.variants(plain, n_variants):
                if lost_s.get(test, 0.0) > _LOOK_LOST_S:
                    continue
                entered = monotonic()
                seen = probe.digest(variant, alarm, _LOOK_EACH_S)
                if seen:
                    tell(f"{number}:{test}", seen)
                else:
                    lost_s[test] = lost_s.get(test, 0.0) + monotonic() - entered

        answers = forked(work, self._trials.within_all(self._timeout_s))
        return {name: seen for name, seen in answers.items() if ":" in name}

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
                if "h" in marks or self._live.has_grown() or state(self._modules) != before:
                    return
            except Unknown:
                return

    def _marks(self):
        """Return a mark for each test that was asked: + passed, - failed, h did not end."""
        stop, marks = Stop(False), ""
        for test, call in self.calls.items():
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
