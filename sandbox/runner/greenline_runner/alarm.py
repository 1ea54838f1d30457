"""A limit on one test's time: a signal that raises in the main thread, which the runner sees."""

import signal


class TimeLimit(BaseException):
    """The test did not end in time; no `except Exception` of the project's takes it."""


class Alarm:
    """Raises `TimeLimit` in what is entered for longer than `seconds`; does nothing where that is 0.

    It goes on raising, since a loop may hold a bare `except`; and later tests get an eighth of the
    time, since they tend to hang for the same reason. What waits inside a C function that never looks
    for signals is not reached: the container's own limit ends that.
    """

    def __init__(self, seconds):
        self._seconds = seconds
        self.rang = False
        """Whether a test was interrupted."""

    def __enter__(self):
        if self._seconds:
            signal.signal(signal.SIGALRM, self._ring)
            signal.setitimer(signal.ITIMER_REAL, self._seconds, min(self._seconds, 0.5))

    def __exit__(self, *_):
        if self._seconds:
            signal.setitimer(signal.ITIMER_REAL, 0.0)

    def _ring(self, *_):
        seconds = self._seconds
        if not self.rang:
            self.rang, self._seconds = True, max(seconds / 8, min(seconds, 0.5))
        raise TimeLimit(f"the test did not end within {seconds:g} s")
