"""Limits calls per client within any period of a given length."""

from collections import deque


class SlidingLimiter:
    """Allow at most ``limit`` calls of a client within any ``period`` seconds."""

    def __init__(self, limit, period):
        self.limit = limit
        self.period = period
        self._calls = {}

    def _recent(self, client, now):
        calls = self._calls.setdefault(client, deque())
        while calls and calls[0] <= now - self.period:
            calls.popleft()
        return calls

    def allow(self, client, now):
        calls = self._recent(client, now)
        if len(calls) >= self.limit:
            return False
        calls.append(now)
        return True

    def remaining(self, client, now):
        return self.limit - len(self._recent(client, now))

    def retry_after(self, client, now):
        """Return the seconds until the next call is allowed."""
        calls = self._recent(client, now)
        if len(calls) < self.limit:
            return 0
        return calls[0] + self.period - now
