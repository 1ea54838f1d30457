"""Bad input: each gets one clear answer that names the input and the remedy, and nothing is written."""

from __future__ import annotations

import json
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from lsp_driver import Driver, started

HERE = Path(__file__).parent
SCRIPT = HERE.parent / "data" / "lsp" / "script.json"


@pytest_asyncio.fixture
async def server(tmp_path: Path) -> AsyncIterator[Driver]:
    (tmp_path / "ws").mkdir()
    (tmp_path / "ws" / "n.txt").write_text("a\n")
    async with started(
        sys.executable, str(HERE / "scripted_server.py"), str(SCRIPT), str(tmp_path / "state")
    ) as driver:
        yield driver


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def shared(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[tuple[Driver, Path]]:
    folder = tmp_path_factory.mktemp("shared")
    root = folder / "ws"
    root.mkdir()
    (root / "n.txt").write_text("a\n")
    command = (sys.executable, str(HERE / "scripted_server.py"), str(SCRIPT), str(folder / "state"))
    async with started(*command) as driver:
        await driver.initialize(root)
        yield driver, root


def place(uri: str) -> dict[str, Any]:
    return {"textDocument": {"uri": uri}, "position": {"line": 0, "character": 0}}


BAD: list[tuple[str, Any, int, str]] = [
    ("agent/nothing", {}, -32601, "agent/nothing"),
    ("agent/plan", {}, -32602, "params.request"),
    ("agent/plan", {"request": 7}, -32602, "params.request"),
    ("agent/plan", [], -32602, "agent/plan"),
    ("agent/plan", {"request": "  "}, -32602, "request is empty"),
    ("agent/plan", {"request": "add OAuth login"}, -32803, "add OAuth login"),
    ("agent/execute", {}, -32602, "runId or request"),
    ("agent/execute", {"runId": "run-0"}, -32602, "run-0"),
    ("agent/revisePlan", {"runId": "run-0", "instruction": "more"}, -32602, "run-0"),
    ("agent/run", {"runId": "run-0"}, -32602, "run-0"),
    ("agent/cancel", {"runId": 0}, -32602, "@ params.runId"),
    ("agent/cancel", {"runId": "run-0"}, -32602, "run-0"),
    ("agent/pause", {"runId": "run-0"}, -32602, "run-0"),
    ("agent/resume", {"runId": "run-0"}, -32602, "run-0"),
    ("agent/respond", {"runId": "run-0", "checkpointId": "c", "decision": "x"}, -32602, "run-0"),
    ("agent/review", {"proposalId": "proposal-0", "decisions": []}, -32602, "proposal-0"),
    (
        "agent/review",
        {"proposalId": "p", "decisions": [{"hunkId": "h", "decision": "maybe"}]},
        -32602,
        "decision",
    ),
    ("agent/runs", {"limit": 0}, -32602, "limit"),
    ("agent/undo", {"proposalId": "proposal-0"}, -32602, "proposal-0"),
    ("agent/undo", {"checkpointId": "cp-0"}, -32602, "cp-0"),
    ("agent/undo", {"checkpointId": 3}, -32602, "checkpoint"),
    ("agent/undo", {}, -32602, "nothing to undo"),
    ("agent/undo", [], -32602, "agent/undo"),
    ("agent/status", [1], -32602, "agent/status"),
    ("agent/search", {"query": "x"}, -32803, "GREENLINE_INDEX"),
    ("agent/explain", place("file:///etc/passwd"), -32602, "/etc/passwd"),
    ("agent/explain", place("untitled:one"), -32602, "untitled:one"),
    ("workspace/executeCommand", {"command": "greenline.server.none"}, -32602, "greenline.server.none"),
    (
        "workspace/executeCommand",
        {"command": "greenline.server.execute", "arguments": [{"run_id": "run-0"}]},
        -32602,
        "@ arguments[0].runId",
    ),
    (
        "workspace/executeCommand",
        {"command": "greenline.server.acceptHunk", "arguments": [{"hunkId": 3}]},
        -32602,
        "argument",
    ),
]


@pytest.mark.asyncio(loop_scope="module")
@pytest.mark.parametrize(("method", "params", "code", "names"), BAD)
async def test_bad_input_is_named_in_one_answer(
    shared: tuple[Driver, Path], method: str, params: Any, code: int, names: str
) -> None:
    server, root = shared

    answer = await server.request(method, params)
    alive = await server.result("agent/status")

    assert answer["error"]["code"] == code
    assert names in answer["error"]["message"]
    assert "Traceback" not in json.dumps(answer)
    assert alive["version"]
    assert [p.name for p in root.iterdir()] == ["n.txt"]


@pytest.mark.asyncio
async def test_an_error_carries_a_code_and_a_remedy(server: Driver, tmp_path: Path) -> None:
    await server.initialize(tmp_path / "ws")

    answer = await server.request("agent/plan", {"request": "add OAuth login"})

    assert answer["error"]["data"]["code"] == "noModel"
    assert answer["error"]["data"]["remedy"]


@pytest.mark.asyncio
async def test_an_error_of_the_library_carries_a_code_and_a_remedy(server: Driver, tmp_path: Path) -> None:
    await server.initialize(tmp_path / "ws")

    answer = await server.request("workspace/executeCommand", {"command": "greenline.server.none"})

    assert answer["error"]["data"]["code"] == "invalidParams"
    assert answer["error"]["data"]["remedy"]


@pytest.mark.asyncio
async def test_params_that_are_not_needed_may_be_left_out(server: Driver, tmp_path: Path) -> None:
    await server.initialize(tmp_path / "ws")

    server.send({"id": "s", "method": "agent/status"}, {"id": "p", "method": "agent/plan"})
    status = await server.wait_for(lambda m: m.get("id") == "s")
    plan = await server.wait_for(lambda m: m.get("id") == "p")

    assert status["result"]["version"]
    assert plan["error"]["code"] == -32602


@pytest.mark.asyncio
async def test_a_document_that_was_never_opened_is_named(server: Driver, tmp_path: Path) -> None:
    await server.initialize(tmp_path / "ws")
    uri = (tmp_path / "ws" / "ghost.py").as_uri()

    answer = await server.request("agent/explain", place(uri))
    server.notify(
        "textDocument/didChange",
        {"textDocument": {"uri": uri, "version": 2}, "contentChanges": [{"text": "x"}]},
    )
    message = await server.wait_for(lambda m: m.get("method") == "window/showMessage")

    assert answer["error"]["code"] == -32602
    assert "never opened" in answer["error"]["message"]
    assert uri in message["params"]["message"]


@pytest.mark.asyncio
async def test_messages_that_are_no_requests_are_answered(server: Driver, tmp_path: Path) -> None:
    await server.initialize(tmp_path / "ws")

    server.send_raw(b"null", b"{not json", b"[]", b'{"id": 9, "method": "agent/status"}')
    first = await server.wait_for(lambda m: m.get("error", {}).get("code") == -32700)
    second = await server.wait_for(lambda m: m.get("error", {}).get("code") == -32600)
    await server.result("agent/status")

    answered = [m["error"]["code"] for m in server.received if "error" in m]
    assert answered == [-32600, -32700, -32600, -32600]
    assert first["id"] is None
    assert second["error"]["data"]["remedy"]


@pytest.mark.asyncio
async def test_a_nested_jsonrpc_key_reaches_the_handler(server: Driver, tmp_path: Path) -> None:
    await server.initialize(tmp_path / "ws")
    arguments = [{"request": "make it work", "extra": {"jsonrpc": "2.0", "id": 1}}]

    result = await server.result(
        "workspace/executeCommand", {"command": "greenline.server.implement", "arguments": arguments}
    )

    assert result["state"] == "proposed"


@pytest.mark.asyncio
async def test_requests_outside_the_session_are_refused(server: Driver, tmp_path: Path) -> None:
    early = await server.request("agent/status")
    await server.initialize(tmp_path / "ws")
    again = await server.request("initialize", {"capabilities": {}})
    await server.result("shutdown")
    late = await server.request("agent/status")
    server.notify("exit")

    assert early["error"]["code"] == -32002
    assert (again["error"]["code"], again["error"]["data"]["code"]) == (-32600, "initialized")
    assert late["error"]["code"] == -32600
    assert await server.process.wait() == 0


@pytest.mark.asyncio
async def test_exit_right_behind_shutdown_lets_it_be_answered(server: Driver, tmp_path: Path) -> None:
    await server.initialize(tmp_path / "ws")

    status = {"id": 90, "method": "agent/status", "params": {}}
    server.send(status, {"id": 91, "method": "shutdown"}, {"method": "exit"})

    answer = await server.answer(91)
    assert answer == {"jsonrpc": "2.0", "id": 91, "result": None}
    assert await server.process.wait() == 0


@pytest.mark.asyncio
async def test_an_unknown_method_is_unknown_without_parameters_too(server: Driver, tmp_path: Path) -> None:
    await server.initialize(tmp_path / "ws")

    server.send({"id": 90, "method": "$/unknownRequest"})

    answer = await server.answer(90)
    assert (answer["error"]["code"], answer["error"]["data"]["code"]) == (-32601, "unknownMethod")


@pytest.mark.asyncio
async def test_the_end_of_the_input_ends_the_server(server: Driver, tmp_path: Path) -> None:
    await server.initialize(tmp_path / "ws")
    assert server.process.stdin is not None

    server.process.stdin.close()

    assert await server.process.wait() == 1
