"""The cases that belong to the front, against the real server process."""

from __future__ import annotations

import json
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from lsp_driver import Driver, started

pytestmark = pytest.mark.asyncio

HERE = Path(__file__).parent
CASES = HERE.parent / "data" / "cases"
SCRIPT = HERE.parent / "data" / "lsp" / "script.json"
APPLY = {"workspace": {"applyEdit": True, "workspaceEdit": {"documentChanges": True}}}
PROGRESS = {"window": {"workDoneProgress": True}}


@pytest_asyncio.fixture
async def server(tmp_path: Path) -> AsyncIterator[Driver]:
    (tmp_path / "ws").mkdir()
    async with started(
        sys.executable, str(HERE / "scripted_server.py"), str(SCRIPT), str(tmp_path / "state")
    ) as driver:
        yield driver


def case(name: str) -> Path:
    return next(CASES.glob(f"{name}-*"))


def offset(text: str, position: dict[str, int]) -> int:
    lines = text.split("\n")
    assert position["line"] < len(lines), "the edit starts past the text"
    return sum(len(line) + 1 for line in lines[: position["line"]]) + position["character"]


def apply_edit(text: str, edits: list[dict[str, Any]]) -> str:
    for edit in sorted(edits, key=lambda e: offset(text, e["range"]["start"]), reverse=True):
        start, end = (offset(text, edit["range"][side]) for side in ("start", "end"))
        text = text[:start] + edit["newText"] + text[end:]
    return text


class Buffer:
    """An editor's buffer that applies what the server asks for and reports it with didChange."""

    def __init__(self, server: Driver, path: Path, text: str) -> None:
        self.server, self.uri, self.text, self.version = server, path.as_uri(), text, 1
        self.edits: list[dict[str, Any]] = []
        document = {"uri": self.uri, "version": 1, "languageId": "python", "text": text}
        server.notify("textDocument/didOpen", {"textDocument": document})
        server.answers["workspace/applyEdit"] = self.apply

    def apply(self, params: dict[str, Any]) -> dict[str, Any]:
        for change in params["edit"]["documentChanges"]:
            if change["textDocument"]["version"] != self.version:
                return {"applied": False, "failureReason": "stale"}
            self.edits += change["edits"]
            self.text = apply_edit(self.text, change["edits"])
        self.type(self.text)
        return {"applied": True}

    def type(self, text: str) -> None:
        self.text, self.version = text, self.version + 1
        document = {"uri": self.uri, "version": self.version}
        self.server.notify(
            "textDocument/didChange", {"textDocument": document, "contentChanges": [{"text": text}]}
        )


async def accept_everything(server: Driver, request: str) -> Any:
    proposal = (await server.result("agent/execute", {"request": request}))["proposal"]
    decisions = [{"hunkId": hunk["id"], "decision": "accept"} for hunk in proposal["hunks"]]
    return await server.result("agent/review", {"proposalId": proposal["id"], "decisions": decisions})


@pytest.mark.parametrize(
    ("before", "expected", "request_text"),
    [
        ("before.txt", "expected.txt", "append"),
        ("before_nonl.txt", "expected_nonl.txt", "append without newline"),
    ],
)
async def test_an_append_is_anchored_inside_the_buffer(
    server: Driver, tmp_path: Path, before: str, expected: str, request_text: str
) -> None:
    folder = case("30")
    text = (folder / before).read_text()
    await server.initialize(tmp_path / "ws", capabilities=APPLY)
    buffer = Buffer(server, tmp_path / "ws" / "n.txt", text)

    await accept_everything(server, request_text)

    assert buffer.text == (folder / expected).read_text()
    assert all(edit["range"]["start"]["line"] < len(text.splitlines()) for edit in buffer.edits)


async def test_form_feed_and_line_separator_do_not_end_a_line(server: Driver, tmp_path: Path) -> None:
    folder = case("13")
    text = (folder / "before.txt").read_bytes().decode()
    await server.initialize(tmp_path / "ws", capabilities=APPLY)
    buffer = Buffer(server, tmp_path / "ws" / "u.py", text)

    review = await accept_everything(server, "last line")

    assert len(review["applied"]) == 1
    assert buffer.text.encode() == (folder / "expected.txt").read_bytes()
    assert buffer.edits[0]["range"]["start"]["line"] == 4


async def test_an_incremental_change_after_a_line_separator_lands_where_the_editor_made_it(
    server: Driver, tmp_path: Path
) -> None:
    text = (case("13") / "before.txt").read_bytes().decode()
    await server.initialize(tmp_path / "ws", capabilities=APPLY)
    buffer = Buffer(server, tmp_path / "ws" / "u.py", text.replace("d = 4", "d = "))
    end = {"line": 4, "character": 4}
    change = {"range": {"start": end, "end": end}, "text": "4"}
    buffer.text, buffer.version = text, 2
    document = {"uri": buffer.uri, "version": 2}
    server.notify("textDocument/didChange", {"textDocument": document, "contentChanges": [change]})

    await accept_everything(server, "last line")

    assert buffer.text.encode() == (case("13") / "expected.txt").read_bytes()


