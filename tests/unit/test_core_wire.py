"""Domain values survive the way to JSON text and back, with camelCase keys."""

from __future__ import annotations

import json

from greenline.core.edit import EditSet, FileChange, Hunk
from greenline.core.event import Event, EventKind
from greenline.core.evidence import (
    Evidence,
    HunkEvidence,
    Outcome,
    RunEnd,
    TestReport,
    TestResult,
    Verdict,
)
from greenline.core.ids import new_id
from greenline.core.task import Plan, PlanEntry, Proposal, Run, RunState, Task
from greenline.core.wire import from_json, to_json

REPORT = TestReport(
    RunEnd.COMPLETE,
    (TestResult("t.py::a", Outcome.PASSED, 0.5, "t.py", 3),),
    {"t.py::a": {"m.py": (1, 2)}},
)
PROPOSAL = Proposal(
    "proposal-1",
    "run-1",
    (Hunk("hunk-1", "/w/m.py", "edit", 1, 2, "a\r\n", "b\r\n", "00" * 32, 7),),
    Evidence(
        Verdict.VERIFIED,
        "",
        "1 test fixed",
        REPORT,
        REPORT,
        hunks=(HunkEvidence("hunk-1", "covered", ("a",)),),
    ),
)


def test_values_survive_json_text() -> None:
    run = Run(
        "run-1",
        Task("fix", ("/w",)),
        RunState.PROPOSED,
        1.5,
        Plan(1, (PlanEntry(1, "look"),)),
        PROPOSAL,
        4,
    )
    edits = EditSet((FileChange("/w/m.py", b"\xff\x00", None),))
    event = Event("run-1", 1, 2.0, EventKind.USAGE, {"promptTokens": 3, "nested": [1, {"a": None}]})

    for value in (run, edits, event):
        text = json.dumps(to_json(value))
        assert from_json(json.loads(text), type(value)) == value


def test_keys_are_camel_case_and_test_ids_are_left_alone() -> None:
    data = to_json(PROPOSAL)

    assert data["runId"] == "run-1"
    assert data["hunks"][0]["startLine"] == 1
    assert data["evidence"]["base"]["coverage"] == {"t.py::a": {"m.py": [1, 2]}}


def test_ids_sort_by_time_and_do_not_repeat() -> None:
    ids = [new_id("run") for _ in range(500)]

    assert len(set(ids)) == 500
    assert [i[:13] for i in ids] == sorted(i[:13] for i in ids)
