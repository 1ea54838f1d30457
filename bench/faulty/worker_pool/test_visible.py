import asyncio

import pytest
from program import Outcome, Pool, summary


def test_values_in_order():
    async def one():
        return 1

    async def two():
        return 2

    outcomes = asyncio.run(Pool(2).run({"a": one, "b": two}))
    assert outcomes == [Outcome("a", 1), Outcome("b", 2)]
    assert summary(outcomes) == "2 of 2 worked"


def test_failure_does_not_stop_the_others():
    async def bad():
        raise RuntimeError("no route")

    async def good():
        return "fine"

    outcomes = asyncio.run(Pool(1).run({"bad": bad, "good": good}))
    assert outcomes == [Outcome("bad", None, "no route"), Outcome("good", "fine")]


def test_jobs_overlap():
    async def main():
        met = asyncio.Event()

        async def wait():
            for _ in range(100):
                if met.is_set():
                    return "met"
                await asyncio.sleep(0)
            return "alone"

        async def meet():
            met.set()

        return await Pool(2).run({"wait": wait, "meet": meet})

    assert asyncio.run(main())[0].value == "met"


def test_limit_must_be_positive():
    with pytest.raises(ValueError):
        Pool(0)
