import asyncio

from program import JobQueue


async def double(number):
    await asyncio.sleep(0)
    return number * 2


async def broken():
    raise RuntimeError("no disk")


def test_empty_queue():
    async def main():
        return await JobQueue().drain()

    assert asyncio.run(main()) == 0


def test_results():
    async def main():
        queue = JobQueue()
        await queue.submit("a", double, 4)
        await queue.submit("b", double, 5)
        await queue.drain()
        return queue.results

    assert asyncio.run(main()) == {"a": 8, "b": 10}


def test_failure_is_kept_apart():
    async def main():
        queue = JobQueue()
        await queue.submit("bad", broken)
        await queue.submit("good", double, 1)
        worked = await queue.drain()
        return worked, queue.failures

    assert asyncio.run(main()) == (1, {"bad": "no disk"})
