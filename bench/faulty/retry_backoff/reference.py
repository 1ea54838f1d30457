"""Retrying of calls with growing delays; the caller provides the sleeping."""


class ServiceError(Exception):
    pass


class TransientError(ServiceError):
    """It may work the next time."""


class PermanentError(ServiceError):
    """It will never work."""


class RetriesExhausted(Exception):
    def __init__(self, attempts, last):
        super().__init__(f"gave up after {attempts} attempts: {last}")
        self.attempts = attempts
        self.last = last


def delays(base, factor, limit):
    delay = base
    while True:
        yield min(delay, limit)
        delay *= factor


def call_with_retry(function, sleep, attempts=4, base=0.5, factor=2, limit=10.0):
    """Call until it works; only transient errors are tried again."""
    waits = delays(base, factor, limit)
    for attempt in range(1, attempts + 1):
        try:
            return function()
        except TransientError as error:
            if attempt == attempts:
                raise RetriesExhausted(attempt, error) from error
            sleep(next(waits))
    raise ValueError("attempts must be at least 1")
