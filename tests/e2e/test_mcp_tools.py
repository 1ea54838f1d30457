"""`greenline mcp` as another agent has it: the SDK's own client, a real process and the real engine."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import docker
import pytest
from mcp import Client, MCPError, StdioServerParameters
from mcp_types import CallToolResult

from greenline.app import open_journal
from greenline.cli import main
from greenline.core.task import RunState
from greenline.demo.scene import sample_project
from greenline.edit.hunk import diff_text
from greenline.journal.owner import process_owner
from greenline.mcp_server.tool import OFFERS
from greenline.sandbox.owner import LABEL_OWNER

pytestmark = pytest.mark.asyncio
TEST = "tests/test_discount.py::test_a_step_begins_with_its_own_number"
DISCOUNT = "ledger/discount.py"
OLD, NEW = "if quantity > pieces:", "if quantity >= pieces:"
STRAY = """
import os, sys

def on_import(event, arguments):
    if event == "import" and arguments[0] in ("docker", "numpy"):
        print("a library prints", flush=True)
        os.write(1, b"and writes to the descriptor\\n")

sys.addaudithook(on_import)
"""


@pytest.fixture
def root() -> Iterator[Path]:
    with sample_project() as folder:
        yield folder


@asynccontextmanager
async def connected(root: Path, **more: str) -> AsyncIterator[Client]:
    """Start the server over a project and connect the SDK's client."""
    # The SDK hands on only a few variables; the command that it is compared with sees all of them.
    environment = {**os.environ, **more}
    command = StdioServerParameters(
        command=sys.executable, args=["-P", "-m", "greenline", "mcp", "--root", str(root)], env=environment
    )
    async with Client(command, read_timeout_seconds=240) as client:
        yield client


def value_of(result: CallToolResult) -> dict[str, Any]:
    """Return what a call gave, which its text says too."""
    assert not result.is_error, result.content
    value: dict[str, Any] = result.structured_content
    assert json.loads(result.content[0].text) == value  # type: ignore[union-attr]
    return value


def patch_of(root: Path) -> str:
    before = (root / DISCOUNT).read_text()
    assert OLD in before
    return diff_text(DISCOUNT, before, before.replace(OLD, NEW))


def texts(root: Path) -> dict[Path, bytes]:
    return {path: path.read_bytes() for path in root.rglob("*") if path.is_file()}


def untimed(value: Any) -> Any:
    """Return evidence without how long it took, and when: the second of two finds its base measured."""
    if isinstance(value, dict):
        return {key: untimed(item) for key, item in value.items() if key not in ("seconds", "measuredAt")}
    return value


