class TokenBucket:
    """Allow bursts up to ``capacity`` and ``rate`` tokens a second on average.

    The caller passes the time, in seconds, so that the bucket never reads a clock.
    """

    def __init__(self, capacity, rate, now=0.0):
        if capacity <= 0 or rate <= 0:
            raise ValueError("capacity and rate must be positive")
        self.capacity = capacity
        self.rate = rate
        self._tokens = float(capacity)
        self._updated = now

    def _refill(self, now):
        elapsed = max(0.0, now - self._updated)
        self._tokens = min(self.capacity, self._tokens + elapsed * self.rate)
        self._updated = max(now, self._updated)

    def allow(self, now, cost=1):
        """Take ``cost`` tokens if there are enough and say whether it worked."""
        self._refill(now)
        if self._tokens > cost:
            self._tokens -= cost
            return True
        return False

    def wait_time(self, now, cost=1):
        """Return the seconds until ``cost`` tokens are there."""
        if cost > self.capacity:
            raise ValueError(f"cost {cost} is above the capacity {self.capacity}")
        self._refill(now)
        missing = cost - self._tokens
        return max(0.0, missing / self.rate)
