from program import Job, profit, rejected, schedule

JOBS = [Job("a", 2, 100), Job("b", 1, 19), Job("c", 2, 27), Job("d", 1, 25), Job("e", 3, 15)]


def test_nothing():
    assert schedule([]) == []
    assert profit([]) == 0


def test_late_slot_is_preferred():
    assert schedule([Job("x", 3, 5)]) == [None, None, "x"]


def test_classic():
    assert schedule(JOBS) == ["c", "a", "e"]
    assert profit(JOBS) == 142


def test_rejected():
    assert rejected(JOBS) == ["b", "d"]


def test_one_slot():
    assert schedule([Job("only", 1, 7)]) == ["only"]
