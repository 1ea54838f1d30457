"""Position encodings, roots that come and go, files that are not open, and an agent that dies."""

from __future__ import annotations

import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from lsp_driver import Driver, started

pytestmark = pytest.mark.asyncio

HERE = Path(__file__).parent
SCRIPT = HERE.parent / "data" / "lsp" / "script.json"
CALC = "def add(a, b):\r\n    return a - b\r\n"
APPLY = {"workspace": {"applyEdit": True, "workspaceEdit": {"documentChanges": True}}}


@pytest_asyncio.fixture
async def server(tmp_path: Path) -> AsyncIterator[Driver]:
    (tmp_path / "ws").mkdir()
    async with started(
        sys.executable, str(HERE / "scripted_server.py"), str(SCRIPT), str(tmp_path / "state")
    ) as driver:
        yield driver


async def accept_all(server: Driver, request: str) -> Any:
    proposal = (await server.result("agent/execute", {"request": request}))["proposal"]
    decisions = [{"hunkId": hunk["id"], "decision": "accept"} for hunk in proposal["hunks"]]
    return await server.result("agent/review", {"proposalId": proposal["id"], "decisions": decisions})


@pytest.mark.parametrize(("encoding", "column"), [("utf-8", 18), ("utf-16", 15), ("utf-32", 14)])
async def test_an_edit_is_placed_in_the_negotiated_encoding(
    server: Driver, tmp_path: Path, encoding: str, column: int
) -> None:
    uri = (tmp_path / "ws" / "e.py").as_uri()
    asked = {**APPLY, "general": {"positionEncodings": [encoding]}}
    seen: list[dict[str, Any]] = []

    def apply(params: dict[str, Any]) -> dict[str, Any]:
        (change,) = params["edit"]["documentChanges"]
        seen.extend(change["edits"])
        document = {"uri": uri, "version": 2}
        content = [{"range": seen[0]["range"], "text": seen[0]["newText"]}]
        server.notify("textDocument/didChange", {"textDocument": document, "contentChanges": content})
        return {"applied": True}

    server.answers["workspace/applyEdit"] = apply
    result = await server.initialize(tmp_path / "ws", capabilities=asked)
    text = 'a = "é😀"; b = 1\n'
    server.notify(
        "textDocument/didOpen",
        {"textDocument": {"uri": uri, "version": 1, "languageId": "python", "text": text}},
    )

    review = await accept_all(server, "accents")

    assert result["capabilities"]["positionEncoding"] == encoding
    assert seen[0]["range"]["start"] == {"line": 0, "character": column}
    assert seen[0]["newText"] == "2"
    assert len(review["applied"]) == 1


async def test_a_file_that_is_not_open_is_checked_on_the_disk(server: Driver, tmp_path: Path) -> None:
    path = tmp_path / "ws" / "n.txt"
    path.write_bytes(b"a\nb\n")
    versions: list[int | None] = []

    def apply(params: dict[str, Any]) -> dict[str, Any]:
        (change,) = params["edit"]["documentChanges"]
        versions.append(change["textDocument"].get("version"))
        path.write_bytes(b"a\nb\nc\n")
        return {"applied": True}

    server.answers["workspace/applyEdit"] = apply
    await server.initialize(tmp_path / "ws", capabilities=APPLY)

    review = await accept_all(server, "append")

    assert versions == [None]
    assert len(review["applied"]) == 1


async def test_a_failed_edit_is_a_conflict_and_nothing_is_written(server: Driver, tmp_path: Path) -> None:
    path = tmp_path / "ws" / "calc.py"
    path.write_bytes(CALC.encode())
    server.answers["workspace/applyEdit"] = lambda _: {"applied": False, "failureReason": "read-only"}
    await server.initialize(tmp_path / "ws", capabilities=APPLY)

    review = await accept_all(server, "two files")

    assert review["applied"] == []
    assert all("read-only" in conflict["reason"] for conflict in review["conflicts"])
    assert path.read_bytes() == CALC.encode()
    assert [p.name for p in (tmp_path / "ws").iterdir()] == ["calc.py"]


async def test_a_deletion_is_done_here_where_the_client_cannot(server: Driver, tmp_path: Path) -> None:
    path = tmp_path / "ws" / "calc.py"
    path.write_text("x = 1\n")
    await server.initialize(tmp_path / "ws", capabilities=APPLY)

    review = await accept_all(server, "remove")

    assert len(review["applied"]) == 1
    assert not path.exists()


async def test_roots_come_and_go(server: Driver, tmp_path: Path) -> None:
    second = tmp_path / "second"
    second.mkdir()
    (second / "m.py").write_text("m = 1\n")
    place = {
        "textDocument": {"uri": (second / "m.py").as_uri()},
        "position": {"line": 0, "character": 0},
    }
    folder = {"uri": second.as_uri(), "name": "second"}
    await server.initialize(tmp_path / "ws")

    before = await server.request("agent/explain", place)
    server.notify("workspace/didChangeWorkspaceFolders", {"event": {"added": [folder], "removed": []}})
    inside = await server.result("agent/explain", place)
    server.notify("workspace/didChangeWorkspaceFolders", {"event": {"added": [], "removed": [folder]}})
    after = await server.request("agent/explain", place)

    assert before["error"]["data"]["code"] == "outsideWorkspace"
    assert "m" in inside["markdown"]
    assert after["error"]["data"]["code"] == "outsideWorkspace"


