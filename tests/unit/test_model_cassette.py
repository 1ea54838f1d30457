"""Cassettes: what was recorded comes back for the same request, without secrets, and for no other."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from greenline.core.cancel import Cancellation
from greenline.core.error import ModelFailed
from greenline.core.port import Completion, Message, ToolRequest, ToolSpec, Usage
from greenline.guard.secrets import masking
from greenline.model.cassette_model import CassetteModel, RecordingModel, request_hash
from greenline.model.scripted_model import ScriptedModel

READ = ToolSpec("read_file", "Read.", {"type": "object"})
CALL = Completion(
    Message("assistant", "", (ToolRequest("c1", "read_file", {"path": "a.py"}),)),
    "toolCalls",
    Usage(9, 2, 0.1),
)
DONE = Completion(Message("assistant", "It says 0123456789abcdefABC \ud800."), "stop")
FIRST = (Message("system", "Be brief."), Message("user", "What does a.py say?"))
SECOND = (*FIRST, CALL.message, Message("tool", "key 0123456789abcdefABC", tool_call_id="c1"))
MASKED = (*FIRST, CALL.message, Message("tool", "key [secret]", tool_call_id="c1"))


@pytest.fixture
def cassette(tmp_path: Path) -> Path:
    """Record two exchanges, one of them with a secret that is known."""
    path = tmp_path / "tapes" / "run.jsonl"
    model = RecordingModel(ScriptedModel([CALL, DONE]), path, masking(("0123456789abcdefABC",)))
    assert model.complete(FIRST, (READ,), Cancellation()) == CALL
    assert model.complete(SECOND, (READ,), Cancellation()) == DONE
    return path


def test_recorded_run_is_replayed_without_the_secret(cassette: Path) -> None:
    model = CassetteModel(cassette)

    assert model.complete(FIRST, (READ,), Cancellation()) == CALL
    assert model.complete(MASKED, (READ,), Cancellation()).message.content == "It says [secret] \ud800."
    assert "0123456789abcdefABC" not in cassette.read_text()
    with pytest.raises(ModelFailed, match="all its 2 answers are played"):
        model.complete(FIRST, (READ,), Cancellation())


def test_answers_are_found_by_request_in_any_order(cassette: Path) -> None:
    model = CassetteModel(cassette)

    assert model.complete(MASKED, (READ,), Cancellation()).finish_reason == "stop"
    assert model.complete(FIRST, (READ,), Cancellation()) == CALL


def test_another_request_is_refused_with_the_first_difference(cassette: Path) -> None:
    model = CassetteModel(cassette)
    other = (FIRST[0], Message("user", "What does b.py say?"))

    with pytest.raises(
        ModelFailed, match=r"message 2 \(user\) was recorded with 'a.py say\?' and now has 'b"
    ):
        model.complete(other, (READ,), Cancellation())
    with pytest.raises(ModelFailed, match="recorded are the tools read_file, asked are none"):
        model.complete(FIRST, (), Cancellation())
    with pytest.raises(ModelFailed, match="GREENLINE_RECORD_MODEL"):
        model.complete(FIRST[:1], (READ,), Cancellation())


def test_cassette_in_order_answers_whatever_is_asked(cassette: Path) -> None:
    cassette.write_text(cassette.read_text().replace('"match": "hash"', '"match": "order"', 1))
    model = CassetteModel(cassette)

    assert model.complete(FIRST[:1], (), Cancellation()) == CALL
    assert model.complete(FIRST[:1], (), Cancellation()).finish_reason == "stop"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "must begin with"),
        ("{}\n", "must begin with"),
        ('{"cassette": 1, "match": "luck"}\n', "must begin with"),
        ('{"cassette": 1, "match": "hash"}\n\n{', "line 3"),
        ('{"cassette": 1, "match": "hash"}\n{"hash": "x"}\n', "line 2"),
        ("é", "cannot be played"),
    ],
)
def test_file_that_is_no_cassette_is_refused_with_its_line(tmp_path: Path, text: str, words: str) -> None:
    path = tmp_path / "bad.jsonl"
    path.write_text(text)

    with pytest.raises(ModelFailed, match=words):
        CassetteModel(path)


def test_cassette_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(ModelFailed, match=r"none\.jsonl"):
        CassetteModel(tmp_path / "none.jsonl")


@given(st.text(), st.text())
def test_different_requests_have_different_hashes(one: str, other: str) -> None:
    hashes = [request_hash((Message("user", text),), ()) for text in (one, other)]

    assert (hashes[0] == hashes[1]) == (one == other)
