"""Arguments of tool calls: whole ones are read, broken ones are said, and none is guessed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from greenline.model.arguments import read_arguments

CASE = Path(__file__).parents[1] / "data" / "agent" / "cases" / "61-truncated-tool-json"
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=5,
)


def test_arguments_that_end_inside_a_text_are_not_taken() -> None:
    response = json.loads((CASE / "response.json").read_text())

    arguments, problem = read_arguments("create_file", response["arguments_raw"])

    assert arguments == {}
    assert "create_file" in problem
    assert "not valid JSON" in problem
    assert "Call it again" in problem


def test_raw_tab_in_a_whole_text_is_taken() -> None:
    response = json.loads((CASE / "response_malformed_but_whole.json").read_text())

    assert read_arguments("create_file", response["arguments_raw"]) == (
        {"path": "s.py", "content": "a\tb"},
        "",
    )


@pytest.mark.parametrize("text", ["", "  ", "{}"])
def test_no_arguments_are_empty_ones(text: str) -> None:
    assert read_arguments("run_tests", text) == ({}, "")


@pytest.mark.parametrize("text", ["[1]", '"a"', "3", "null"])
def test_what_is_no_object_is_said(text: str) -> None:
    arguments, problem = read_arguments("read_file", text)

    assert arguments == {}
    assert "must be a JSON object" in problem


@given(st.dictionaries(st.text(), JSON, min_size=1, max_size=3), st.integers(min_value=1))
def test_whole_objects_are_read_and_cut_ones_never(value: dict[str, Any], seed: int) -> None:
    text = json.dumps(value)
    cut = text[: 1 + seed % (len(text) - 1)]

    assert read_arguments("t", text) == (value, "")
    assert read_arguments("t", cut)[1]
