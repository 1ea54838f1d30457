import asyncio

from program import JobQueue


def run(build, workers=2):
    async def main():
        queue = JobQueue(workers)
        log = []
        await build(queue, log)
        count = await queue.drain()
        return queue, log, count

    return asyncio.run(main())


def test_priority_order_with_one_worker():
    async def build(queue, log):
        async def note(name):
            log.append(name)
            return name

        await queue.submit("low", note, "low", priority=20)
        await queue.submit("first", note, "first")
        await queue.submit("second", note, "second")
        await queue.submit("high", note, "high", priority=1)

    queue, log, count = run(build, workers=1)
    assert log == ["high", "first", "second", "low"]
    assert count == 4
    assert queue.results == {name: name for name in log}


def test_workers_overlap():
    async def build(queue, log):
        async def job(name):
            log.append("start " + name)
            await asyncio.sleep(0)
            log.append("end " + name)

        await queue.submit("a", job, "a")
        await queue.submit("b", job, "b")

    queue, log, count = run(build)
    assert log == ["start a", "start b", "end a", "end b"]
    assert queue.results == {"a": None, "b": None}


def test_one_worker_does_not_overlap():
    async def build(queue, log):
        async def job(name):
            log.append("start " + name)
            await asyncio.sleep(0)
            log.append("end " + name)

        await queue.submit("a", job, "a")
        await queue.submit("b", job, "b")

    _, log, _ = run(build, workers=1)
    assert log == ["start a", "end a", "start b", "end b"]


def test_failure_late_in_the_job():
    async def build(queue, log):
        async def job():
            await asyncio.sleep(0)
            raise KeyError("late")

        await queue.submit("x", job)

    queue, _, count = run(build)
    assert count == 0
    assert queue.results == {}
    assert queue.failures == {"x": "'late'"}


def test_job_that_submits_another():
    async def build(queue, log):
        async def child():
            return "child"

        async def parent():
            await queue.submit("child", child)
            return "parent"

        await queue.submit("parent", parent)

    queue, _, count = run(build, workers=1)
    assert queue.results == {"parent": "parent", "child": "child"}
    assert count == 2


def test_arguments():
    async def build(queue, log):
        async def add(a, b, c):
            return a + b + c

        await queue.submit("sum", add, 1, 2, 3)

    assert run(build)[0].results == {"sum": 6}


def test_many_jobs():
    async def build(queue, log):
        async def square(n):
            await asyncio.sleep(0)
            return n * n

        for n in range(25):
            await queue.submit(n, square, n)

    queue, _, count = run(build, workers=4)
    assert count == 25
    assert queue.results == {n: n * n for n in range(25)}


def test_default_is_two_workers():
    async def main():
        queue, log = JobQueue(), []

        async def job(name):
            log.append(name)
            for _ in range(3):
                await asyncio.sleep(0)
            log.append(name)

        for name in "abc":
            await queue.submit(name, job, name)
        await queue.drain()
        return log

    assert asyncio.run(main())[:3] == ["a", "b", "a"]
