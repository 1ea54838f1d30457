"""Limits calls per client within any period of a given length."""


class SlidingLimiter:
    """Allow at most ``limit`` calls of a client within any ``period`` seconds."""

    def __init__(self, limit, period):
        self.limit = limit
        self.period = period
        self._counts = {}

    def _count(self, client, now):
        window = now // self.period
        started, count = self._counts.get(client, (window, 0))
        if started != window:
            count = 0
        return window, count

    def allow(self, client, now):
        window, count = self._count(client, now)
        if count >= self.limit:
            return False
        self._counts[client] = (window, count + 1)
        return True

    def remaining(self, client, now):
        return self.limit - self._count(client, now)[1]

    def retry_after(self, client, now):
        """Return the seconds until the next call is allowed."""
        window, count = self._count(client, now)
        if count < self.limit:
            return 0
        return (window + 1) * self.period - now
