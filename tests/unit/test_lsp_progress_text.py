"""A run's events as lines of progress."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from greenline.core.event import Event, EventKind
from greenline.lsp.progress_text import progress_text


def said(kind: EventKind, data: dict[str, Any]) -> str:
    return progress_text(Event("run-1", 1, 0.0, kind, data))


@pytest.mark.parametrize(
    ("kind", "data", "text"),
    [
        (EventKind.STATE, {"state": "executing", "note": ""}, ""),
        (EventKind.STATE, {"state": "executing", "note": "Resumed."}, "goes on"),
        (EventKind.STATE, {"state": "awaitingApproval", "note": ""}, "the plan waits for you"),
        (EventKind.STATE, {"state": "verifying"}, "verifying"),
        (EventKind.COMMAND, {"text": "trying pairs"}, "trying pairs"),
        (EventKind.TOOL_CALL, {"tool": "read_file", "arguments": {"path": "a.py"}}, "read_file a.py"),
        (EventKind.TOOL_CALL, {"tool": "run_tests", "arguments": {}}, "run_tests"),
        (EventKind.TOOL_CALL, {"tool": "read_file", "arguments": "no object"}, "read_file"),
        (EventKind.TOOL_RESULT, {"tool": "read_file", "status": "completed", "text": "code\ncode"}, ""),
        (EventKind.TOOL_RESULT, {"tool": "edit_file", "status": "failed", "text": "no-match\nmore"},
         "edit_file failed: no-match"),
        (EventKind.EDIT, {"nHunks": 2, "paths": ["/w/a.py", "/w/b.py"]}, "staged 2 hunks in a.py, b.py"),
        (EventKind.TEST_REPORT, {"verdict": "flaky", "detail": "As told."}, "flaky: As told."),
        (EventKind.THOUGHT, {"text": "\n  First line.\nSecond."}, "First line."),
        (EventKind.USAGE, {"tokens": 3}, ""),
        (EventKind.PLAN, {"plan": {}}, ""),
    ],
)  # fmt: skip
def test_what_an_event_says(kind: EventKind, data: dict[str, Any], text: str) -> None:
    assert said(kind, data) == text


@given(st.sampled_from(EventKind), st.text(), st.text())
def test_it_is_one_short_line(kind: EventKind, one: str, other: str) -> None:
    data = {
        "text": one,
        "tool": other,
        "status": "failed",
        "state": one,
        "detail": other,
        "arguments": {"path": one},
    }
    line = said(kind, data)

    assert len(line) <= 160
    assert len(line.splitlines()) <= 1
