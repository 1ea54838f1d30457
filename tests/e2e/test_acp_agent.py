"""`greenline acp` as an editor has it: the SDK's client, a real process, worker and sandbox."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import docker
import pytest
from acp_client import connected

from greenline.app import open_journal
from greenline.core.task import RunState
from greenline.demo.scene import sample_project
from greenline.sandbox.container_arguments import LABEL_RUN

pytestmark = pytest.mark.asyncio
DISCOUNT = "ledger/discount.py"
OLD, NEW = "if quantity > pieces:", "if quantity >= pieces:"
TEST = "tests/test_discount.py::test_a_step_begins_with_its_own_number"
SLOW = "import time\n\n\ndef test_slow():\n    time.sleep(200)\n"


@pytest.fixture
def root() -> Iterator[Path]:
    with sample_project() as folder:
        yield folder


def texts(root: Path) -> dict[Path, bytes]:
    return {path: path.read_bytes() for path in root.rglob("*.py")}


async def test_failing_tests_are_repaired_in_a_buffer_with_unsaved_changes(root: Path) -> None:
    before, path = texts(root), str(root / DISCOUNT)
    typed = "# typed, not saved\n" + (root / DISCOUNT).read_text()

    async with connected() as on:
        on.editor.buffers[path] = typed
        session_id = await on.new(root)
        assert await on.say(session_id, "make the failing tests pass") == "end_turn"

        assert on.editor.buffers[path] == typed.replace(OLD, NEW)
        (offered,) = [u for u in on.editor.of("tool_call") if u["kind"] == "edit"]
        (diff,) = offered["content"]
        assert (diff["oldText"], diff["newText"]) == (typed, typed.replace(OLD, NEW))
        assert "verified" in on.editor.asked[0][0]
        assert on.editor.of("plan")[-1]["entries"][0]["status"] == "completed"
        ran = {u["toolCallId"]: u.get("status") for u in on.editor.of("tool_call_update")}
        assert set(ran.values()) == {"completed"}
        assert TEST.rpartition("::")[2] in on.editor.words().replace("\\", "")

        assert await on.say(session_id, "/undo") == "end_turn"
        assert on.editor.buffers[path] == typed

    assert texts(root) == before


def call(name: str, **arguments: Any) -> dict[str, Any]:
    return {"tool_calls": [{"name": name, "arguments": arguments}]}


async def test_a_model_plans_asks_and_edits_and_each_hunk_is_decided(root: Path, tmp_path: Path) -> None:
    turns = [
        call("read_file", path=DISCOUNT),
        call(
            "submit_plan",
            entries=[{"intent": "Compare with >=", "files": [DISCOUNT], "checks": [TEST]}],
            risk="low",
        ),
        call("submit_score", score=9),
        call("ask_user", question="Which sign?", options=[">=", ">"]),
        call("run_command", command="true"),
        call("edit_file", path=DISCOUNT, search=OLD, replace=NEW),
        call("create_file", path="NOTES.md", content="Steps begin with their own number.\n"),
        {"content": "Compares with >=."},
    ]
    script = tmp_path / "script.json"
    script.write_text(json.dumps(turns))

    def choose(title: str, options: list[str]) -> str:
        if title.startswith("Which sign"):
            return ">="
        if title.startswith("Run run_command"):
            return "rejectOnce"
        return "reject" if title.startswith("NOTES.md") else "accept"

    async with connected(GREENLINE_MODEL=f"scripted:{script}") as on:
        on.editor.choose = choose
        session_id = await on.new(root)
        assert await on.say(session_id, "mend the comparison in the discount") == "end_turn"

        titles = [title for title, _ in on.editor.asked]
        assert titles[0] == "Which sign?"
        assert titles[1].startswith("Run run_command")
        assert on.editor.asked[1][1] == ["allowOnce", "allowAlways", "rejectOnce", "rejectAlways"]
        assert sorted(title.partition(":")[0] for title in titles[2:]) == ["NOTES.md", "discount.py"]
        tools = {u["title"]: u["kind"] for u in on.editor.of("tool_call")}
        assert tools[f"read_file {DISCOUNT}"] == "read"
        assert tools[f"edit_file {DISCOUNT}"] == "edit"
        assert on.editor.of("plan")[0]["entries"][0]["content"] == "Compare with >="
        assert NEW in on.editor.buffers[str(root / DISCOUNT)]
        assert str(root / "NOTES.md") not in on.editor.buffers
        assert "1 of 2 hunks accepted" in on.editor.words()

    journal = open_journal(str(root))
    (run,) = journal.runs_of(session_id)
    journal.close()
    assert run.state is RunState.PARTLY_ACCEPTED


async def test_a_cancelled_run_leaves_no_container_and_is_taken_up_again(
    root: Path, docker_host: str
) -> None:
    slow = root / "tests" / "test_slow.py"
    slow.write_text(SLOW)
    engine = docker.DockerClient(base_url=docker_host)
    journal = open_journal(str(root))

    async with connected() as on:
        session_id = await on.new(root)
        turn = asyncio.get_running_loop().create_task(on.say(session_id, "/fix"))
        await on.editor.until(lambda: bool(on.editor.of("tool_call")))
        await on.agent.cancel(session_id=session_id)
        assert await turn == "cancelled"
        (run,) = journal.runs_of(session_id)
        assert run.state is RunState.CANCELLED
        # The answer does not wait until the engine has removed what was killed.
        mine = {"label": f"{LABEL_RUN}={run.id}"}
        for _ in range(200):
            left = engine.containers.list(all=True, filters=mine, ignore_removed=True)
            if not left:
                break
            await asyncio.sleep(0.1)
        assert left == []

    slow.unlink()
    async with connected() as on:
        await on.agent.load_session(cwd=str(root), session_id=session_id, mcp_servers=[])
        assert on.editor.of("user_message_chunk")[0]["content"]["text"] == "Make the failing tests pass."
        assert on.editor.of("tool_call_update")[-1]["status"] == "completed"

        assert await on.say(session_id, "/resume") == "end_turn"
        assert NEW in on.editor.buffers[str(root / DISCOUNT)]
        (run,) = journal.runs_of(session_id)
        assert run.state is RunState.ACCEPTED
    journal.close()
    engine.close()


async def test_a_line_that_is_no_message_is_answered_and_ends_nothing(root: Path) -> None:
    hello = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"protocolVersion": 1}}
    new = {"jsonrpc": "2.0", "id": 2, "method": "session/new", "params": {"cwd": str(root), "mcpServers": []}}
    odd = {"jsonrpc": "2.0", "id": 3, "method": "session/paint", "params": {}}
    lines = [b"no json", b"[1]", b"", *(json.dumps(message).encode() for message in (hello, odd, new))]
    pipe = asyncio.subprocess.PIPE
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-P", "-m", "greenline", "acp", stdin=pipe, stdout=pipe
    )
    assert process.stdin is not None
    assert process.stdout is not None

    process.stdin.write(b"\n".join(lines) + b"\n")
    answers: list[dict[str, Any]] = []
    async with asyncio.timeout(60):
        while not any(answer.get("id") == 2 for answer in answers):
            answers.append(json.loads(await process.stdout.readline()))
        process.stdin.close()
        rest = await process.stdout.read()
        assert await process.wait() == 0

    assert [a["error"]["code"] for a in answers if a.get("id") is None and "error" in a] == [-32700, -32600]
    by_id = {answer["id"]: answer for answer in answers if answer.get("id") is not None}
    assert by_id[1]["result"]["protocolVersion"] == 1
    assert by_id[3]["error"]["code"] == -32601
    assert by_id[2]["result"]["sessionId"].startswith("session-")
    assert all(json.loads(line) for line in rest.splitlines())
