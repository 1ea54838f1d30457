"""The model that plays a file of turns, in the form of the scripted server."""

from __future__ import annotations

import json
import threading
from pathlib import Path
from typing import Any

import pytest

from greenline.core.cancel import Cancellation
from greenline.core.error import Cancelled, ModelFailed
from greenline.core.port import Message
from greenline.model.scripted_model import ScriptedModel, load_script

ASKED = (Message("user", "What does a.py say?"),)


def _script(tmp_path: Path, *turns: dict[str, Any]) -> ScriptedModel:
    path = tmp_path / "script.json"
    path.write_text(json.dumps(turns))
    return load_script(path)


def test_turns_are_played_in_order_and_then_end(tmp_path: Path) -> None:
    call = {"name": "read_file", "arguments": {"path": "a.py"}}
    heard: list[str] = []
    model = _script(tmp_path, {"tool_calls": [call]}, {"content": "hello", "usage": {"prompt_tokens": 7}})

    first = model.complete(ASKED, (), Cancellation())
    second = model.complete(ASKED, (), Cancellation(), heard.append)

    assert (first.finish_reason, first.message.tool_requests[0].arguments) == ("toolCalls", {"path": "a.py"})
    assert (second.finish_reason, second.usage.prompt_tokens, heard) == ("stop", 7, ["hello"])
    with pytest.raises(ModelFailed, match="has 2 turns"):
        model.complete(ASKED, (), Cancellation())


def test_broken_and_cut_off_calls_are_played_as_the_real_model_hands_them_on(tmp_path: Path) -> None:
    broken = {"tool_calls": [{"name": "read_file", "arguments": '{"path": '}]}
    model = _script(
        tmp_path, broken, broken | {"finish_reason": "length"}, {"status": 401, "error": "no key"}
    )

    assert "not valid JSON" in model.complete(ASKED, (), Cancellation()).message.tool_requests[0].problem
    cut = model.complete(ASKED, (), Cancellation())
    assert cut.finish_reason == "length"
    assert "output limit" in cut.message.tool_requests[0].problem
    with pytest.raises(ModelFailed, match="no key"):
        model.complete(ASKED, (), Cancellation())


def test_expected_text_must_stand_in_the_request(tmp_path: Path) -> None:
    model = _script(tmp_path, {"content": "yes", "expect": ["a.py"]}, {"content": "no", "expect": ["b.py"]})

    assert model.complete(ASKED, (), Cancellation()).message.content == "yes"
    with pytest.raises(ModelFailed, match=r"Turn 2 .* 'b.py'"):
        model.complete(ASKED, (), Cancellation())


def test_delay_ends_with_the_run(tmp_path: Path) -> None:
    model = _script(tmp_path, {"content": "late", "delay_s": 600})
    cancellation = Cancellation()
    threading.Timer(0.05, cancellation.cancel).start()

    with pytest.raises(Cancelled):
        model.complete(ASKED, (), cancellation)


def test_cancelled_run_plays_nothing(tmp_path: Path) -> None:
    cancellation = Cancellation()
    cancellation.cancel()

    with pytest.raises(Cancelled):
        _script(tmp_path, {"content": "x"}).complete(ASKED, (), cancellation)


@pytest.mark.parametrize("text", ["", "{}", "[1]", '[{"tool_calls": [{}]}]', '[{"usage": 3}]'])
def test_file_that_is_no_script_is_named(tmp_path: Path, text: str) -> None:
    path = tmp_path / "script.json"
    path.write_text(text)

    with pytest.raises(ModelFailed, match=r"script\.json cannot be played"):
        load_script(path)
    with pytest.raises(ModelFailed, match=r"none\.json"):
        load_script(tmp_path / "none.json")