async def test_what_waits_in_a_folder_goes_and_comes_with_it(server: Driver, tmp_path: Path) -> None:
    (tmp_path / "ws" / "n.txt").write_text("a\nb\n")
    (tmp_path / "second").mkdir()
    first, second = ({"uri": (tmp_path / name).as_uri(), "name": name} for name in ("ws", "second"))
    await server.initialize(tmp_path / "ws")
    await server.result("agent/execute", {"request": "append"})

    server.notify("workspace/didChangeWorkspaceFolders", {"event": {"added": [second], "removed": [first]}})
    without = await server.result("agent/status")
    marks = server.of("textDocument/publishDiagnostics")
    told = len(server.of("agent/proposalChanged"))
    server.notify("workspace/didChangeWorkspaceFolders", {"event": {"added": [first], "removed": []}})
    again = await server.result("agent/status")

    assert [len(mark["diagnostics"]) for mark in marks] == [1, 0]
    assert (without["pendingHunks"], again["pendingHunks"]) == (0, 1)
    assert len(server.of("agent/proposalChanged")) == told + 1


async def test_a_run_says_which_folders_it_is_about(server: Driver, tmp_path: Path) -> None:
    for name in ("ws", "second"):
        (tmp_path / name).mkdir(exist_ok=True)
        (tmp_path / name / "n.txt").write_text("a\nb\n")
    folders = [{"uri": (tmp_path / name).as_uri(), "name": name} for name in ("ws", "second")]
    about = {"textDocument": {"uri": (tmp_path / "second" / "n.txt").as_uri()}}
    await server.initialize(tmp_path / "ws", workspaceFolders=folders)

    waiting = server.start_request("agent/execute", {"request": "wait", "context": about})
    await server.wait_for(lambda m: m.get("params", {}).get("data", {}).get("state") == "executing")
    status = await server.result("agent/status")
    await server.result("agent/cancel", {"runId": status["activeRuns"][0]})
    await server.answer(waiting)
    await server.result("agent/execute", {"request": "append"})
    runs = (await server.result("agent/runs", {}))["runs"]

    (under_way,) = status["underWay"]
    assert (under_way["state"], under_way["request"]) == ("executing", "wait")
    assert under_way["roots"] == [folders[1]["uri"]]
    assert [run["roots"] for run in runs] == [[f["uri"] for f in folders], [folders[1]["uri"]]]


@pytest.mark.parametrize(
    ("options", "way"), [({}, "greenline.server.resume"), ({"agentUi": True}, "resume a run to go on")]
)
async def test_a_dying_agent_leaves_the_front_up_and_tells_the_user(
    server: Driver, tmp_path: Path, options: dict[str, bool], way: str
) -> None:
    await server.initialize(tmp_path / "ws", initializationOptions=options)

    answer = await server.request("agent/execute", {"request": "die"})
    message = await server.wait_for(lambda m: m.get("method") == "window/showMessage")
    runs = await server.result("agent/runs", {})

    assert answer["error"]["data"]["code"] == "interrupted"
    assert runs["runs"][0]["state"] == "interrupted"
    assert runs["runs"][0]["id"] in message["params"]["message"]
    assert way in message["params"]["message"]


async def test_a_pending_proposal_survives_a_restart(tmp_path: Path) -> None:
    root = tmp_path / "ws"
    root.mkdir()
    (root / "n.txt").write_text("a\nb\n")
    command = (sys.executable, str(HERE / "scripted_server.py"), str(SCRIPT), str(tmp_path / "state"))
    async with started(*command) as first:
        await first.initialize(root)
        await first.result("agent/execute", {"request": "append"})
        await first.end()

    async with started(*command) as second:
        await second.initialize(root)
        changed = await second.wait_for(lambda m: m.get("method") == "agent/proposalChanged")
        told = await second.wait_for(lambda m: m.get("method") == "agent/statusChanged")

    assert changed["params"]["proposal"]["hunks"][0]["state"] == "pending"
    assert told["params"]["pendingHunks"] == 1


async def test_a_paused_run_goes_on_and_a_plan_can_be_revised(server: Driver, tmp_path: Path) -> None:
    await server.initialize(tmp_path / "ws")
    planned = await server.result("agent/plan", {"request": "make it work"})

    revised = await server.result(
        "agent/revisePlan", {"runId": planned["runId"], "instruction": "and say so"}
    )
    done = await server.result("agent/execute", {"runId": planned["runId"]})
    refused = await server.request("agent/pause", {"runId": planned["runId"]})

    assert revised["plan"]["version"] == 2
    assert done["state"] == "proposed"
    assert refused["error"]["data"]["code"] == "wrongState"


async def test_the_whole_disk_is_no_workspace(server: Driver, tmp_path: Path) -> None:
    await server.initialize(Path("/"), capabilities=APPLY)
    told = await server.wait_for(lambda message: message.get("method") == "window/showMessage")

    assert "whole file system" in told["params"]["message"]
    assert (await server.result("agent/status", {}))["roots"] == []
