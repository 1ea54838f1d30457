"""The cases of `make bench`: none of a sample is applied wrongly or in part, and the judge can tell."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from bench.edits_applier import Score, judge, measure_applier, ours
from bench.edits_case import Case
from bench.edits_mix import cases


@pytest.fixture(scope="module")
def score() -> Score:
    return measure_applier(ours, list(cases(seed=7, count=180)))


def test_no_case_is_applied_wrongly_or_in_part(score: Score) -> None:
    assert score.answered["wrong"] == score.answered["partial"] == 0
    assert score.answered["right"] >= 0.97 * sum(score.answered.values())
    assert score.unanswered == Counter(refused=sum(score.unanswered.values()))


def test_the_sample_has_both_sorts(score: Score) -> None:
    assert sum(score.answered.values()) > 100
    assert sum(score.unanswered.values()) > 10


def test_the_judge_tells_outcomes_apart() -> None:
    case = Case("", {"a": b"1"}, "", {"a": b"2"})

    assert judge(case, {"a": b"2"}, claimed=True) == "right"
    assert judge(case, {"a": b"3"}, claimed=True) == "wrong"
    assert judge(case, {"a": b"1"}, claimed=True) == "wrong"
    assert judge(case, {"a": b"1"}, claimed=False) == "refused"
    assert judge(case, {"a": b"2"}, claimed=False) == "partial"


def test_an_applier_that_writes_what_it_likes_is_found_out() -> None:
    def careless(folder: Path, edit: str) -> bool:
        for path in folder.iterdir():
            path.write_bytes(b"")
        return True

    score = measure_applier(careless, list(cases(seed=7, count=60)))

    assert score.answered["wrong"] == sum(score.answered.values())
    assert score.unanswered["wrong"] == sum(score.unanswered.values())