async def test_a_request_whose_cancel_is_queued_is_never_run(server: Driver, tmp_path: Path) -> None:
    expected = json.loads((case("33") / "expected.json").read_text())
    path = tmp_path / "ws" / "n.txt"
    path.write_text("a\n")
    await server.initialize(tmp_path / "ws")
    slow = server.start_request("agent/execute", {"request": "wait"})
    hover = {"textDocument": {"uri": path.as_uri()}, "position": {"line": 0, "character": 0}}
    messages: list[dict[str, Any]] = []
    for line in (case("33") / "messages.jsonl").read_text().splitlines()[1:]:
        message = json.loads(line)
        if message["method"] == "textDocument/hover":
            messages.append({"id": 100 + message["id"], "method": message["method"], "params": hover})
        else:
            messages.append({"method": message["method"], "params": {"id": 100 + message["params"]["id"]}})

    server.send(*messages)
    answers = {str(n): await server.answer(100 + n) for n in range(2, 6)}
    server.notify("$/cancelRequest", {"id": slow})
    ended = await server.answer(slow)

    for number in ("2", "3", "4"):
        assert answers[number]["error"]["code"] == expected[number]["error"]
    assert "result" in answers["5"]
    assert ended["error"]["code"] == -32800
    assert len([m for m in server.received if m.get("id") in (102, 103, 104)]) == 3


def progress(server: Driver, token: str) -> list[str]:
    return [p["value"]["kind"] for p in server.of("$/progress") if p["token"] == token]


def check_token(server: Driver, token: str) -> None:
    expect = json.loads((case("34") / "scenario.json").read_text())["expect_per_token"]
    kinds = progress(server, token)
    assert kinds.count("begin") == expect["begin"]
    assert kinds.count("end") == expect["end"]
    assert kinds[-1] == "end"


@pytest.mark.parametrize(
    ("request_text", "code"), [("make it work", None), ("break", -32803), ("die", -32803)]
)
async def test_progress_ends_once_when_the_work_finishes_or_raises(
    server: Driver, tmp_path: Path, request_text: str, code: int | None
) -> None:
    await server.initialize(tmp_path / "ws", capabilities=PROGRESS)

    answer = await server.request("agent/execute", {"request": request_text, "workDoneToken": "t"})

    assert answer.get("error", {}).get("code") == code
    check_token(server, "t")


@pytest.mark.parametrize("method", ["agent/execute", "agent/plan"])
@pytest.mark.parametrize("way", ["$/cancelRequest", "window/workDoneProgress/cancel", "shutdown"])
async def test_progress_ends_once_when_the_work_is_stopped(
    server: Driver, tmp_path: Path, method: str, way: str
) -> None:
    await server.initialize(tmp_path / "ws", capabilities=PROGRESS)
    request = server.start_request(method, {"request": "wait", "workDoneToken": "t"})
    await server.wait_for(lambda m: m.get("method") == "agent/event" and m["params"]["kind"] == "thought")

    if way == "shutdown":
        assert await server.end() == 0
    else:
        server.notify(way, {"id": request} if way == "$/cancelRequest" else {"token": "t"})
    answer = await server.answer(request)

    assert answer["error"]["code"] == -32800
    assert len([m for m in server.received if m.get("id") == request]) == 1
    check_token(server, "t")


async def test_a_refused_token_shows_nothing(server: Driver, tmp_path: Path) -> None:
    await server.initialize(tmp_path / "ws", capabilities=PROGRESS)

    def refuse(_: dict[str, Any]) -> None:
        raise ValueError("no")

    server.answers["window/workDoneProgress/create"] = refuse
    arguments = [{"request": "make it work"}]
    command = {"command": "greenline.server.implement", "arguments": arguments}

    result = await server.result("workspace/executeCommand", command)

    assert result["state"] == "proposed"
    assert server.of("$/progress") == []


async def test_a_cancelled_command_stops_its_run(server: Driver, tmp_path: Path) -> None:
    await server.initialize(tmp_path / "ws", capabilities=PROGRESS)
    command = {"command": "greenline.server.implement", "arguments": [{"request": "wait"}]}
    request = server.start_request("workspace/executeCommand", command)
    event = await server.wait_for(
        lambda m: m.get("method") == "agent/event" and m["params"]["kind"] == "thought"
    )

    server.notify("$/cancelRequest", {"id": request})
    answer = await server.answer(request)
    await server.wait_for(
        lambda m: m.get("method") == "agent/event" and m["params"]["data"].get("state") == "cancelled"
    )
    run = await server.result("agent/run", {"runId": event["params"]["runId"]})

    assert answer["error"]["code"] == -32800
    assert run["run"]["state"] == "cancelled"
    (created,) = server.of("window/workDoneProgress/create")
    await server.wait_for(lambda m: m.get("method") == "$/progress" and m["params"]["value"]["kind"] == "end")
    check_token(server, created["token"])
