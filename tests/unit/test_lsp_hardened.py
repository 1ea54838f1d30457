"""What the protocol's overrides keep from happening inside the process."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from greenline.agent.scripted_agent import Script, ScriptedAgent, Step
from greenline.core.agent_port import Question
from greenline.journal.blob import BlobStore
from greenline.journal.checkpoint_store import CheckpointStore
from greenline.journal.store import SqliteJournal
from greenline.lsp.channel import Inbox
from greenline.lsp.parts import Opening, Parts
from greenline.lsp.server import GreenlineServer

pytestmark = pytest.mark.asyncio


class Recorder:
    """Keeps what the server writes."""

    def __init__(self) -> None:
        self.messages: list[Any] = []

    def write(self, data: bytes) -> None:
        self.messages.append(json.loads(data.split(b"\r\n\r\n", 1)[1]))

    def close(self) -> None:
        return None


def opened(
    tmp_path: Path, scripts: dict[str, Script], warnings: tuple[str, ...] = ()
) -> tuple[GreenlineServer, Recorder]:
    journal = SqliteJournal(tmp_path / "journal.db")

    def connect(_: Opening) -> Parts:
        checkpoints = CheckpointStore(journal, BlobStore(tmp_path / "blobs"))
        return Parts(journal, ScriptedAgent(journal, scripts), tmp_path, checkpoints, warnings)

    server, recorder = GreenlineServer(connect), Recorder()
    server.protocol.set_writer(recorder)
    server.protocol.inbox = Inbox()
    folder = {"uri": tmp_path.as_uri(), "name": "w"}
    params = {"processId": None, "rootUri": None, "capabilities": {}, "workspaceFolders": [folder]}
    send(server, id=0, method="initialize", params=params)
    return server, recorder


def send(server: GreenlineServer, **message: Any) -> None:
    server.protocol.receive({"jsonrpc": "2.0", **message})


def command(server: GreenlineServer, message_id: int, name: str, **argument: Any) -> None:
    params = {"command": f"greenline.server.{name}", "arguments": [argument]}
    send(server, id=message_id, method="workspace/executeCommand", params=params)


async def answered(recorder: Recorder, message_id: int) -> Any:
    async with asyncio.timeout(5):
        while True:
            for message in recorder.messages:
                if message.get("id") == message_id:
                    return message
            await asyncio.sleep(0)


async def test_what_is_wrong_with_the_settings_is_said_once(tmp_path: Path) -> None:
    server, recorder = opened(tmp_path, {}, ("cpus must be a number; 2.0 is used instead.",))

    for number in (1, 2):
        command(server, number, "status")
        await answered(recorder, number)

    said = [m["params"] for m in recorder.messages if m.get("method") == "window/showMessage"]
    assert said == [{"type": 2, "message": "cpus must be a number; 2.0 is used instead."}]
    await server.stop_work()


async def test_a_finished_command_leaves_no_future_behind(tmp_path: Path) -> None:
    server, recorder = opened(tmp_path, {})

    for number in range(1, 4):
        command(server, number, "status")
        await answered(recorder, number)
    await asyncio.sleep(0)

    assert server.protocol._request_futures == {}
    assert server.protocol._command_tasks == {}
    await server.stop_work()


async def test_a_cancelled_command_stops_its_coroutine_and_leaves_nothing(tmp_path: Path) -> None:
    server, recorder = opened(tmp_path, {"wait": Script(steps=(Step("wait"),))})
    command(server, 1, "implement", request="wait")
    await asyncio.sleep(0)
    assert len(server.protocol._command_tasks) == 1

    send(server, method="$/cancelRequest", params={"id": 1})
    answer = await answered(recorder, 1)
    await server.stop_work()

    assert answer["error"]["code"] == -32800
    assert server.protocol._request_futures == {}
    assert server.protocol._command_tasks == {}


async def test_an_unexpected_error_is_answered_without_its_traceback(tmp_path: Path) -> None:
    server, recorder = opened(tmp_path, {})

    @server.feature("test/broken")
    def broken(_: Any) -> None:
        raise RuntimeError("surprise")

    send(server, id=1, method="test/broken", params={})
    answer = await answered(recorder, 1)

    assert answer["error"]["code"] == -32603
    assert answer["error"]["data"]["code"] == "internal"
    assert "Traceback" not in json.dumps(answer)
    await server.stop_work()


async def test_parameters_that_cannot_be_used_are_one_line_of_the_log(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    server, recorder = opened(tmp_path, {})
    decisions = [{"hunkId": "h", "decision": "maybe"}]

    send(server, id=1, method="agent/review", params={"proposalId": "p", "decisions": decisions})
    answer = await answered(recorder, 1)

    assert answer["error"]["code"] == -32602
    (record,) = caplog.records
    assert record.levelname == "WARNING"
    assert "agent/review" in record.getMessage()
    assert "maybe" in record.getMessage()
    assert record.exc_info is None
    assert "\n" not in record.getMessage()


async def test_an_answer_that_nobody_waits_for_is_dropped(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    server, recorder = opened(tmp_path, {"wait": Script(steps=(Step("wait"),))})
    command(server, 7, "implement", request="wait")
    asked = server.protocol.send_request_async("test/question", {}, msg_id="late")
    await asyncio.sleep(0)
    asked.cancel()
    await asyncio.sleep(0)

    for message_id in ("late", "late", "nobody", 99, 7):
        send(server, id=message_id, result={"applied": True})
        send(server, id=message_id, error={"code": 1, "message": "no"})
    send(server, id=["a", "list"], result=None)
    send(server, id={}, error={"code": 1, "message": "no"})
    command(server, 8, "status")

    assert "result" in await answered(recorder, 8)
    assert 7 in server.protocol._command_tasks
    assert not any(record.exc_info for record in caplog.records)
    await server.stop_work()


async def test_only_the_first_of_two_answers_counts(tmp_path: Path) -> None:
    server, _ = opened(tmp_path, {})
    asked = server.protocol.send_request_async("test/question", {}, msg_id="q")

    send(server, id="q", result="first")
    send(server, id="q", error={"code": 1, "message": "second"})

    assert await asked == "first"
    assert server.protocol._asked == {}
    await server.stop_work()


async def test_an_answer_that_cannot_be_read_is_an_error_of_the_client(tmp_path: Path) -> None:
    server, _ = opened(tmp_path, {})
    asked = server.ask("Which one?", ["a"])
    waiting = asyncio.create_task(asked)
    await asyncio.sleep(0)
    (message_id,) = server.protocol._asked

    send(server, id=message_id, result={"title": ["a"]})

    assert await waiting is None
    await server.stop_work()


async def test_a_question_whose_run_has_ended_may_still_be_answered(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    server, _ = opened(tmp_path, {})
    server.publisher.on_question("run-gone", Question("q-gone", "Which one?", ("a", "b")))
    await asyncio.sleep(0)
    (message_id,) = server.protocol._asked
    (asking,) = server.supervisor._tasks

    send(server, id=message_id, result={"title": "a"})
    await asyncio.wait({asking})

    assert asking.exception() is None
    assert not any(record.exc_info for record in caplog.records)
    await server.stop_work()


@pytest.mark.parametrize("message_id", [{"a": 1}, [1], 1.5, True])
async def test_an_id_that_is_no_number_and_no_text_is_refused(tmp_path: Path, message_id: Any) -> None:
    server, recorder = opened(tmp_path, {})
    n_before = len(recorder.messages)

    send(server, id=message_id, method="agent/status", params={})

    (answer,) = recorder.messages[n_before:]
    assert (answer["id"], answer["error"]["code"]) == (None, -32600)


async def test_a_text_where_a_list_is_due_is_refused_and_not_read_letter_by_letter(tmp_path: Path) -> None:
    server, recorder = opened(tmp_path, {})

    send(server, id=7, method="agent/search", params={"query": "x", "kinds": "function"})
    send(server, id=8, method="agent/review", params={"proposalId": "p", "decisions": [{"hunkId": 3}] * 500})

    told = {answer.get("id"): answer["error"] for answer in recorder.messages if "error" in answer}
    assert "expected list @ params.kinds" in told[7]["message"]
    assert told[8]["message"].count("params.decisions") == 3
