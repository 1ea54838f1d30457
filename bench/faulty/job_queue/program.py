"""A small asynchronous job queue with priorities."""

import asyncio
import itertools


class JobQueue:
    def __init__(self, workers=2):
        self.workers = workers
        self.results = {}
        self.failures = {}
        self._queue = asyncio.PriorityQueue()
        self._order = itertools.count()

    async def submit(self, name, handler, *args, priority=10):
        await self._queue.put((priority, next(self._order), name, handler, args))

    async def _run_one(self, name, handler, args):
        try:
            self.results[name] = handler(*args)
        except Exception as error:
            self.failures[name] = str(error)

    async def _worker(self):
        while not self._queue.empty():
            _, _, name, handler, args = self._queue.get_nowait()
            await self._run_one(name, handler, args)

    async def drain(self):
        """Run all jobs, the lowest priority number first, and return how many worked."""
        await asyncio.gather(*(self._worker() for _ in range(self.workers)))
        return len(self.results)
