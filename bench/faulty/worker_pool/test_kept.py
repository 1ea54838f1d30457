import asyncio

import pytest
from program import Outcome, Pool, summary


@pytest.mark.parametrize("limit, n_jobs, peak", [(1, 4, 1), (2, 5, 2), (3, 9, 3), (10, 4, 4)])
def test_peak(limit, n_jobs, peak):
    running = []
    seen = []

    async def job():
        running.append(1)
        seen.append(len(running))
        for _ in range(5):
            await asyncio.sleep(0)
        running.pop()

    outcomes = asyncio.run(Pool(limit).run({str(n): job for n in range(n_jobs)}))
    assert max(seen) == peak
    assert len(outcomes) == n_jobs


def test_order_is_that_of_the_jobs():
    def job(rounds):
        async def run():
            for _ in range(rounds):
                await asyncio.sleep(0)
            return rounds

        return run

    outcomes = asyncio.run(Pool(3).run({"slow": job(9), "fast": job(1), "middle": job(4)}))
    assert [(o.name, o.value) for o in outcomes] == [("slow", 9), ("fast", 1), ("middle", 4)]


def flaky(failures):
    calls = []

    async def job():
        calls.append(1)
        if len(calls) <= failures:
            raise OSError(f"try {len(calls)}")
        return len(calls)

    return job, calls


@pytest.mark.parametrize(
    "failures, attempts, outcome, n_calls",
    [
        (0, 3, Outcome("x", 1), 1),
        (2, 3, Outcome("x", 3), 3),
        (3, 3, Outcome("x", None, "try 3"), 3),
        (1, 1, Outcome("x", None, "try 1"), 1),
    ],
)
def test_attempts(failures, attempts, outcome, n_calls):
    job, calls = flaky(failures)
    assert asyncio.run(Pool(1, attempts).run({"x": job})) == [outcome]
    assert len(calls) == n_calls


def test_error_without_text():
    async def job():
        raise KeyError

    (outcome,) = asyncio.run(Pool(1).run({"x": job}))
    assert outcome.error == "KeyError"
    assert not outcome.ok


def test_no_jobs():
    assert list(asyncio.run(Pool(1).run({}))) == []
    assert summary([]) == "0 of 0 worked"


def test_summary():
    assert summary([Outcome("a"), Outcome("b", error="x"), Outcome("c", 1)]) == "2 of 3 worked"


def test_default_is_one_attempt():
    job, calls = flaky(1)
    assert asyncio.run(Pool(2).run({"x": job})) == [Outcome("x", None, "try 1")]
    assert calls == [1]
