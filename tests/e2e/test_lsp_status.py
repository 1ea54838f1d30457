"""When `agent/statusChanged` is told, against the real server process."""

from __future__ import annotations

from pathlib import Path

import pytest
from lsp_desk import desk
from lsp_driver import Driver
from review_sample import AFTER, BEFORE

pytestmark = pytest.mark.asyncio


async def told(server: Driver, n_pending: int) -> None:
    """Wait until the last status that was told has this number, and forget what came."""
    await server.wait_for(
        lambda m: m.get("method") == "agent/statusChanged" and m["params"]["pendingHunks"] == n_pending
    )
    assert server.of("agent/statusChanged")[-1]["pendingHunks"] == n_pending
    server.received.clear()


async def test_the_status_is_told_whenever_another_number_of_hunks_waits(tmp_path: Path) -> None:
    async with desk(tmp_path, {"a.py": AFTER}) as here:
        here.editor.open(here.root / "a.py", BEFORE)
        here.server.answers["window/showMessageRequest"] = lambda params: params["actions"][0]
        proposal = await here.propose()
        name, server = proposal["id"], here.server

        await told(server, 3)
        await here.command("rejectHunk", proposalId=name, hunkId=proposal["hunks"][2]["id"])
        await told(server, 2)
        await here.accept(proposal, 0)
        await told(server, 1)
        await here.accept(proposal, 1)
        await told(server, 0)
        await here.undo()
        await told(server, 1)
        await here.undo(proposalId=name)
        await told(server, 2)
        await here.command("acceptAll", proposalId=name)
        await told(server, 0)
        await here.undo()
        await told(server, 2)
        await here.command("rejectAll", proposalId=name)
        await told(server, 0)


async def test_typing_tells_no_status_and_changes_that_come_together_tell_one(tmp_path: Path) -> None:
    async with desk(tmp_path, {"a.py": AFTER}) as here:
        uri = here.editor.open(here.root / "a.py", BEFORE)
        proposal = await here.propose()
        await told(here.server, 3)
        await here.server.result("agent/status", {})
        here.server.received.clear()

        for n in range(20):
            here.editor.type(uri, BEFORE.replace("def last", "# typed\n" * (n + 1) + "def last"))
        await here.server.result("agent/status", {})
        assert len(here.server.of("agent/proposalChanged")) == 20
        assert here.server.of("agent/statusChanged") == []

        await here.accept(proposal)
        await here.server.result("agent/status", {})
        statuses = here.server.of("agent/statusChanged")
        assert statuses[-1]["pendingHunks"] == 0
        assert len(statuses) <= 2
