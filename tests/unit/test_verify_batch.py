"""What is read of a batch's report: whole lines of candidates that were asked for, whatever else it holds."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from greenline.verify.batch import Trial, read_trials

ANSWER = {"kind": "candidate", "index": 0, "passed": ["a"], "whole": True, "hung": False, "bad": []}
LOOK = {"kind": "look", "index": 0, "seen": {"b": "2", "a": "1"}}
VALUES = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=2)
JSON = st.recursive(
    VALUES, lambda v: st.lists(v, max_size=2) | st.dictionaries(st.text(max_size=2), v, max_size=2)
)


def lines(*records: Any) -> bytes:
    return b"".join(json.dumps(record).encode() + b"\n" for record in records)


def test_a_candidate_is_read_with_its_look() -> None:
    assert read_trials(lines(ANSWER, LOOK), 1) == {
        0: Trial(frozenset({"a"}), whole=True, look=(("a", "1"), ("b", "2")))
    }


@given(st.integers(0, len(lines(ANSWER)) - 2))
def test_a_line_that_was_cut_short_says_nothing(length: int) -> None:
    whole = lines(ANSWER)

    assert set(read_trials(whole + lines({**ANSWER, "index": 1})[:length], 2)) == {0}


@given(st.sampled_from([ANSWER, LOOK]), st.sampled_from(sorted({*ANSWER, *LOOK})), JSON)
def test_a_line_of_the_projects_own_hides_no_other(record: dict[str, Any], name: str, value: Any) -> None:
    forged = {**record, "index": 1, name: value}

    found = read_trials(lines(forged, value, ANSWER), 2)

    assert found[0].passed == {"a"}
    assert all(isinstance(test, str) for trial in found.values() for test in (*trial.passed, *trial.bad))


@pytest.mark.parametrize("index", [-1, 1])
def test_a_candidate_that_was_not_asked_for_is_none(index: int) -> None:
    assert read_trials(lines({**ANSWER, "index": index}), 1) == {}
