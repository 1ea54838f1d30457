"""A limit on one test's time: a signal that raises in the main thread, which the runner sees."""

import signal

_WAITS = 5


class TimeLimit(BaseException):
    """The test did not end in time; no `except Exception` of the project's takes it."""


class Alarm:
    """Raises `TimeLimit` in what is entered for longer than `seconds`; does nothing where that is 0.

    It goes on raising, since a loop may hold a bare `except`; and later tests get an eighth of the
    time, since they tend to hang for the same reason. A suite whose tests are slow has more time: never
    less than `_TIMES` as long as the longest that ended by itself. What waits inside a C function that
    never looks for signals is not reached: the container's own limit ends that.

    Where `cpu_s` is set, that much processor time is the limit too: a loop without an end uses it up
    early, however busy the machine is, and a test that only waits does not.
    """

    _TIMES = 8

    def __init__(self, seconds):
        self._seconds = seconds
        self._longest = 0.0
        self._entered = 0.0
        self.cpu_s = 0.0
        self.rang = False
        """Whether a test was interrupted."""
        self.rung = False
        """The same since the user of the alarm set it to False."""

    def __enter__(self):
        if self._seconds:
            from time import monotonic

            self._entered = monotonic()
            signal.signal(signal.SIGALRM, self._ring)
            wall_s = max(self._seconds, self._TIMES * self._longest)
            signal.setitimer(signal.ITIMER_REAL, wall_s, min(wall_s, 0.5))
        if self.cpu_s:
            signal.signal(signal.SIGPROF, self._ring)
            signal.setitimer(signal.ITIMER_PROF, self.cpu_s, min(self.cpu_s, 0.1))

    def __exit__(self, kind, *_):
        if self.cpu_s:
            signal.setitimer(signal.ITIMER_PROF, 0.0)
        if self._seconds:
            from time import monotonic

            signal.setitimer(signal.ITIMER_REAL, 0.0)
            if not self.rang:
                self._longest = max(self._longest, monotonic() - self._entered)

    def _ring(self, number, _):
        self.rung = True
        unit = " of processor time" if number == signal.SIGPROF else ""
        seconds = self.cpu_s if unit else self._seconds
        if not self.rang:
            self.rang = True
            self._seconds, self.cpu_s = _shorter(self._seconds), _shorter(self.cpu_s)
        raise TimeLimit(f"the test did not end within {seconds:g} s{unit}")


def alarm_for(seconds):
    """Return the alarm of `--test-seconds`: that much processor time, and some times as long by the clock."""
    alarm = Alarm(_WAITS * seconds)
    alarm.cpu_s = seconds
    return alarm


def _shorter(seconds):
    return max(seconds / 8, min(seconds, 0.5))