async def test_verify_gives_the_json_of_the_command(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before, told = texts(root), list[str]()
    patch = root.parent / "fix.diff"
    patch.write_text(patch_of(root))

    async def on_progress(progress: float, total: float | None, message: str | None) -> None:
        told.append(message or "")

    # What a library prints, to the stream or to the descriptor itself, must not reach the channel.
    (root.parent / "sitecustomize.py").write_text(STRAY)
    async with connected(root, PYTHONPATH=str(root.parent)) as client:
        as_text = value_of(
            await client.call_tool("verify", {"patch": patch_of(root)}, progress_callback=on_progress)
        )

    assert main(["verify", "--root", str(root), "--patch", str(patch), "--json"]) == 0
    by_command = json.loads(capsys.readouterr().out)
    assert untimed(as_text) == untimed(by_command)
    assert as_text["verdict"] == "verified"
    assert as_text["fixed"] == [TEST]
    assert told
    assert texts(root) == before


async def test_search_gives_the_hits_of_the_command(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    async with connected(root) as client:
        found = value_of(
            await client.call_tool(
                "search", {"query": "discount of a quantity", "limit": 3, "path": "ledger/"}
            )
        )

    words = ["search", "discount of a quantity", "--limit", "3", "--path", "ledger/", "--root", str(root)]
    assert main([*words, "--json"]) == 0
    assert found["hits"] == json.loads(capsys.readouterr().out)
    assert found["hits"][0]["path"] == DISCOUNT
    assert found["completeness"] == 1


async def test_a_repair_is_a_diff_that_verifies_and_is_explained(root: Path) -> None:
    before = texts(root)

    async with connected(root) as client:
        found = value_of(await client.call_tool("repair", {"tests": [TEST]}))
        assert texts(root) == before
        patch = root.parent / "found.diff"
        patch.write_text(found["diff"])
        measured = value_of(await client.call_tool("verify", {"patchPath": str(patch)}))
        line = found["evidence"]["hunks"][0]["startLine"]
        known = value_of(await client.call_tool("explain", {"path": DISCOUNT, "line": line}))
        nothing = value_of(await client.call_tool("explain", {"path": DISCOUNT, "line": 1}))
        applying = await asyncio.create_subprocess_exec("git", "apply", str(patch), cwd=root)
        assert await applying.wait() == 0
        again = await client.call_tool("repair", {})

    assert found["state"] == "proposed"
    assert found["evidence"]["verdict"] == measured["verdict"] == "verified"
    assert "verified" in known["markdown"]
    assert TEST.rpartition("::")[2] in known["markdown"].replace("\\", "")
    assert known["hunkId"]
    assert "hunkId" not in nothing
    assert again.is_error
    assert again.structured_content["code"] == "nothingToRepair"
    assert NEW in (root / DISCOUNT).read_text()


BAD_CALLS: list[tuple[str, dict[str, Any], str, str]] = [
    ("verify", {}, "invalidInput", "patch or patchPath"),
    ("verify", {"patch": "x", "patchPath": "y"}, "invalidInput", "patch or patchPath"),
    ("verify", {"patch": "no diff"}, "malformed", "diff"),
    ("verify", {"patchPath": "no.diff"}, "invalidInput", "no.diff cannot be read"),
    ("verify", {"patchPath": ".env"}, "invalidInput", "secrets"),
    ("verify", {"patch": 7}, "invalidInput", "patch of verify"),
    ("search", {}, "invalidInput", "query"),
    ("search", {"query": " "}, "invalidInput", "query"),
    ("search", {"query": "x", "limit": 0}, "invalidInput", "limit of search is 0"),
    ("search", {"query": "x", "limit": 10_000}, "invalidInput", "limit of search is 10000"),
    ("search", {"query": "x", "kinds": ["poem"]}, "invalidInput", "'poem'"),
    ("search", {"query": "x", "kinds": [1]}, "invalidInput", "kinds of search"),
    ("search", {"query": "x", "depth": 2}, "invalidInput", "depth"),
    ("explain", {"path": "ledger/none.py", "line": 1}, "invalidInput", "none.py"),
    ("explain", {"path": "../other.py", "line": 1}, "outsideWorkspace", "other.py"),
    ("explain", {"path": DISCOUNT, "line": 0}, "invalidInput", "line of explain is 0"),
    ("explain", {"path": DISCOUNT, "line": True}, "invalidInput", "line of explain"),
]


async def test_tools_say_what_they_take_and_what_is_wrong_with_a_call(root: Path) -> None:
    async with connected(root) as client:
        tools = {tool.name: tool for tool in (await client.list_tools()).tools}
        for name, arguments, code, words in BAD_CALLS:
            result = await client.call_tool(name, arguments)

            assert result.is_error, (name, arguments)
            assert result.structured_content["code"] == code, (arguments, result.structured_content)
            assert words in result.structured_content["message"], result.structured_content
            assert result.structured_content["remedy"], (name, arguments)
        with pytest.raises(MCPError, match="There is no tool 'paint'"):
            await client.call_tool("paint", {})

    assert tools.keys() == OFFERS.keys() == {"verify", "search", "repair", "explain"}
    for tool in tools.values():
        assert tool.description
        assert tool.annotations is not None
        assert tool.annotations.read_only_hint
        for name, schema in tool.input_schema["properties"].items():
            assert schema["description"], name


async def test_without_an_engine_a_call_says_what_to_do(root: Path) -> None:
    async with connected(root, DOCKER_HOST="unix:///nowhere/docker.sock") as client:
        measured = value_of(await client.call_tool("verify", {"patch": patch_of(root)}))
        repaired = await client.call_tool("repair", {})

    assert measured["verdict"] == "couldNotRun"
    assert repaired.is_error
    assert repaired.structured_content["code"] == "sandboxUnavailable"
    assert "greenline doctor" in repaired.structured_content["remedy"]


@pytest.mark.parametrize("way", ["cancelled", "gone"])
async def test_a_call_that_nobody_waits_for_leaves_nothing(root: Path, way: str, docker_host: str) -> None:
    (root / "tests" / "test_slow.py").write_text("import time\n\n\ndef test_slow():\n    time.sleep(200)\n")
    engine = docker.DockerClient(base_url=docker_host)

    def containers(owner: str) -> list[str]:
        mine = {"label": f"{LABEL_OWNER}={owner}"}
        return [c.id for c in engine.containers.list(all=True, filters=mine, ignore_removed=True)]

    async with connected(root) as client:
        owner = process_owner(pid_of(root))
        call = asyncio.get_running_loop().create_task(client.call_tool("repair", {}))
        await until(lambda: bool(containers(owner)))
        if way == "cancelled":
            call.cancel()
            await asyncio.wait({call})
            await until(lambda: containers(owner) == [])
            assert value_of(await client.call_tool("explain", {"path": DISCOUNT, "line": 1}))
    await asyncio.wait({call})
    assert call.cancelled() or call.exception() is not None
    await until(lambda: containers(owner) == [])
    engine.close()
    journal = open_journal(str(root))
    assert [run.state for run in journal.runs()] in ([RunState.CANCELLED], [RunState.INTERRUPTED])
    journal.close()


async def until(is_so: Callable[[], bool]) -> None:
    """Wait until something is so."""
    async with asyncio.timeout(60):
        while not is_so():  # noqa: ASYNC110  # what is waited for happens in another process
            await asyncio.sleep(0.05)


def pid_of(root: Path) -> int:
    """Return the process id of the server of a project."""
    (pid,) = [
        int(path.parent.name)
        for path in Path("/proc").glob("[0-9]*/cmdline")
        if b"\0mcp\0--root\0" + str(root).encode() in path.read_bytes()
    ]
    return pid
