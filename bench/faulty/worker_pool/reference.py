"""Runs asynchronous jobs with a limit on how many run at once."""

import asyncio
from dataclasses import dataclass


@dataclass
class Outcome:
    name: str
    value: object = None
    error: str = ""

    @property
    def ok(self):
        return not self.error


class Pool:
    def __init__(self, limit, attempts=1):
        if limit < 1:
            raise ValueError("limit must be at least 1")
        self.limit = limit
        self.attempts = attempts

    async def _run_one(self, name, job, gate):
        async with gate:
            outcome = Outcome(name)
            for _ in range(self.attempts):
                try:
                    return Outcome(name, value=await job())
                except Exception as error:
                    outcome.error = str(error) or type(error).__name__
            return outcome

    async def run(self, jobs):
        """Run ``{name: coroutine function}`` and return outcomes in the order of the jobs."""
        gate = asyncio.Semaphore(self.limit)
        return await asyncio.gather(*(self._run_one(name, job, gate) for name, job in jobs.items()))


def summary(outcomes):
    good = sum(outcome.ok for outcome in outcomes)
    return f"{good} of {len(outcomes)} worked"
