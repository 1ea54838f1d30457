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

    async def run(self, jobs):
        """Run ``{name: coroutine function}`` and return outcomes in the order of the jobs."""
        outcomes = []
        for name, job in jobs.items():
            task = asyncio.ensure_future(job())
            outcomes.append(Outcome(name, value=await task))
        return outcomes


def summary(outcomes):
    good = sum(outcome.ok for outcome in outcomes)
    return f"{good} of {len(outcomes)} worked"
