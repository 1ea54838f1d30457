from itertools import permutations

import pytest
from program import Job, profit, rejected, schedule


def best_profit(jobs):
    best = 0
    for order in permutations(jobs):
        time = gained = 0
        for job in order:
            if time < job.deadline:
                time += 1
                gained += job.profit
        best = max(best, gained)
    return best


def make(seed):
    return [Job(f"j{k}", (seed + k * k) % 4 + 1, (seed * 7 + k * 13) % 31 + 1) for k in range(seed % 7)]


@pytest.mark.parametrize("seed", range(35))
def test_profit_is_the_best_possible(seed):
    jobs = make(seed)
    assert profit(jobs) == best_profit(jobs)


@pytest.mark.parametrize("seed", range(35))
def test_deadlines_hold(seed):
    jobs = make(seed)
    result = schedule(jobs)
    deadlines = {job.name: job.deadline for job in jobs}
    for slot, name in enumerate(result):
        assert name is None or slot < deadlines[name]
    named = [name for name in result if name]
    assert sorted(named + rejected(jobs)) == sorted(deadlines)


def test_higher_profit_wins_the_only_slot():
    assert schedule([Job("low", 1, 1), Job("high", 1, 9)]) == ["high"]


def test_equal_profit_keeps_the_given_order():
    assert schedule([Job("p", 1, 5), Job("q", 1, 5)]) == ["p"]


def test_jobs_move_forward_when_late_slots_are_taken():
    assert schedule([Job("a", 3, 9), Job("b", 3, 8), Job("c", 3, 7)]) == ["c", "b", "a"]


def test_gap():
    assert schedule([Job("a", 1, 1), Job("b", 3, 1)]) == ["a", None, "b"]


def test_nothing_rejected():
    assert rejected([Job("a", 1, 1), Job("b", 2, 1)]) == []
