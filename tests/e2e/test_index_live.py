"""The live index behind the real server: searches, symbols, two editors on one folder, and sudden deaths."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from lsp_driver import Driver, started

pytestmark = pytest.mark.asyncio

DEADLINE_S = 60.0


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a folder with a few files; servers of this test share a state folder."""
    monkeypatch.setenv("GREENLINE_STATE_DIR", str(tmp_path / "state"))
    monkeypatch.setenv("GREENLINE_WARM_WORKER", "false")
    folder = tmp_path / "ws"
    folder.mkdir()
    for n in range(8):
        (folder / f"f{n}.py").write_text(f"def walk_{n}(garden):\n    return garden.path({n})\n")
    return folder


@asynccontextmanager
async def server(root: Path, **more: Any) -> AsyncIterator[Driver]:
    async with started(sys.executable, "-P", "-m", "greenline") as driver:
        await driver.initialize(root, **more)
        yield driver


async def until(condition: Callable[[], Awaitable[bool]]) -> None:
    async with asyncio.timeout(DEADLINE_S):
        while not await condition():  # noqa: ASYNC110
            await asyncio.sleep(0.05)


async def index_of(driver: Driver) -> dict[str, Any]:
    found: dict[str, Any] = (await driver.result("agent/status"))["index"]
    return found


def is_ready(driver: Driver, role: str) -> Callable[[], Awaitable[bool]]:
    async def ready() -> bool:
        status = await index_of(driver)
        return status["state"] == "ready" and status["role"] == role and status["completeness"] == 1

    return ready


def finds(driver: Driver, query: str, name: str) -> Callable[[], Awaitable[bool]]:
    async def found() -> bool:
        hits = (await driver.result("agent/search", {"query": query}))["hits"]
        return any(Path(hit["uri"]).name == name for hit in hits)

    return found


def worker_of(root: Path, driver: Driver) -> int:
    """Return the process id of a server's index worker."""
    children = Path(f"/proc/{driver.process.pid}/task/{driver.process.pid}/children").read_text().split()
    lines = {int(pid): Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0") for pid in children}
    return next(pid for pid, line in lines.items() if b"index" in line and str(root).encode() in line[-2])


def maps_of(driver: Driver) -> str:
    """Return what a server has mapped into its memory, libraries among it."""
    return Path(f"/proc/{driver.process.pid}/maps").read_text()


async def test_a_search_and_symbols_over_lsp(root: Path) -> None:
    async with server(root, capabilities={"general": {"positionEncodings": ["utf-8"]}}) as driver:
        await until(is_ready(driver, "writer"))
        answer = await driver.result("agent/search", {"query": "walk_3", "limit": 3})
        (root / "accent.py").write_text("class Äpfel: pass\n\n\nclass Birne: tröpfeln = 1\n")
        await until(finds(driver, "Birne", "accent.py"))
        symbols = await driver.result("workspace/symbol", {"query": "birne"})
        refused = await driver.request("agent/search", {"query": "walk", "limit": 0})

    assert answer["hits"][0]["uri"] == (root / "f3.py").as_uri()
    assert answer["hits"][0]["range"]["start"] == {"line": 0, "character": 0}
    assert answer["hits"][0]["symbol"] == "walk_3"
    assert answer["completeness"] == 1
    assert answer["note"] == ""
    assert symbols[0]["location"]["range"] == {
        "start": {"line": 3, "character": 6},
        "end": {"line": 3, "character": 11},
    }
    assert refused["error"]["data"]["code"] == "invalidInput"


async def test_what_is_typed_is_found_before_it_is_saved(root: Path) -> None:
    document = {"uri": (root / "f0.py").as_uri(), "version": 1, "languageId": "python", "text": "x = 1\n"}
    async with server(root) as driver:
        await until(is_ready(driver, "writer"))
        driver.notify("textDocument/didOpen", {"textDocument": document})
        typed = [{"text": "\n\n  \nclass Hedgehog:\n    pass\n"}]
        changed = {"uri": document["uri"], "version": 2}
        driver.notify("textDocument/didChange", {"textDocument": changed, "contentChanges": typed})
        await until(finds(driver, "Hedgehog", "f0.py"))
        symbols = await driver.result("workspace/symbol", {"query": "hedge"})
        driver.notify("textDocument/didClose", {"textDocument": {"uri": document["uri"]}})
        await until(finds(driver, "walk_0", "f0.py"))

    assert symbols[0]["location"]["range"]["start"] == {"line": 3, "character": 6}


async def test_a_second_editor_reads_and_takes_over_when_the_first_is_killed(root: Path) -> None:
    async with server(root) as first:
        await until(is_ready(first, "writer"))
        async with server(root) as second:
            await until(is_ready(second, "reader"))
            (root / "new.py").write_text("def marmalade():\n    pass\n")
            await until(finds(second, "marmalade", "new.py"))
            worker = worker_of(root, first)
            first.process.kill()
            os.kill(worker, signal.SIGKILL)
            await until(is_ready(second, "writer"))
            (root / "newer.py").write_text("def tangerine():\n    pass\n")
            await until(finds(second, "tangerine", "newer.py"))


async def test_what_is_typed_in_a_second_editor_is_found_there_until_it_is_killed(root: Path) -> None:
    document = {"uri": (root / "f0.py").as_uri(), "version": 1, "languageId": "python"}
    async with server(root) as first:
        await until(is_ready(first, "writer"))
        async with server(root) as second:
            await until(is_ready(second, "reader"))
            text = "def wombat():\n    pass\n"
            second.notify("textDocument/didOpen", {"textDocument": {**document, "text": text}})
            await until(finds(second, "wombat", "f0.py"))
            typed = [{"text": "def platypus():\n    pass\n"}]
            changed = {"uri": document["uri"], "version": 2}
            second.notify("textDocument/didChange", {"textDocument": changed, "contentChanges": typed})
            at_once = await finds(second, "platypus", "f0.py")()
            os.kill(worker_of(root, second), signal.SIGKILL)
            second.process.kill()
            await until(finds(first, "walk_0", "f0.py"))

    assert at_once


async def test_a_second_editor_takes_over_when_the_first_is_closed(root: Path) -> None:
    async with server(root) as second, server(root) as first:
        await until(is_ready(second, "writer"))
        await until(is_ready(first, "reader"))
        assert await second.end() == 0
        await until(is_ready(first, "writer"))


async def test_a_killed_worker_is_started_again_with_the_open_buffers(root: Path) -> None:
    document = {"uri": (root / "f0.py").as_uri(), "version": 1, "languageId": "python"}
    async with server(root) as driver:
        await until(is_ready(driver, "writer"))
        text = "def porcupine():\n    pass\n"
        driver.notify("textDocument/didOpen", {"textDocument": {**document, "text": text}})
        await until(finds(driver, "porcupine", "f0.py"))
        os.kill(worker_of(root, driver), signal.SIGKILL)
        await until(is_ready(driver, "writer"))
        await until(finds(driver, "porcupine", "f0.py"))
        (root / "after.py").write_text("def badger():\n    pass\n")
        await until(finds(driver, "badger", "after.py"))


async def test_the_index_can_be_paused_and_says_what_a_search_missed(root: Path) -> None:
    async with server(root) as driver:
        await until(is_ready(driver, "writer"))
        await driver.result("workspace/executeCommand", {"command": "greenline.server.pauseIndex"})
        (root / "late.py").write_text("def squirrel():\n    pass\n")
        driver.notify("textDocument/didSave", {"textDocument": {"uri": (root / "late.py").as_uri()}})

        async def missed() -> bool:
            answer = await driver.result("agent/search", {"query": "squirrel"})
            return bool(answer["note"]) and answer["completeness"] < 1

        await until(missed)
        status = await index_of(driver)
        await driver.result("workspace/executeCommand", {"command": "greenline.server.resumeIndex"})
        await until(finds(driver, "squirrel", "late.py"))

    assert status["state"] == "paused"


async def test_other_folders_are_another_index(root: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    (other / "o.py").write_text("def otter():\n    pass\n")
    folder = {"uri": other.as_uri(), "name": "other"}
    async with server(root) as driver:
        await until(is_ready(driver, "writer"))
        event = {"event": {"added": [folder], "removed": []}}
        driver.notify("workspace/didChangeWorkspaceFolders", event)
        await until(finds(driver, "otter", "o.py"))
        await until(finds(driver, "walk_1", "f1.py"))


async def test_an_index_that_is_switched_off_says_how_to_have_it(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GREENLINE_INDEX", "false")
    async with server(root) as driver:
        answer = await driver.request("agent/search", {"query": "walk"})
        status = await index_of(driver)

    assert answer["error"]["data"]["code"] == "notAvailable"
    assert "GREENLINE_INDEX" in answer["error"]["data"]["remedy"]
    assert status["state"] == "off"


async def test_the_front_loads_nothing_of_the_index(root: Path) -> None:
    async with server(root) as driver:
        await until(is_ready(driver, "writer"))
        await driver.result("agent/search", {"query": "walk"})
        maps = maps_of(driver)

    assert "/apsw/" in maps
    for name in ("numpy", "tree_sitter", "sqlite_vec", "watchdog"):
        assert f"/{name}/" not in maps


async def test_a_command_leaves_the_index_to_the_editor_that_keeps_it(root: Path) -> None:
    async with server(root) as driver:
        await until(is_ready(driver, "writer"))
        command = (sys.executable, "-P", "-m", "greenline")
        pipe = asyncio.subprocess.PIPE
        outputs = []
        for arguments in (("index", "--json"), ("search", "walk_5", "--json")):
            process = await asyncio.create_subprocess_exec(
                *command, *arguments, "--root", str(root), stdout=pipe, stderr=pipe
            )
            outputs.append(await process.communicate())
        status = await index_of(driver)

    assert b"an editor keeps this index" in outputs[0][1]
    assert json.loads(outputs[0][0])["files"] == 8
    assert json.loads(outputs[1][0])[0]["path"] == "f5.py"
    assert status["role"] == "writer"
